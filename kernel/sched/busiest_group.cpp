// SPDX-License-Identifier: Apache-2.0
// Load balancing: statistics of groups and the choice of the busiest (kernel/sched/fair.c of v4.7).
#include <algorithm>

#include "kernel/kernel.h"
#include "kernel/sched/balance.h"

namespace linefill::kernel {

namespace {

const KernelFunction kFindBusiestGroup{"find_busiest_group", "kernel/sched/fair.c", 2300, 6};

constexpr u64 kScale = 1024;

u64 cpu_utilisation(int cpu) {
    // Older kernels look at numbers of tasks against a capacity factor instead.
    if (kernel().sw().per_entity_avg) {
        const u32 running = cpu_rq({cpu, {}})->nr_running;
        return running * kScale;
    }
    const u64 util = cpu_rq({cpu, {}})->cfs.avg.util_avg;
    return std::min(util, kScale);
}

GroupStats read_group(const LbEnv& env, KPtr<SchedGroup> group, bool local, unsigned idx,
                      bool* overload) {
    GroupStats s;
    const u64 mask = group->cpumask;
    for_each_cpu(mask, [&](int cpu) {
        const u64 load = local ? target_load(cpu, idx) : source_load(cpu, idx);
        const KPtr<Rq> rq = cpu_rq({cpu, {}});
        s.group_load += load;
        s.utilisation += cpu_utilisation(cpu);
        s.sum_nr_running += rq->cfs.h_nr_running.load().value;
        const u32 running = rq->nr_running;
        if (running > 1) *overload = true;
        s.sum_weighted_load += weighted_cpuload(cpu);
        if (running == 0 && idle_cpu(cpu)) ++s.idle_cpus;
        run(14);
    });
    const KPtr<SchedGroupCapacity> sgc = group->sgc.get();
    s.capacity = sgc->capacity.load().value;
    s.avg_load = s.group_load * kScale / s.capacity;
    if (s.sum_nr_running != 0) s.load_per_task = s.sum_weighted_load / s.sum_nr_running;
    s.weight = group->group_weight;
    const u32 pct = env.sd->imbalance_pct;
    s.no_capacity = group_is_overloaded(s, pct);
    run(20);
    return s;
}

u64 small_imbalance(const DomainStats& d) {
    const GroupStats& busiest = d.busiest;
    GroupStats local = d.local;
    u64 factor = 2;
    if (local.sum_nr_running == 0) {
        local.load_per_task = 0;
    } else if (busiest.load_per_task > local.load_per_task) {
        factor = 1;
    }
    const u64 scaled = busiest.load_per_task * kScale / busiest.capacity;
    if (busiest.avg_load + scaled >= local.avg_load + scaled * factor) return busiest.load_per_task;
    // Would the machine get more done with one task moved?
    const u64 now = (busiest.capacity * std::min(busiest.load_per_task, busiest.avg_load) +
                     local.capacity * std::min(local.load_per_task, local.avg_load)) /
                    kScale;
    u64 moved = 0;
    if (busiest.avg_load > scaled) {
        moved += busiest.capacity * std::min(busiest.load_per_task, busiest.avg_load - scaled);
    }
    const bool is_light = busiest.avg_load * busiest.capacity < busiest.load_per_task * kScale;
    const u64 added = is_light ? busiest.avg_load * busiest.capacity / local.capacity
                               : busiest.load_per_task * kScale / local.capacity;
    moved += local.capacity * std::min(local.load_per_task, local.avg_load + added);
    moved /= kScale;
    return moved > now ? busiest.load_per_task : 0;
}

}  // namespace

bool group_has_capacity(const GroupStats& s, u32 imbalance_pct) {
    return s.sum_nr_running < s.weight || s.capacity * 100 > s.utilisation * imbalance_pct;
}

bool group_is_overloaded(const GroupStats& s, u32 imbalance_pct) {
    return s.sum_nr_running > s.weight && s.capacity * 100 < s.utilisation * imbalance_pct;
}

u64 decide_imbalance(DomainStats s, u32 imbalance_pct, CpuIdle idle) {
    GroupStats& busiest = s.busiest;
    const GroupStats& local = s.local;
    if (!s.has_busiest || busiest.sum_nr_running == 0) return 0;
    const u64 average = kScale * s.total_load / s.total_capacity;
    const bool must = idle == CpuIdle::kNewlyIdle && group_has_capacity(local, imbalance_pct) &&
                      busiest.no_capacity;
    if (!must) {
        if (local.avg_load >= busiest.avg_load || local.avg_load >= average) return 0;
        if (idle == CpuIdle::kIdle) {
            // One task more on either side makes no difference worth a migration.
            if (!busiest.no_capacity && local.idle_cpus <= busiest.idle_cpus + 1) return 0;
        } else if (100 * busiest.avg_load <= imbalance_pct * local.avg_load) {
            return 0;
        }
    }
    if (busiest.avg_load <= average || local.avg_load >= average) return small_imbalance(s);
    u64 above = ~u64{0};
    if (busiest.no_capacity && local.no_capacity) {
        const u64 tasks = busiest.sum_nr_running * kScale;
        if (tasks > busiest.capacity) above = tasks - busiest.capacity;
    }
    const u64 pull = std::min(busiest.avg_load - average, above);
    const u64 imbalance =
        std::min(pull * busiest.capacity, (average - local.avg_load) * local.capacity) / kScale;
    return imbalance < busiest.load_per_task ? small_imbalance(s) : imbalance;
}

KPtr<SchedGroup> find_busiest_group(LbEnv& env) {
    const Frame frame(kFindBusiestGroup);
    DomainStats d;
    KPtr<SchedGroup> busiest;
    const KPtr<SchedDomain> child = env.sd->child.get();
    bool prefer_sibling = false;
    if (child) {
        const u32 flags = child->flags;
        prefer_sibling = (flags & kSdPreferSibling) != 0;
    }
    const u32 pct = env.sd->imbalance_pct;
    unsigned idx = 0;
    if (env.idle == CpuIdle::kIdle) idx = env.sd->idle_idx;
    if (env.idle == CpuIdle::kNotIdle) idx = env.sd->busy_idx;
    bool overload = false;
    // The local group comes first: every CPU's ring begins at its own.
    const KPtr<SchedGroup> first = env.sd->groups.get();
    KPtr<SchedGroup> g = first;
    do {
        const u64 mask = g->cpumask;
        const bool local = (mask >> env.dst_cpu & 1) != 0;
        GroupStats s = read_group(env, g, local, idx, &overload);
        if (local) {
            d.local = s;
        } else {
            // One task per core before a second on any.
            if (prefer_sibling && group_has_capacity(d.local, pct) && s.sum_nr_running > 1) {
                s.no_capacity = true;
            }
            const bool heavier = s.no_capacity != d.busiest.no_capacity
                                     ? s.no_capacity
                                     : s.avg_load > d.busiest.avg_load;
            if (heavier) {
                d.busiest = s;
                d.has_busiest = true;
                busiest = g;
            }
        }
        d.total_load += s.group_load;
        d.total_capacity += s.capacity;
        run(10);
        g = g->next.get();
    } while (!(g == first));
    const KPtr<SchedDomain> parent = env.sd->parent.get();
    if (!parent) {
        const KPtr<RootDomain> rd = env.dst_rq->rd.get();
        const u8 was = rd->overload;
        if ((was != 0) != overload) rd->overload = static_cast<u8>(overload ? 1 : 0);
    }
    env.imbalance = decide_imbalance(d, pct, env.idle);
    run(30);
    return env.imbalance != 0 ? busiest : nullptr;
}

}  // namespace linefill::kernel
