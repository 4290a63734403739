// SPDX-License-Identifier: Apache-2.0
// Per-CPU data of timers and the tick.
#pragma once

#include <memory>
#include <vector>

#include "kernel/base/place.h"
#include "kernel/base/sections.h"
#include "kernel/lock/spinlock.h"
#include "kernel/time/tick.h"

namespace linefill::kernel {

/// hrtimer_cpu_base with its monotonic clock base.
struct HrtimerBase {
    HrtimerBase(const Place& at, unsigned cpu);
    RawSpinlock lock;
    Field<u64> expires_next;
    Field<u64> nr_events;
    Field<u32> active_bases;
    Field<u64> first;  ///< clock_base[0].active.next: the leftmost timer
    Field<u64> root;   ///< clock_base[0].active.head
    /// Queued timers, earliest first, in the order they were queued among equals.
    std::vector<Hrtimer*> queue;
    bool in_interrupt = false;
};

struct TickSched {
    explicit TickSched(const Place& at);
    Field<u32> nohz_mode;
    Field<u64> last_tick;  ///< ns
    Field<int> inidle, tick_stopped, idle_active;
    Field<u64> idle_jiffies, idle_calls, idle_sleeps;
    Field<u64> idle_entrytime, idle_exittime, idle_sleeptime;
    Hrtimer sched_timer;
};

struct TickCpu {
    TickCpu(const Layout& layout, unsigned cpu, Sections& sections);
    HrtimerBase base;
    TickSched ts;
    Addr cpustat;            ///< kernel_cpustat
    Addr rcu_data;           ///< rcu_sched_data: two lines
    bool user_tick = false;  ///< the interrupt being handled came in user mode
};

[[nodiscard]] TickCpu& tick_cpu(unsigned cpu);
/// Of the current CPU.
[[nodiscard]] TickCpu& this_tick_cpu();

// hrtimer.cpp; under base.lock unless said otherwise
void enqueue_hrtimer(HrtimerBase& base, Hrtimer& timer);
void remove_hrtimer(HrtimerBase& base, Hrtimer& timer);
/// Programs the local timer for `expires` (~0: none).
void tick_program_event(u64 expires);
/// After a change of the queue: programs for its first timer if that changed.
void reprogram_first(HrtimerBase& base);
/// Runs all expired timers and programs for the next; interrupts off, no lock held.
void hrtimer_run_expired();

// tick.cpp
/// The scheduler tick's hrtimer.
bool tick_sched_timer(Hrtimer& timer);
/// Moves the expiry on by whole intervals until it lies after `now`. At least one.
void hrtimer_forward(Hrtimer& timer, u64 now, u64 interval);

}  // namespace linefill::kernel
