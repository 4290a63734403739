// SPDX-License-Identifier: Apache-2.0
// CFS: how long a task may run (kernel/sched/fair.c of v4.7; the same in v3.18).
#include "kernel/sched/fair.h"
#include "kernel/sched/globals.h"
#include "kernel/sched/weight.h"

namespace linefill::kernel {

namespace {

const KernelFunction kSlice{"sched_slice", "kernel/sched/fair.c", 170, 5};
const KernelFunction kCheckPreemptTick{"check_preempt_tick", "kernel/sched/fair.c", 190, 3};

}  // namespace

u64 sched_period(u64 nr_running) {
    const SchedTunables& t = sched_globals().tunables;
    return nr_running > kSchedNrLatency ? nr_running * t.min_granularity_ns : t.latency_ns;
}

u64 sched_slice(KPtr<CfsRq> cfs, KPtr<SchedEntity> se) {
    const Frame frame(kSlice);
    const u32 queued = se->on_rq;
    const u64 running = cfs->nr_running + u64{queued == 0};
    SchedGlobals& g = sched_globals();
    if (running > kSchedNrLatency) {
        (void)g.sysctl_min_granularity.load();
    } else {
        (void)g.sysctl_latency.load();
    }
    u64 slice = sched_period(running);
    run(8);
    for (KPtr<SchedEntity> level = se; level; level = level->parent.get()) {
        const KPtr<CfsRq> queue = level->cfs_rq.get();
        const u64 weight = level->load.weight;
        const u64 total = queue->load.weight;
        const u32 on = level->on_rq;
        run(5);
        if (on == 0) {
            // As if it were there: a copy of the queue's load on the stack.
            slice = scale_delta(slice, scale_load_down(weight),
                                inverse_of(scale_load_down(total + weight)));
            run(34);
        } else {
            CfsRq& q = *queue.get();
            slice = calc_delta(slice, weight, KPtr<SchedEntity>(nullptr, queue.token()), q.load);
        }
    }
    return slice;
}

u64 sched_vslice(KPtr<CfsRq> cfs, KPtr<SchedEntity> se) {
    return calc_delta_fair(sched_slice(cfs, se), se);
}

void check_preempt_tick(KPtr<CfsRq> cfs, KPtr<SchedEntity> curr) {
    const Frame frame(kCheckPreemptTick);
    const u64 ideal = sched_slice(cfs, curr);
    const u64 sum = curr->sum_exec_runtime;
    const u64 before = curr->prev_sum_exec_runtime;
    const u64 ran = sum - before;
    run(4);
    if (ran > ideal) {
        resched_curr(cfs->rq.get());
        // It must not be picked again at once for being somebody's buddy.
        clear_buddies(cfs, curr);
        return;
    }
    (void)sched_globals().sysctl_min_granularity.load();
    run(2);
    if (ran < sched_globals().tunables.min_granularity_ns) return;
    const KPtr<RbNode> leftmost = cfs->rb_leftmost.get();
    const KPtr<SchedEntity> first(SchedEntity::of(leftmost.get()), leftmost.token());
    run(4);
    if (!first) return;
    const u64 own = curr->vruntime;
    const u64 waiting = first->vruntime;
    const auto ahead = static_cast<s64>(own - waiting);
    if (ahead > 0 && static_cast<u64>(ahead) > ideal) resched_curr(cfs->rq.get());
}

}  // namespace linefill::kernel
