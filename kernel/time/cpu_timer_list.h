// SPDX-License-Identifier: Apache-2.0
// Armed CPU timers of a process, inside kernel/time.
#pragma once

#include <vector>

#include "kernel/lock/spinlock.h"
#include "kernel/time/posix_cpu_timers.h"

namespace linefill::kernel {

/// k_itimer of a sleeper, on its kernel stack. Expiry in ns of the process clock (the scheduler's).
struct CpuTimer {
    CpuTimer(TaskStruct& sleeper, Addr base);
    TaskStruct& sleeper;
    Addr base;
    RawSpinlock it_lock;
    Field<u64> expires;  ///< 0: has fired
    Field<u64> entry;    ///< links in the group's list
    Field<int> firing;
    bool armed = false;
    u64 fired_at = 0;  ///< the sample that it was found expired with, for checks
};

/// signal.cpu_timers[CPUCLOCK_SCHED]: earliest first. Its head is charged at its place.
struct CpuTimerList {
    explicit CpuTimerList(SignalStruct& sig);
    Field<u64> head;
    std::vector<CpuTimer*> timers;
};

/// The list of a process, made at first use.
[[nodiscard]] CpuTimerList& cpu_timers_of(SignalStruct& sig);

/// The cputimer's sums as they are (under its lock where it has one).
void sample_cputimer(SignalStruct& sig, TaskCputime* times);
void stop_cputimer(SignalStruct& sig);
/// Wakes the sleeper; under it_lock.
void cpu_timer_fire(CpuTimer& timer);

}  // namespace linefill::kernel
