// SPDX-License-Identifier: Apache-2.0
// Load balancing: when it runs. Periodically from the tick, for idle CPUs without one, and when a
// queue runs empty (kernel/sched/fair.c of v4.7; kernel-paths h).
#include <algorithm>

#include "kernel/irq/softirq.h"
#include "kernel/kernel.h"
#include "kernel/sched/balance.h"
#include "kernel/sched/core.h"
#include "kernel/sched/globals.h"
#include "kernel/time/clock.h"

namespace linefill::kernel {

namespace {

const KernelFunction kIdleBalance{"idle_balance", "kernel/sched/fair.c", 760, 6};
const KernelFunction kRebalance{"rebalance_domains", "kernel/sched/fair.c", 620, 6};
const KernelFunction kRunRebalance{"run_rebalance_domains", "kernel/sched/fair.c", 300, 4};
const KernelFunction kTrigger{"trigger_load_balance", "kernel/sched/fair.c", 460, 2};

bool reached(u64 now, u64 when) { return static_cast<s64>(now - when) >= 0; }

/// Jiffies between two attempts; a busy CPU tries 32 times less often.
u64 balance_interval(KPtr<SchedDomain> sd, bool busy) {
    const auto hz = static_cast<u64>(kernel().spec().hz());
    u64 ms = sd->balance_interval.load().value;
    const u32 factor = sd->busy_factor;
    if (busy) ms *= factor;
    run(8);
    const u64 ticks = (ms * hz + 999) / 1000;
    return std::clamp<u64>(ticks, 1, hz * kernel().cpus() / 10);
}

/// 64-bit atomics on the mask of idle CPUs, one line for the machine.
void change_idle_mask(bool enter) {
    SchedGlobals& g = sched_globals();
    const u64 bit = u64{1} << smp_processor_id();
    g.nohz_idle_cpus_mask.locked([&](u64& v) { v = enter ? v | bit : v & ~bit; });
    g.nohz_nr_cpus.locked([&](int& v) { v += enter ? 1 : -1; });
}

/// sd_busy: the domain above the LLC's, whose group of this CPU counts the busy CPUs of the LLC.
KPtr<SchedDomain> sd_busy() {
    const unsigned cpu = smp_processor_id();
    const Loaded<u64> pointer = kernel().topology().sd_llc_pointer(cpu).load();
    SchedDomain* llc = kernel().topology().llc(cpu);
    return {llc != nullptr ? llc->parent.peek() : nullptr, pointer.token};
}

void count_busy(KPtr<SchedDomain> sd, int change) {
    const KPtr<SchedGroup> group = sd->groups.get();
    const KPtr<SchedGroupCapacity> sgc = group->sgc.get();
    g_next_dep = sgc.token();
    sgc.get()->nr_busy_cpus.fetch_add(change);
}

void set_cpu_sd_state_busy() {
    const KPtr<SchedDomain> sd = sd_busy();
    run(2);
    if (!sd) return;
    const int idle = sd->nohz_idle;
    if (idle == 0) return;
    sd->nohz_idle = 0;
    count_busy(sd, 1);
}

bool nohz_kick_needed(KPtr<Rq> rq) {
    const u8 idle = rq->idle_balance;
    run(4);
    if (idle != 0) return false;
    set_cpu_sd_state_busy();
    nohz_balance_exit_idle();
    SchedGlobals& g = sched_globals();
    const int idle_cpus = g.nohz_nr_cpus;
    if (idle_cpus == 0) return false;
    const u64 next = g.nohz_next_balance;
    if (!reached(jiffies(), next)) return false;
    const u32 running = rq->nr_running;
    if (running >= 2) return true;
    const KPtr<SchedDomain> sd = sd_busy();
    if (!sd) return false;
    const KPtr<SchedGroup> group = sd->groups.get();
    const KPtr<SchedGroupCapacity> sgc = group->sgc.get();
    const int busy = sgc->nr_busy_cpus;
    return busy > 1;
}

void nohz_balancer_kick() {
    SchedGlobals& g = sched_globals();
    g.nohz_next_balance += 1;
    const u64 mask = g.nohz_idle_cpus_mask;
    run(4);
    if (mask == 0) return;
    const int ilb = __builtin_ctzll(mask);
    if (!idle_cpu(ilb)) return;
    const KPtr<Rq> rq = cpu_rq({ilb, {}});
    g_next_dep = rq.token();
    const u64 before = rq.get()->nohz_flags.locked([](u64& v) {
        const u64 old = v;
        v |= kNohzBalanceKick;
        return old;
    });
    if ((before & kNohzBalanceKick) == 0) smp_send_reschedule(ilb);
}

}  // namespace

void nohz_balance_enter_idle() {
    const KPtr<Rq> rq = this_rq();
    const u64 flags = rq->nohz_flags;
    run(3);
    if ((flags & kNohzTickStopped) != 0) return;
    change_idle_mask(true);
    rq.get()->nohz_flags.locked([](u64& v) { v |= kNohzTickStopped; });
}

void nohz_balance_exit_idle() {
    const KPtr<Rq> rq = this_rq();
    const u64 flags = rq->nohz_flags;
    run(2);
    if ((flags & kNohzTickStopped) == 0) return;
    change_idle_mask(false);
    rq.get()->nohz_flags.locked([](u64& v) { v &= ~kNohzTickStopped; });
}

void set_cpu_sd_state_idle() {
    const KPtr<SchedDomain> sd = sd_busy();
    run(3);
    if (!sd) return;
    const int idle = sd->nohz_idle;
    if (idle != 0) return;
    sd->nohz_idle = 1;
    count_busy(sd, -1);
}

int idle_balance(KPtr<Rq> rq) {
    const Frame frame(kIdleBalance);
    Rq& own = *rq.get();
    const auto cpu = static_cast<int>(own.host_cpu);
    update_rq_runnable_avg(rq, true);
    // idle_stamp first, so that the time spent here counts as idle.
    const u64 clock = own.clock;
    own.idle_stamp = clock;
    const u64 avg_idle = own.avg_idle;
    const KPtr<RootDomain> rd = own.rd.get();
    const u8 overload = rd->overload;
    run(8);
    if (avg_idle < kSchedMigrationCostNs || overload == 0) return 0;
    own.lock.unlock();
    update_blocked_averages(rq);
    int moved = 0;
    u64 cost = 0;
    for (KPtr<SchedDomain> sd = rq->sd.get(); sd; sd = sd->parent.get()) {
        const u32 flags = sd->flags;
        const u64 domain_cost = sd->max_newidle_lb_cost;
        run(5);
        if (avg_idle < cost + domain_cost) break;
        if ((flags & kSdBalanceNewidle) != 0) {
            const u64 from = sched_clock_cpu(static_cast<unsigned>(cpu));
            bool keep_going = true;
            moved = load_balance(sd, cpu, CpuIdle::kNewlyIdle, &keep_going);
            const u64 took = sched_clock_cpu(static_cast<unsigned>(cpu)) - from;
            if (took > domain_cost) sd->max_newidle_lb_cost = took;
            cost += took;
        }
        const u32 running = own.nr_running;
        if (moved != 0 || running > 0) break;
    }
    own.lock.lock();
    const u64 longest = own.max_idle_balance_cost;
    if (cost > longest) own.max_idle_balance_cost = cost;
    // Somebody may have put a task here while the lock was dropped.
    const u32 now_running = own.cfs.h_nr_running;
    run(6);
    if (now_running != 0 && moved == 0) moved = 1;
    if (moved != 0) own.idle_stamp = 0;
    return moved;
}

void rebalance_domains(int cpu, CpuIdle idle) {
    const Frame frame(kRebalance);
    const KPtr<Rq> rq = cpu_rq({cpu, {}});
    update_blocked_averages(rq);
    const u64 now = jiffies();
    const auto hz = static_cast<u64>(kernel().spec().hz());
    u64 next = now + 60 * hz;
    bool set_next = false;
    u64 cost = 0;
    for (KPtr<SchedDomain> sd = rq->sd.get(); sd; sd = sd->parent.get()) {
        // What a newly idle CPU pays here decays by about 1 % a second.
        const u64 decay_at = sd->next_decay_max_lb_cost;
        u64 newidle = sd->max_newidle_lb_cost;
        if (reached(now, decay_at)) {
            newidle = newidle * 253 / 256;
            sd->max_newidle_lb_cost = newidle;
            sd->next_decay_max_lb_cost = now + hz;
        }
        cost += newidle;
        const u32 flags = sd->flags;
        u64 interval = balance_interval(sd, idle != CpuIdle::kIdle);
        const bool serial = (flags & kSdSerialize) != 0;
        const u64 last = sd->last_balance;
        bool keep_going = true;
        run(8);
        if (!serial || sched_globals().balancing.cmpxchg(0, 1)) {
            if (reached(now, last + interval)) {
                if (load_balance(sd, cpu, idle, &keep_going) != 0) {
                    idle = idle_cpu(cpu) ? CpuIdle::kIdle : CpuIdle::kNotIdle;
                }
                sd->last_balance = jiffies();
                interval = balance_interval(sd, idle != CpuIdle::kIdle);
            }
            if (serial) sched_globals().balancing = 0;
        }
        const u64 due = u64{sd->last_balance} + interval;
        if (!reached(due, next)) {
            next = due;
            set_next = true;
        }
        if (!keep_going) break;
    }
    rq->max_idle_balance_cost = std::max(kSchedMigrationCostNs, cost);
    if (set_next) rq->next_balance = next;
}

void nohz_idle_balance() {
    const KPtr<Rq> own = this_rq();
    const u64 flags = own->nohz_flags;
    run(3);
    if ((flags & kNohzBalanceKick) == 0) return;
    const u64 mask = sched_globals().nohz_idle_cpus_mask;
    const auto me = static_cast<int>(smp_processor_id());
    u64 next = jiffies() + 60 * static_cast<u64>(kernel().spec().hz());
    for (u64 m = mask; m != 0; m &= m - 1) {
        const int cpu = __builtin_ctzll(m);
        if (cpu == me || !idle_cpu(cpu)) continue;
        // Work has come: this CPU goes back to it and another kick will go on.
        if (need_resched()) break;
        const KPtr<Rq> rq = cpu_rq({cpu, {}});
        const u64 due = rq->next_balance;
        run(4);
        if (reached(jiffies(), due)) {
            g_next_dep = rq.token();
            const IrqFlags irq = rq.get()->lock.lock_irqsave();
            update_rq_clock(rq);
            rq.get()->lock.unlock_irqrestore(irq);
            rebalance_domains(cpu, CpuIdle::kIdle);
        }
        const u64 its = rq->next_balance;
        if (!reached(its, next)) next = its;
    }
    sched_globals().nohz_next_balance = next;
    own.get()->nohz_flags.locked([](u64& v) { v &= ~kNohzBalanceKick; });
}

void run_rebalance_domains() {
    const Frame frame(kRunRebalance);
    const KPtr<Rq> rq = this_rq();
    const u8 idle = rq->idle_balance;
    run(4);
    if (idle != 0) nohz_idle_balance();
    rebalance_domains(static_cast<int>(smp_processor_id()),
                      idle != 0 ? CpuIdle::kIdle : CpuIdle::kNotIdle);
}

void trigger_load_balance(KPtr<Rq> rq) {
    const Frame frame(kTrigger);
    const u64 next = rq->next_balance;
    run(3);
    if (reached(jiffies(), next)) {
        raise_softirq(kSchedSoftirq);
    }
    if (nohz_kick_needed(rq)) nohz_balancer_kick();
}

}  // namespace linefill::kernel
