// SPDX-License-Identifier: Apache-2.0
// CFS: which CPU a waking or new task goes to (kernel/sched/fair.c of v4.7; kernel-paths c.2).
#include "kernel/kernel.h"
#include "kernel/sched/core.h"
#include "kernel/sched/fair.h"
#include "kernel/sched/globals.h"
#include "kernel/sched/topology.h"
#include "kernel/sched/weight.h"
#include "kernel/time/clock.h"

namespace linefill::kernel {

namespace {

const KernelFunction kSelectTaskRq{"select_task_rq_fair", "kernel/sched/fair.c", 1600, 6};
const KernelFunction kSelectIdleSibling{"select_idle_sibling", "kernel/sched/fair.c", 357, 5};
const KernelFunction kWakeAffine{"wake_affine", "kernel/sched/fair.c", 540, 6};
const KernelFunction kIdlestGroup{"find_idlest_group", "kernel/sched/fair.c", 420, 6};
const KernelFunction kIdlestCpu{"find_idlest_cpu", "kernel/sched/fair.c", 330, 6};
const KernelFunction kIdleCpu{"idle_cpu", "kernel/sched/core.c", 70, 0};

KPtr<Rq> rq_of(int cpu) { return cpu_rq({cpu, {}}); }

bool allowed(KPtr<TaskStruct> p, int cpu) {
    const u64 mask = p->cpus_allowed;
    run(2);
    return (mask >> cpu & 1) != 0;
}

/// Who this task wakes: many different ones make it a server, whose clients are not pulled near.
void record_wakee(KPtr<TaskStruct> p) {
    const KPtr<TaskStruct> me = get_current();
    const u64 now = jiffies();
    const u64 decayed = me->wakee_flip_decay_ts;
    run(4);
    if (now > decayed + static_cast<u64>(kernel().spec().hz())) {
        const u32 flips = me->wakee_flips;
        me->wakee_flips = flips / 2;
        me->wakee_flip_decay_ts = now;
    }
    const KPtr<TaskStruct> last = me->last_wakee.get();
    if (!(last == p)) {
        me->last_wakee = p.get();
        me->wakee_flips += 1;
    }
}

bool wake_wide(KPtr<TaskStruct> p) {
    const KPtr<TaskStruct> me = get_current();
    const u32 master = me->wakee_flips;
    const u32 slave = p->wakee_flips;
    const auto factor = static_cast<u32>(int{kernel().percpu(smp_processor_id()).sd_llc_size});
    run(6);
    const u32 high = std::max(master, slave);
    const u32 low = std::min(master, slave);
    return low >= factor && high >= low * factor;
}

u64 capacity_of(int cpu) { return rq_of(cpu)->cpu_capacity; }

bool wake_affine(KPtr<SchedDomain> sd, KPtr<TaskStruct> p, int prev_cpu, bool sync) {
    const Frame frame(kWakeAffine);
    const auto this_cpu = static_cast<int>(smp_processor_id());
    u64 load = source_load(prev_cpu, 0);
    u64 this_load = target_load(this_cpu, 0);
    const u64 weight = scale_load_down(p->se.load.weight);
    // A waker that is about to sleep does not count.
    if (sync) this_load -= std::min(this_load, scale_load_down(get_current()->se.load.weight));
    const u32 pct = sd->imbalance_pct;
    u64 this_eff = 100 * capacity_of(prev_cpu);
    u64 prev_eff = (100 + (pct - 100) / 2) * capacity_of(this_cpu);
    run(30);
    if (this_load > 0) {
        this_eff *= this_load + weight;
        prev_eff *= load;
    }
    return this_eff <= prev_eff;
}

int select_idle_sibling(KPtr<TaskStruct> p, int prev, int target) {
    const Frame frame(kSelectIdleSibling);
    Kernel& k = kernel();
    if (idle_cpu(target)) return target;
    if (prev != target) {
        const int a = k.percpu(static_cast<unsigned>(prev)).sd_llc_id;
        const int b = k.percpu(static_cast<unsigned>(target)).sd_llc_id;
        run(3);
        if (a == b && idle_cpu(prev)) return prev;
    }
    // A group (a core) all of whose CPUs are idle, from the LLC's domain down.
    (void)k.topology().sd_llc_pointer(static_cast<unsigned>(target)).load();
    for (KPtr<SchedDomain> sd(k.topology().llc(static_cast<unsigned>(target))); sd;
         sd = sd->child.get()) {
        const KPtr<SchedGroup> first = sd->groups.get();
        KPtr<SchedGroup> g = first;
        do {
            const u64 mask = g->cpumask;
            const u64 may = p->cpus_allowed;
            bool all_idle = (mask & may) != 0;
            for (u64 m = mask; all_idle && m != 0; m &= m - 1) {
                const int cpu = __builtin_ctzll(m);
                if (cpu == target || !idle_cpu(cpu)) all_idle = false;
                run(4);
            }
            if (all_idle) return __builtin_ctzll(mask & may);
            g = g->next.get();
            run(3);
        } while (!(g == first));
    }
    return target;
}

/// The group of `sd` with the least load per capacity; null: this CPU's own is as good.
KPtr<SchedGroup> find_idlest_group(KPtr<SchedDomain> sd, KPtr<TaskStruct> p, int this_cpu) {
    const Frame frame(kIdlestGroup);
    const u32 pct = sd->imbalance_pct;
    const u64 imbalance = 100 + (pct - 100) / 2;
    const unsigned idx = sd->forkexec_idx;
    KPtr<SchedGroup> idlest;
    u64 min_load = ~u64{0};
    u64 this_load = 0;
    const KPtr<SchedGroup> first = sd->groups.get();
    KPtr<SchedGroup> g = first;
    do {
        const u64 mask = g->cpumask;
        const u64 may = p->cpus_allowed;
        run(6);
        if ((mask & may) != 0) {
            const bool local = (mask >> this_cpu & 1) != 0;
            u64 load = 0;
            for_each_cpu(mask, [&](int cpu) {
                load += local ? source_load(cpu, idx) : target_load(cpu, idx);
                run(4);
            });
            const KPtr<SchedGroupCapacity> sgc = g->sgc.get();
            const u64 capacity = sgc->capacity;
            load = load * 1024 / capacity;
            run(8);
            if (local) {
                this_load = load;
            } else if (load < min_load) {
                min_load = load;
                idlest = g;
            }
        }
        g = g->next.get();
    } while (!(g == first));
    if (!idlest || 100 * this_load < imbalance * min_load) return nullptr;
    return idlest;
}

/// Among the allowed CPUs of the group: the one that went idle last (its caches are warmest), else
/// the least loaded.
int find_idlest_cpu(KPtr<SchedGroup> group, KPtr<TaskStruct> p, int this_cpu) {
    const Frame frame(kIdlestCpu);
    const u64 mask = u64{group->cpumask} & u64{p->cpus_allowed};
    u64 min_load = ~u64{0};
    u64 latest = 0;
    int least = this_cpu;
    int shallowest = -1;
    for_each_cpu(mask, [&](int cpu) {
        run(4);
        if (idle_cpu(cpu)) {
            const KPtr<Rq> rq = rq_of(cpu);
            const u64 stamp = rq->idle_stamp;
            if (shallowest == -1 || stamp > latest) {
                latest = stamp;
                shallowest = cpu;
            }
        } else if (shallowest == -1) {
            const u64 load = weighted_cpuload(cpu);
            if (load < min_load || (load == min_load && cpu == this_cpu)) {
                min_load = load;
                least = cpu;
            }
        }
    });
    return shallowest != -1 ? shallowest : least;
}

}  // namespace

bool idle_cpu(int cpu) {
    const Frame frame(kIdleCpu);
    const KPtr<Rq> rq = rq_of(cpu);
    const KPtr<TaskStruct> curr = rq->curr.get();
    const KPtr<TaskStruct> idle = rq->idle.get();
    run(2);
    if (!(curr == idle)) return false;
    const u32 running = rq->nr_running;
    run(1);
    if (running != 0) return false;
    const KPtr<TaskStruct> waiting = rq->wake_list.get();
    return !waiting;
}

u64 weighted_cpuload(int cpu) { return rq_of(cpu)->cfs.runnable_load_avg; }

u64 source_load(int cpu, unsigned idx) {
    const KPtr<Rq> rq = rq_of(cpu);
    const u64 now = rq->cfs.runnable_load_avg;
    run(3);
    if (idx == 0) return now;
    const u64 before = rq->cpu_load[idx - 1];
    return std::min(before, now);
}

u64 target_load(int cpu, unsigned idx) {
    const KPtr<Rq> rq = rq_of(cpu);
    const u64 now = rq->cfs.runnable_load_avg;
    run(3);
    if (idx == 0) return now;
    const u64 before = rq->cpu_load[idx - 1];
    return std::max(before, now);
}

int select_task_rq_fair(KPtr<TaskStruct> p, int prev_cpu, u32 sd_flag, bool sync) {
    const Frame frame(kSelectTaskRq);
    const int allowed_cpus = p->nr_cpus_allowed;
    const auto this_cpu = static_cast<int>(smp_processor_id());
    run(10);
    int cpu = this_cpu;
    int new_cpu = prev_cpu;
    bool want_affine = false;
    if (allowed_cpus == 1) return __builtin_ctzll(u64{p->cpus_allowed});
    if ((sd_flag & kSdBalanceWake) != 0) {
        record_wakee(p);
        want_affine = !wake_wide(p) && allowed(p, cpu);
    }
    KPtr<SchedDomain> sd;
    KPtr<SchedDomain> affine;
    const KPtr<Rq> rq = this_rq();
    for (KPtr<SchedDomain> d = rq->sd.get(); d; d = d->parent.get()) {
        const u32 flags = d->flags;
        const u64 span = d->span;
        run(4);
        if ((flags & kSdLoadBalance) == 0) break;
        if (want_affine && (flags & kSdWakeAffine) != 0 && (span >> prev_cpu & 1) != 0) {
            affine = d;
            break;
        }
        if ((flags & sd_flag) != 0) {
            sd = d;
        } else if (!want_affine) {
            break;
        }
    }
    if (affine) {
        sd = nullptr;
        if (cpu != prev_cpu && wake_affine(affine, p, prev_cpu, sync)) new_cpu = cpu;
    }
    if (!sd) {
        if ((sd_flag & kSdBalanceWake) != 0) new_cpu = select_idle_sibling(p, prev_cpu, new_cpu);
    } else {
        while (sd) {
            const u32 flags = sd->flags;
            if ((flags & sd_flag) == 0) {
                sd = sd->child.get();
                continue;
            }
            const KPtr<SchedGroup> group = find_idlest_group(sd, p, cpu);
            if (!group) {
                sd = sd->child.get();
                continue;
            }
            new_cpu = find_idlest_cpu(group, p, cpu);
            if (new_cpu == -1 || new_cpu == cpu) {
                sd = sd->child.get();
                continue;
            }
            // Go on below, in the chosen CPU's domains.
            cpu = new_cpu;
            const u32 weight = sd->span_weight;
            sd = nullptr;
            const KPtr<Rq> chosen = rq_of(cpu);
            for (KPtr<SchedDomain> d = chosen->sd.get(); d; d = d->parent.get()) {
                const u32 smaller = d->span_weight;
                run(3);
                if (weight <= smaller) break;
                const u32 its_flags = d->flags;
                if ((its_flags & sd_flag) != 0) sd = d;
            }
        }
    }
    if (!allowed(p, new_cpu)) {
        // select_fallback_rq: any allowed CPU, of its own node first.
        const u64 mask = u64{p->cpus_allowed} & sched_globals().cpu_active_mask.peek();
        new_cpu = __builtin_ctzll(mask);
        run(20);
    }
    return new_cpu;
}

}  // namespace linefill::kernel
