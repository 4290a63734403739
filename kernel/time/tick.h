// SPDX-License-Identifier: Apache-2.0
// The timer interrupt in high-resolution mode: per-CPU hrtimers, of which the scheduler's tick is one;
// its stop and restart around idle.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "kernel/base/field.h"
#include "kernel/base/sections.h"
#include "kernel/lock/spinlock.h"

namespace linefill::kernel {

/// An hrtimer of one CPU. Host object; its line is charged when it is queued and run.
struct Hrtimer {
    Addr base = 0;
    u64 expires = 0;  ///< ns on ktime's axis
    bool queued = false;
    /// Runs in the interrupt, the base's lock dropped. Returns true to be queued again at `expires`,
    /// which it has moved on.
    std::function<bool(Hrtimer&)> function;
};

/// Places hrtimer_bases and tick_cpu_sched. Once, at boot.
void tick_init(unsigned cpus, Sections& sections);

/// Starts the tick of the current CPU: first at `first_ns` (ktime), then every 1/HZ.
void tick_setup_sched_timer(u64 first_ns);

/// Body of the local timer's vector, on the interrupted stack, interrupts off.
void hrtimer_interrupt();

/// Queues on the current CPU and programs the local timer if it is the first to expire.
void hrtimer_start(Hrtimer& timer, u64 expires);
/// True if it was queued.
bool hrtimer_cancel(Hrtimer& timer);

// NO_HZ_IDLE, as the idle loop calls them (kernel-paths d.1, 4 and 9).
void tick_nohz_idle_enter();
void tick_nohz_idle_exit();
/// At the end of an interrupt that found the CPU idle and does not reschedule.
void tick_nohz_irq_exit();
[[nodiscard]] bool tick_nohz_tick_stopped(unsigned cpu);

/// When the tick of `cpu` comes next, in ns of ktime; ~0: stopped. Host view, for sampling.
[[nodiscard]] u64 next_tick_ns(unsigned cpu);

/// sleep for `ns` on the monotonic clock (nanosleep): hrtimer, schedule, wake.
void hrtimer_nanosleep(u64 ns);

}  // namespace linefill::kernel
