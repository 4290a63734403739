// SPDX-License-Identifier: Apache-2.0
// NO_HZ_IDLE: the tick's stop when a CPU goes idle and its restart (kernel-paths d.1, 4 and 9).
#include "kernel/base/function.h"
#include "kernel/irq/softirq.h"
#include "kernel/sched/sched.h"
#include "kernel/time/clock.h"
#include "kernel/time/tick.h"
#include "kernel/time/tick_data.h"

namespace linefill::kernel {

namespace {

constexpr const char* kSource = "kernel/time/tick-sched.c (v4.7)";
const KernelFunction kIdleEnter{"tick_nohz_idle_enter", kSource, 110, 1};
const KernelFunction kStopTick{"tick_nohz_stop_sched_tick", kSource, 620, 6};
const KernelFunction kIdleExit{"tick_nohz_idle_exit", kSource, 260, 4};
const KernelFunction kRestart{"tick_nohz_restart_sched_tick", kSource, 150, 3};

void start_idle(TickSched& ts, u64 now) {
    ts.idle_entrytime = now;
    ts.idle_active = 1;
    run(4);
}

void stop_idle(TickSched& ts, u64 now) {
    const u64 entry = ts.idle_entrytime;
    ts.idle_sleeptime += now - entry;
    ts.idle_active = 0;
    run(8);
}

bool can_stop_idle_tick() {
    run(6);
    // Somebody gave us work while we were on the way: a short sleep is not worth the timer's cost.
    return !need_resched() && !softirq_pending();
}

void stop_sched_tick(TickCpu& tc) {
    const Frame frame(kStopTick);
    ClockData& clock = clock_data();
    TickSched& ts = tc.ts;
    u32 seq = 0;
    do {
        seq = clock.jiffies_lock->count.read_begin();
        (void)clock.last_jiffies_update->load();
        (void)clock.jiffies->load();
    } while (clock.jiffies_lock->count.read_retry(seq));
    run(60);  // no callbacks of RCU, nothing in the timer wheel
    const int cpu = static_cast<int>(smp_processor_id());
    if (clock.tick_do_timer_cpu->load() == cpu) *clock.tick_do_timer_cpu = -1;
    if (ts.tick_stopped.load() == 0) {
        nohz_balance_enter_idle();
        ts.last_tick = ts.sched_timer.expires;
        ts.tick_stopped = 1;
        run(12);
    }
    hrtimer_cancel(ts.sched_timer);
}

void idle_enter_common(TickCpu& tc) {
    start_idle(tc.ts, ktime_get());
    if (!can_stop_idle_tick()) return;
    ++tc.ts.idle_calls;
    const bool was_stopped = tc.ts.tick_stopped.peek() != 0;
    if (was_stopped) {
        run(30);
    } else {
        ++tc.ts.idle_sleeps;
        stop_sched_tick(tc);
        tc.ts.idle_jiffies = jiffies();
    }
}

void restart_sched_tick(TickCpu& tc, u64 now) {
    const Frame frame(kRestart);
    TickSched& ts = tc.ts;
    ClockData& clock = clock_data();
    tick_do_update_jiffies64(now);
    const u64 before = ts.idle_jiffies;
    const u64 missed = jiffies() - before;
    update_cpu_load_nohz(missed);
    ts.tick_stopped = 0;
    ts.idle_exittime = now;
    ts.sched_timer.expires = ts.last_tick;
    hrtimer_forward(ts.sched_timer, now, clock.tick_ns);
    hrtimer_start(ts.sched_timer, ts.sched_timer.expires);
    run(20);
}

}  // namespace

void tick_nohz_idle_enter() {
    const Frame frame(kIdleEnter);
    set_cpu_sd_state_idle();
    local_irq_disable();
    TickCpu& tc = this_tick_cpu();
    tc.ts.inidle = 1;
    idle_enter_common(tc);
    local_irq_enable();
}

void tick_nohz_idle_exit() {
    const Frame frame(kIdleExit);
    local_irq_disable();
    TickCpu& tc = this_tick_cpu();
    TickSched& ts = tc.ts;
    ts.inidle = 0;
    const bool active = ts.idle_active.load() != 0;
    const bool stopped = ts.tick_stopped.load() != 0;
    run(6);
    const u64 now = active || stopped ? ktime_get() : 0;
    if (active) stop_idle(ts, now);
    if (stopped) restart_sched_tick(tc, now);
    local_irq_enable();
}

void tick_nohz_irq_enter() {
    TickCpu& tc = this_tick_cpu();
    const bool active = tc.ts.idle_active.load() != 0;
    const bool stopped = tc.ts.tick_stopped.load() != 0;
    run(4);
    if (!active && !stopped) return;
    const u64 now = ktime_get();
    if (active) stop_idle(tc.ts, now);
    if (stopped) tick_do_update_jiffies64(now);
}

void tick_nohz_irq_exit() {
    TickCpu& tc = this_tick_cpu();
    run(3);
    if (tc.ts.inidle.load() != 0) idle_enter_common(tc);
}

bool tick_nohz_tick_stopped(unsigned cpu) { return tick_cpu(cpu).ts.tick_stopped.peek() != 0; }

}  // namespace linefill::kernel
