// SPDX-License-Identifier: Apache-2.0
// CFS: which entity runs next (kernel/sched/fair.c of v4.7; the same choices in v3.18).
#include "kernel/kernel.h"
#include "kernel/sched/fair.h"
#include "kernel/sched/weight.h"

namespace linefill::kernel {

namespace {

const KernelFunction kPickNextTask{"pick_next_task_fair", "kernel/sched/fair.c", 1200, 6};
const KernelFunction kPickNextEntity{"pick_next_entity", "kernel/sched/fair.c", 380, 4};
const KernelFunction kSetNext{"set_next_entity", "kernel/sched/fair.c", 230, 3};
const KernelFunction kPutPrev{"put_prev_entity", "kernel/sched/fair.c", 370, 3};

u64 rq_clock(KPtr<CfsRq> cfs) {
    const KPtr<Rq> rq = cfs->rq.get();
    return rq->clock;
}

KPtr<SchedEntity> entity(KPtr<RbNode> n) { return {SchedEntity::of(n.get()), n.token()}; }

/// The leftmost of timeline and current, unless a buddy is nearly as far left.
KPtr<SchedEntity> pick_next_entity(KPtr<CfsRq> cfs, KPtr<SchedEntity> curr) {
    const Frame frame(kPickNextEntity);
    KPtr<SchedEntity> left = entity(cfs->rb_leftmost.get());
    run(3);
    if (!left) {
        left = curr;
    } else if (curr) {
        const u64 own = curr->vruntime;
        const u64 theirs = left->vruntime;
        if (static_cast<s64>(own - theirs) < 0) left = curr;
    }
    KPtr<SchedEntity> se = left;
    const KPtr<SchedEntity> skip = cfs->skip.get();
    run(2);
    if (skip == se && se) {
        KPtr<SchedEntity> second;
        if (se == curr) {
            second = entity(cfs->rb_leftmost.get());
        } else {
            second = entity(rb_next({&se.get()->run_node, se.token()}));
            if (!second) {
                second = curr;
            } else if (curr) {
                const u64 own = curr->vruntime;
                const u64 theirs = second->vruntime;
                if (static_cast<s64>(own - theirs) < 0) second = curr;
            }
        }
        if (second && wakeup_preempt_entity(second, left) < 1) se = second;
    }
    const KPtr<SchedEntity> last = cfs->last.get();
    if (last && wakeup_preempt_entity(last, left) < 1) se = last;
    const KPtr<SchedEntity> next = cfs->next.get();
    if (next && wakeup_preempt_entity(next, left) < 1) se = next;
    run(4);
    clear_buddies(cfs, se);
    return se;
}

}  // namespace

void set_next_entity(KPtr<CfsRq> cfs, KPtr<SchedEntity> se) {
    const Frame frame(kSetNext);
    const SchedSwitches& sw = kernel().sw();
    const u32 queued = se->on_rq;
    if (queued != 0) {
        if (sw.schedstats) {
            const u64 since = se->statistics.wait_start;
            const u64 now = rq_clock(cfs);
            const u64 waited = now - since;
            const u64 longest = se->statistics.wait_max;
            se->statistics.wait_max = waited > longest ? waited : longest;
            se->statistics.wait_count += 1;
            se->statistics.wait_sum += waited;
            se->statistics.wait_start = 0;
            run(6);
        } else if (sw.schedstats_switchable) {
            run(1);
        }
        timeline_erase(cfs, se);
        if (!sw.per_entity_avg) update_load_avg(cfs, se, true);
    }
    const KPtr<Rq> rq = cfs->rq.get();
    const u64 now = rq->clock_task;
    se->exec_start = now;
    cfs->curr = se.get();
    if (sw.schedstats) {
        const u64 weight = se->load.weight;
        const u64 load = rq->load.weight;
        if (load >= 2 * weight) {
            const u64 longest = se->statistics.slice_max;
            const u64 sum = se->sum_exec_runtime;
            const u64 prev = se->prev_sum_exec_runtime;
            se->statistics.slice_max = std::max(longest, sum - prev);
        }
    } else if (sw.schedstats_switchable) {
        run(1);
    }
    const u64 sum = se->sum_exec_runtime;
    se->prev_sum_exec_runtime = sum;
    run(5);
}

void put_prev_entity(KPtr<CfsRq> cfs, KPtr<SchedEntity> se) {
    const Frame frame(kPutPrev);
    const SchedSwitches& sw = kernel().sw();
    const u32 queued = se->on_rq;
    if (queued != 0) update_curr(cfs);
    run(4);  // throttle check
    if (queued != 0) {
        if (sw.schedstats) {
            const u64 now = rq_clock(cfs);
            se->statistics.wait_start = now;
        } else if (sw.schedstats_switchable) {
            run(2);
        }
        timeline_insert(cfs, se);
        update_load_avg(cfs, se, false);
    }
    cfs->curr = nullptr;
    run(4);
}

KPtr<TaskStruct> pick_next_task_fair(KPtr<Rq> rq, KPtr<TaskStruct> prev) {
    const Frame frame(kPickNextTask);
    Kernel& k = kernel();
    for (;;) {
        const KPtr<CfsRq> cfs(&rq.get()->cfs, rq.token());
        const u32 running = cfs->nr_running;
        run(3);
        if (running == 0) {
            run(3);
            if (idle_balance(rq) > 0) continue;
            return nullptr;
        }
        const KPtr<const SchedClass> cls = prev->sched_class.get();
        run(2);
        if (cls == &k.fair_class()) {
            const KPtr<SchedEntity> curr = cfs->curr.get();
            if (curr) {
                const u32 queued = curr->on_rq;
                if (queued != 0) update_curr(cfs);
                run(4);  // throttle check of the current entity's queue
            }
            const bool is_queued = curr && curr.get()->on_rq.peek() != 0;
            const KPtr<SchedEntity> se = pick_next_entity(cfs, is_queued ? curr : nullptr);
            const KPtr<TaskStruct> p(se.get()->task, se.token());
            run(6);
            // The same task again: nothing is put or set.
            if (!(p == prev)) {
                put_prev_entity(cfs, task_se(prev));
                set_next_entity(cfs, se);
            }
            return p;
        }
        cls.get()->put_prev_task(rq, prev);
        const KPtr<SchedEntity> se = pick_next_entity(cfs, nullptr);
        set_next_entity(cfs, se);
        run(6);
        return {se.get()->task, se.token()};
    }
}

}  // namespace linefill::kernel
