// SPDX-License-Identifier: Apache-2.0
// CPU time of a thread group, as clock_gettime and times read it, and the accounting of the tick.
#pragma once

#include "kernel/sched/task.h"

namespace linefill::kernel {

/// utime and stime in ticks of 1/HZ (TICK_CPU_ACCOUNTING), sum_exec_runtime in ns.
struct TaskCputime {
    u64 utime = 0, stime = 0, sum_exec_runtime = 0;
};

/// What the whole group of `tsk` has used: exited threads' sums, then every thread in creation order.
/// Retries, the second time under the writers' lock, when a thread exits meanwhile.
void thread_group_cputime(KPtr<TaskStruct> tsk, TaskCputime* times);

/// The same, with utime and stime scaled so that their sum is the precise run time; in ticks.
void thread_group_cputime_adjusted(KPtr<TaskStruct> tsk, u64* utime, u64* stime);

/// Splits `rtime` (ticks) by the sampled `curr`, never going back behind `prev`.
void cputime_adjust(const TaskCputime& curr, PrevCputime& prev, u64* utime, u64* stime);

/// stime * rtime / total in 64 bits, losing low bits rather than overflowing. total > 0, and
/// stime <= total. Exact whenever stime * rtime fits 64 bits and total fits 32.
[[nodiscard]] u64 scale_stime(u64 stime, u64 rtime, u64 total);

/// One tick of `p`: user, system or idle time of this CPU.
void account_process_tick(KPtr<TaskStruct> p, bool user_tick);

// Kept by every update_curr and tick while signal.cputimer runs.
void account_group_user_time(KPtr<TaskStruct> tsk, u64 ticks);
void account_group_system_time(KPtr<TaskStruct> tsk, u64 ticks);
void account_group_exec_runtime(KPtr<TaskStruct> tsk, u64 ns);

/// ns to ticks of 1/HZ, rounded down, and ticks to USER_HZ (100) as times() returns them.
[[nodiscard]] u64 nsecs_to_cputime(u64 ns);
[[nodiscard]] u64 cputime_to_clock_t(u64 ticks);

}  // namespace linefill::kernel
