// SPDX-License-Identifier: Apache-2.0
// The scheduler tick in high-resolution mode (kernel-paths b.1).
#include "kernel/time/tick.h"

#include <limits>

#include "kernel/base/function.h"
#include "kernel/irq/softirq.h"
#include "kernel/sched/sched.h"
#include "kernel/time/clock.h"
#include "kernel/time/cputime.h"
#include "kernel/time/posix_cpu_timers.h"
#include "kernel/time/tick_data.h"

namespace linefill::kernel {

namespace {

const KernelFunction kApicInterrupt{"local_apic_timer_interrupt",
                                    "arch/x86/kernel/apic/apic.c (v4.7)", 90, 0};
const KernelFunction kSchedTimer{"tick_sched_timer", "kernel/time/tick-sched.c (v4.7)", 120, 2};
const KernelFunction kForward{"hrtimer_forward", "kernel/time/hrtimer.c (v4.7)", 150, 2};
const KernelFunction kUpdateTimes{"update_process_times", "kernel/time/timer.c (v4.7)", 80, 2};
const KernelFunction kLocalTimers{"run_local_timers", "kernel/time/timer.c (v4.7)", 40, 0};
const KernelFunction kRcuCheck{"rcu_check_callbacks", "kernel/rcu/tree.c (v4.7)", 620, 4};

std::vector<std::unique_ptr<TickCpu>>& all_cpus() {
    static std::vector<std::unique_ptr<TickCpu>> cpus;
    return cpus;
}

Place place_of(const Layout& layout, const char* structure, Addr base) {
    return Place{&layout, structure, "", base};
}

Addr struct_per_cpu(Sections& s, const Layout& layout, const char* symbol, const char* structure,
                    unsigned cpu, unsigned align) {
    return s.per_cpu(symbol, cpu, layout.size_of(structure), align);
}

/// Is this CPU in the way of a grace period, and has it callbacks? Local lines of rcu_sched_data and
/// rcu_bh_data, and the state's, which is read-mostly.
void rcu_check_callbacks(bool user) {
    const Frame frame(kRcuCheck);
    static const FieldId kId = FieldRegistry::instance().id("rcu_data", "(all)", 0, 128);
    model::HwThread& hw = model::this_hw_thread();
    const Addr data = this_tick_cpu().rcu_data;
    hw.load(data + 8, 8, kId);
    hw.load(data + 16, 8, kId);
    hw.load(data + 24, 1, kId);
    hw.load(data + 64, 8, kId);
    run(70);
    if (user || current().is_idle) hw.store(data + 24, 1, kId);  // a quiescent state
    take_dep();
}

/// The timer wheel has nothing due: its softirq looks and returns.
void run_local_timers() {
    const Frame frame(kLocalTimers);
    run(6);
    raise_softirq(kTimerSoftirq);
}

void update_process_times(bool user_tick) {
    const Frame frame(kUpdateTimes);
    const KPtr<TaskStruct> p = get_current();
    account_process_tick(p, user_tick);
    run_local_timers();
    rcu_check_callbacks(user_tick);
    run(4);
    scheduler_tick();
    run_posix_cpu_timers(p);
}

}  // namespace

void hrtimer_forward(Hrtimer& timer, u64 now, u64 interval) {
    const Frame frame(kForward);
    run(20);
    u64 next = timer.expires + interval;
    if (next <= now) {
        next = timer.expires + (1 + (now - timer.expires) / interval) * interval;
        run(30);
    }
    timer.softexpires = timer.expires = next;
    static const FieldId kId = FieldRegistry::instance().id("hrtimer", "node.expires", 24, 8);
    model::HwThread& hw = model::this_hw_thread();
    hw.store(timer.base + 24, 8, kId);
    hw.store(timer.base + 32, 8, kId);
}

HrtimerBase::HrtimerBase(const Place& at, unsigned cpu)
    : lock(at, "lock", cpu),
      expires_next(at, "expires_next", std::numeric_limits<u64>::max()),
      nr_events(at, "nr_events"),
      active_bases(at, "active_bases"),
      first(at.base + 64 + 24, 8,
            FieldRegistry::instance().id("hrtimer_cpu_base", "clock_base[0].active.next", 88, 8)),
      root(at.base + 64 + 16, 8,
           FieldRegistry::instance().id("hrtimer_cpu_base", "clock_base[0].active.head", 80, 8)) {}

TickSched::TickSched(const Place& at)
    : nohz_mode(at, "nohz_mode"),
      last_tick(at, "last_tick"),
      inidle(at, "inidle"),
      tick_stopped(at, "tick_stopped"),
      idle_active(at, "idle_active"),
      idle_jiffies(at, "idle_jiffies"),
      idle_calls(at, "idle_calls"),
      idle_sleeps(at, "idle_sleeps"),
      idle_entrytime(at, "idle_entrytime"),
      idle_exittime(at, "idle_exittime"),
      idle_sleeptime(at, "idle_sleeptime") {
    sched_timer.base = at.base;  // the structure's first member
}

TickCpu::TickCpu(const Layout& layout, unsigned cpu, Sections& s)
    : base(place_of(layout, "hrtimer_cpu_base",
                    struct_per_cpu(s, layout, "hrtimer_bases", "hrtimer_cpu_base", cpu, 64)),
           cpu),
      ts(place_of(layout, "tick_sched",
                  struct_per_cpu(s, layout, "tick_cpu_sched", "tick_sched", cpu, 8))),
      cpustat(s.per_cpu("kernel_cpustat", cpu, 80, 8)),
      rcu_data(s.per_cpu("rcu_sched_data", cpu, 320, 64)) {
    ts.sched_timer.function = tick_sched_timer;
}

TickCpu& tick_cpu(unsigned cpu) { return *all_cpus()[cpu]; }
TickCpu& this_tick_cpu() { return tick_cpu(smp_processor_id()); }

void tick_init(unsigned cpus, const Layout& layout, Sections& sections) {
    all_cpus().clear();
    for (unsigned cpu = 0; cpu < cpus; ++cpu) {
        all_cpus().push_back(std::make_unique<TickCpu>(layout, cpu, sections));
    }
}

void tick_setup_sched_timer(u64 first_ns) {
    hrtimer_start(this_tick_cpu().ts.sched_timer, first_ns);
}

void hrtimer_interrupt(bool user) {
    const Frame frame(kApicInterrupt);
    run(8);
    this_tick_cpu().user_tick = user;
    hrtimer_run_expired();
}

bool tick_sched_timer(Hrtimer& timer) {
    const Frame frame(kSchedTimer);
    ClockData& clock = clock_data();
    TickCpu& tc = this_tick_cpu();
    TickSched& ts = tc.ts;
    const int cpu = static_cast<int>(smp_processor_id());
    const u64 now = ktime_get();
    int duty = clock.tick_do_timer_cpu->load();
    run(4);
    if (duty < 0) {
        // The CPU that had the duty went idle with its tick stopped.
        *clock.tick_do_timer_cpu = cpu;
        duty = cpu;
    }
    if (duty == cpu) tick_do_update_jiffies64(now);
    if (ts.tick_stopped.load() != 0) ++ts.idle_jiffies;
    run(4);
    update_process_times(tc.user_tick);
    if (ts.tick_stopped.load() != 0) return false;
    hrtimer_forward(timer, now, clock.tick_ns);
    return true;
}

u64 next_tick_ns(unsigned cpu) {
    const Hrtimer& t = tick_cpu(cpu).ts.sched_timer;
    return t.queued ? t.expires : std::numeric_limits<u64>::max();
}

}  // namespace linefill::kernel
