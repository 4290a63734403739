// SPDX-License-Identifier: Apache-2.0
// CPU clocks and timers: clock_gettime and clock_nanosleep on them, and the tick's expiry check.
#pragma once

#include "kernel/time/cputime.h"

namespace linefill::kernel {

enum class CpuClock : unsigned char { kProcess, kThread };

/// What the clock of the current process or thread shows, in ns.
[[nodiscard]] u64 posix_cpu_clock_get(CpuClock clock);

/// Sleeps until the process clock shows `ns` (absolute), or `ns` more than now.
void posix_cpu_nsleep(bool absolute, u64 ns);

/// Samples the group's clock, starting signal.cputimer if it does not run.
void thread_group_cputimer(KPtr<TaskStruct> tsk, TaskCputime* times);

/// From the tick, interrupts off: fires what has expired for `tsk` and its group.
void run_posix_cpu_timers(KPtr<TaskStruct> tsk);

}  // namespace linefill::kernel
