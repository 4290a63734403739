// SPDX-License-Identifier: Apache-2.0
// The system calls that programs make: argument handling and copies around the calls below.
#include "kernel/base/function.h"
#include "kernel/kernel.h"
#include "kernel/process/process.h"
#include "kernel/sched/sched.h"
#include "kernel/syscall/syscall.h"
#include "kernel/time/clock.h"
#include "kernel/time/cost.h"
#include "kernel/time/tick.h"
#include "model/sim/error.h"

namespace linefill::kernel {

namespace {

const KernelFunction kClockGettime{"SyS_clock_gettime", "kernel/time/posix-timers.c (v4.7)", 190,
                                   4};
const KernelFunction kClockNanosleep{"SyS_clock_nanosleep", "kernel/time/posix-timers.c (v4.7)",
                                     260, 4};
const KernelFunction kTimes{"SyS_times", "kernel/sys.c (v4.7)", 90, 2};
const KernelFunction kDoTimes{"do_sys_times", "kernel/sys.c (v4.7)", 210, 4};
const KernelFunction kNanosleep{"SyS_nanosleep", "kernel/time/hrtimer.c (v4.7)", 120, 2};
const KernelFunction kClone{"SyS_clone", "kernel/fork.c (v4.7)", 60, 1};
const KernelFunction kExit{"SyS_exit", "kernel/exit.c (v4.7)", 30, 0};
const KernelFunction kYield{"SyS_sched_yield", "kernel/sched/core.c (v4.7)", 130, 1};

constexpr u64 kNsPerSecond = 1'000'000'000;

Timespec to_timespec(u64 ns) {
    model::this_hw_thread().charge(divide_cost(), model::CpiComponent::kBase);
    return {static_cast<std::int64_t>(ns / kNsPerSecond),
            static_cast<std::int64_t>(ns % kNsPerSecond)};
}

u64 to_ns(Timespec t) {
    if (t.seconds < 0 || t.nanoseconds < 0 ||
        t.nanoseconds >= static_cast<std::int64_t>(kNsPerSecond)) {
        throw model::InternalError("a program asked to sleep for an invalid time");
    }
    return static_cast<u64>(t.seconds) * kNsPerSecond + static_cast<u64>(t.nanoseconds);
}

/// copy_to_user of `words` to the caller's stack, whose lines are hot.
void copy_to_user(unsigned words) {
    run(6 + words);
    model::this_hw_thread().stack_accesses(words, words);
}

void do_sys_times(Tms* out) {
    const Frame frame(kDoTimes);
    const KPtr<TaskStruct> self = get_current();
    u64 utime = 0, stime = 0;
    run(8);
    thread_group_cputime_adjusted(self, &utime, &stime);
    const KPtr<SignalStruct> sig = self->signal.get();
    const u64 cutime = sig->cutime;
    const u64 cstime = sig->cstime;
    run(4 * 6);  // four conversions: a multiplication and a shift each
    *out = {cputime_to_clock_t(utime), cputime_to_clock_t(stime), cputime_to_clock_t(cutime),
            cputime_to_clock_t(cstime)};
}

}  // namespace

Timespec sys_clock_gettime(CpuClock clock) {
    const SyscallScope scope;
    const Frame frame(kClockGettime);
    run(24);  // 46 with CALL, RET, saved registers and the copy; the clock is looked up in a table
    const Timespec t = to_timespec(posix_cpu_clock_get(clock));
    copy_to_user(2);
    return t;
}

Tms sys_times(u64* elapsed) {
    const SyscallScope scope;
    const Frame frame(kTimes);
    run(6);
    Tms t;
    do_sys_times(&t);
    copy_to_user(4);
    const u64 now = cputime_to_clock_t(jiffies());
    run(8);
    if (elapsed != nullptr) *elapsed = now;
    return t;
}

void sys_clock_nanosleep(CpuClock clock, bool absolute, Timespec request) {
    if (clock != CpuClock::kProcess) {
        // A thread that sleeps does not run: its clock would never get there.
        throw model::InternalError("clock_nanosleep on the calling thread's own CPU clock");
    }
    const SyscallScope scope;
    const Frame frame(kClockNanosleep);
    run(30);
    posix_cpu_nsleep(absolute, to_ns(request));
}

void sys_nanosleep(Timespec request) {
    const SyscallScope scope;
    const Frame frame(kNanosleep);
    run(20);
    hrtimer_nanosleep(to_ns(request));
}

int sys_clone(std::function<void()> entry, const std::string& name) {
    const SyscallScope scope;
    const Frame frame(kClone);
    run(10);
    TaskStruct& child = do_fork(CloneFlags{}, name, std::move(entry));
    return child.host_pid;
}

void sys_exit() {
    const SyscallScope scope;
    const Frame frame(kExit);
    run(6);
    do_exit(0);
}

void sys_sched_yield() {
    const SyscallScope scope;
    const Frame frame(kYield);
    run(10);
    yield();
}

}  // namespace linefill::kernel
