// SPDX-License-Identifier: Apache-2.0
// The timer interrupt in high-resolution mode: per-CPU hrtimers, of which the scheduler's tick is one;
// its stop and restart around idle.
#pragma once

#include <functional>

#include "kernel/base/field.h"
#include "kernel/base/sections.h"

namespace linefill::kernel {

/// An hrtimer of one CPU. Host object; its lines are charged when it is queued, removed and run.
struct Hrtimer {
    Addr base = 0;
    u64 softexpires = 0;  ///< may run from here on, if an interrupt comes anyway; ns of ktime
    u64 expires = 0;      ///< the local timer is programmed for this
    bool queued = false;
    /// Runs in the interrupt, the base's lock dropped. Returns true to be queued again at the times
    /// that it has moved on.
    std::function<bool(Hrtimer&)> function;
};

/// Places hrtimer_bases, tick_cpu_sched, kernel_cpustat. Once, at boot, after clock_init().
void tick_init(unsigned cpus, const Layout& layout, Sections& sections);

/// Starts the tick of the current CPU: first at `first_ns` (ktime), then every 1/HZ.
void tick_setup_sched_timer(u64 first_ns);

/// Body of the local timer's vector, on the interrupted stack, interrupts off. `user`: the interrupt
/// came in user mode.
void hrtimer_interrupt(bool user);

/// Queues on the current CPU, to run at `expires` or up to `slack` ns later; programs the local timer
/// if it is the first to expire.
void hrtimer_start(Hrtimer& timer, u64 expires, u64 slack = 0);
/// True if it was queued (on the current CPU).
bool hrtimer_cancel(Hrtimer& timer);

// NO_HZ_IDLE, as the idle loop calls them (kernel-paths d.1, 4 and 9).
void tick_nohz_idle_enter();
void tick_nohz_idle_exit();
/// Entering an interrupt while the tick is stopped: jiffies catch up.
void tick_nohz_irq_enter();
/// At the end of an interrupt that found the CPU idle and does not reschedule.
void tick_nohz_irq_exit();
[[nodiscard]] bool tick_nohz_tick_stopped(unsigned cpu);

/// When the tick of `cpu` comes next, in ns of ktime; ~0: stopped. Host view, for sampling.
[[nodiscard]] u64 next_tick_ns(unsigned cpu);

/// Sleeps `ns` on the monotonic clock: hrtimer, schedule, wake.
void hrtimer_nanosleep(u64 ns);

}  // namespace linefill::kernel
