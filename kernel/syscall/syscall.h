// SPDX-License-Identifier: Apache-2.0
// System calls as programs make them: entry, the call, and the work on the way out.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "kernel/base/field.h"
#include "kernel/time/posix_cpu_timers.h"

namespace linefill::kernel {

/// From SYSCALL to SYSRET: switches to kernel mode, saves the user's registers at the top of the own
/// kernel stack, and at the end loads thread_info.flags and reschedules while it is asked to.
class SyscallScope {
public:
    SyscallScope();
    ~SyscallScope() noexcept(false);  // the fiber may be unwound while it is rescheduled here
    SyscallScope(const SyscallScope&) = delete;
    SyscallScope& operator=(const SyscallScope&) = delete;
};

/// Loads the flags and calls schedule() while TIF_NEED_RESCHED is set; interrupts are off on return.
/// Also the way out of an interrupt that came in user mode.
void exit_to_usermode_work();

struct Timespec {
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;
    friend bool operator==(const Timespec&, const Timespec&) = default;
};

/// In USER_HZ (100 per second).
struct Tms {
    u64 utime = 0, stime = 0, cutime = 0, cstime = 0;
};

Timespec sys_clock_gettime(CpuClock clock);
/// Returns the process's times; the call itself returns jiffies in USER_HZ, here `elapsed`.
Tms sys_times(u64* elapsed = nullptr);
/// Sleeps on the process CPU clock.
void sys_clock_nanosleep(CpuClock clock, bool absolute, Timespec request);
/// Sleeps on the monotonic clock.
void sys_nanosleep(Timespec request);
/// Starts a thread of the current process in `entry` (user code) and returns its id.
int sys_clone(std::function<void()> entry, const std::string& name);
/// Ends the current thread; never returns.
[[noreturn]] void sys_exit();
void sys_sched_yield();

}  // namespace linefill::kernel
