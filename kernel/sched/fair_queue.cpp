// SPDX-License-Identifier: Apache-2.0
// CFS: the timeline, and entities joining and leaving a queue (kernel/sched/fair.c).
#include "kernel/kernel.h"
#include "kernel/sched/fair.h"
#include "kernel/sched/globals.h"
#include "kernel/sched/weight.h"

namespace linefill::kernel {

namespace {

const KernelFunction kEnqueueEntity{"enqueue_entity", "kernel/sched/fair.c", 2075, 6};
const KernelFunction kDequeueEntity{"dequeue_entity", "kernel/sched/fair.c", 650, 5};
const KernelFunction kRbInsert{"rb_insert_color", "lib/rbtree.c", 340, 2};
const KernelFunction kRbErase{"rb_erase", "lib/rbtree.c", 640, 1};
const KernelFunction kRbNext{"rb_next", "lib/rbtree.c", 90, 0};

u64 rq_clock(KPtr<CfsRq> cfs) {
    const KPtr<Rq> rq = cfs->rq.get();
    return rq->clock;
}

void account_enqueue(KPtr<CfsRq> cfs, KPtr<SchedEntity> se) {
    const u64 weight = se->load.weight;
    g_next_dep = cfs.token();
    update_load_add(cfs.get()->load, weight);
    const KPtr<SchedEntity> parent = se->parent.get();
    const KPtr<Rq> rq = cfs->rq.get();
    if (!parent) update_load_add(rq.get()->load, weight);
    if (entity_is_task(se)) list_add_head(rq.get()->cfs_tasks, *se.get(), &SchedEntity::group_node);
    cfs->nr_running += 1;
    run(8);
}

void account_dequeue(KPtr<CfsRq> cfs, KPtr<SchedEntity> se) {
    const u64 weight = se->load.weight;
    g_next_dep = cfs.token();
    update_load_sub(cfs.get()->load, weight);
    const KPtr<SchedEntity> parent = se->parent.get();
    const KPtr<Rq> rq = cfs->rq.get();
    if (!parent) update_load_sub(rq.get()->load, weight);
    if (entity_is_task(se)) list_del(rq.get()->cfs_tasks, *se.get(), &SchedEntity::group_node);
    cfs->nr_running -= 1;
    run(8);
}

/// Statistics of a sleep that has ended (schedstats).
void enqueue_sleeper(KPtr<CfsRq> cfs, KPtr<SchedEntity> se) {
    SchedStatistics& s = se.get()->statistics;
    const u64 slept = s.sleep_start;
    const u64 blocked = s.block_start;
    run(4);
    for (int i = 0; i < 2; ++i) {
        const u64 since = i == 0 ? slept : blocked;
        if (since == 0) continue;
        const u64 now = rq_clock(cfs);
        const u64 delta = now > since ? now - since : 0;
        Field<u64>& longest = i == 0 ? s.sleep_max : s.block_max;
        const u64 old = longest;
        if (delta > old) longest = delta;
        (i == 0 ? s.sleep_start : s.block_start) = 0;
        s.sum_sleep_runtime += delta;
        run(10);
    }
}

void check_spread(KPtr<CfsRq> cfs, KPtr<SchedEntity> se) {
    const u64 own = se->vruntime;
    const u64 min = cfs->min_vruntime;
    auto apart = static_cast<s64>(own - min);
    if (apart < 0) apart = -apart;
    run(4);
    if (static_cast<u64>(apart) > 3 * sched_globals().tunables.latency_ns) cfs->nr_spread_over += 1;
}

}  // namespace

void timeline_insert(KPtr<CfsRq> cfs, KPtr<SchedEntity> se) {
    CfsRq& q = *cfs.get();
    SchedEntity& entity = *se.get();
    const u64 key = se->vruntime;
    RbNode* parent = nullptr;
    PtrField<RbNode>* link = &q.tasks_timeline.rb_node;
    bool is_leftmost = true;
    g_next_dep = cfs.token();
    for (KPtr<RbNode> n = link->get(); n; n = link->get()) {
        const KPtr<SchedEntity> other(SchedEntity::of(n.get()), n.token());
        const u64 theirs = other->vruntime;
        parent = n.get();
        run(3);
        g_next_dep = n.token();
        if (static_cast<s64>(key - theirs) < 0) {
            link = &parent->rb_left;
        } else {
            link = &parent->rb_right;
            is_leftmost = false;
        }
    }
    if (is_leftmost) q.rb_leftmost = &entity.run_node;
    rb_link_node(entity.run_node, parent, *link);
    const Frame frame(kRbInsert);
    rb_insert_color(entity.run_node, q.tasks_timeline);
}

void timeline_erase(KPtr<CfsRq> cfs, KPtr<SchedEntity> se) {
    CfsRq& q = *cfs.get();
    RbNode& node = se.get()->run_node;
    const KPtr<RbNode> leftmost = cfs->rb_leftmost.get();
    run(2);
    if (leftmost == &node) {
        const Frame frame(kRbNext);
        const KPtr<RbNode> next = rb_next(KPtr<RbNode>(&node, se.token()));
        q.rb_leftmost = next.get();
    }
    const Frame frame(kRbErase);
    rb_erase(node, q.tasks_timeline);
}

void place_entity(KPtr<CfsRq> cfs, KPtr<SchedEntity> se, bool initial) {
    u64 vruntime = cfs->min_vruntime;
    run(4);
    if (initial) {
        // START_DEBIT: a new task has its first slice behind it.
        vruntime += sched_vslice(cfs, se);
    } else {
        // GENTLE_FAIR_SLEEPERS: half a latency's credit for sleep.
        (void)sched_globals().sysctl_latency.load();
        vruntime -= sched_globals().tunables.latency_ns / 2;
    }
    // Time is never gained by being placed backwards.
    const u64 own = se->vruntime;
    se->vruntime = max_vruntime(own, vruntime);
    run(3);
}

void enqueue_entity(KPtr<CfsRq> cfs, KPtr<SchedEntity> se, unsigned flags) {
    const Frame frame(kEnqueueEntity);
    const SchedSwitches& sw = kernel().sw();
    // On migration vruntime came without its queue's base; before v4.7 on every wake-up too.
    const bool is_relative = (flags & kEnqueueWakeup) == 0 || (flags & kEnqueueMigrated) != 0;
    const KPtr<SchedEntity> running_now = cfs->curr.get();
    run(6);
    // Before the update for the running entity, whose vruntime the update advances; after it for
    // others, so that they get the queue's newest base.
    if (is_relative && running_now == se) {
        const u64 min = cfs->min_vruntime;
        se->vruntime += min;
    }
    update_curr(cfs);
    if (is_relative && !(running_now == se)) {
        const u64 min = cfs->min_vruntime;
        se->vruntime += min;
    }
    enqueue_entity_load_avg(cfs, se, flags);
    account_enqueue(cfs, se);
    run(4);  // update_cfs_shares: nothing at the root
    if ((flags & kEnqueueWakeup) != 0) {
        place_entity(cfs, se, false);
        if (sw.schedstats) enqueue_sleeper(cfs, se);
    }
    const KPtr<SchedEntity> curr = cfs->curr.get();
    if (sw.schedstats) {
        if (!(curr == se)) {
            const u64 now = rq_clock(cfs);
            se->statistics.wait_start = now;
        }
        check_spread(cfs, se);
    } else if (sw.schedstats_switchable) {
        run(2);
    }
    if (!(curr == se)) timeline_insert(cfs, se);
    se->on_rq = 1;
    const u32 running = cfs->nr_running;
    run(6);
    if (running == 1) run(8);  // leaf list, throttle check
}

void dequeue_entity(KPtr<CfsRq> cfs, KPtr<SchedEntity> se, unsigned flags) {
    const Frame frame(kDequeueEntity);
    const SchedSwitches& sw = kernel().sw();
    const bool sleep = (flags & kDequeueSleep) != 0;
    update_curr(cfs);
    dequeue_entity_load_avg(cfs, se, flags);
    if (sw.schedstats) {
        const KPtr<SchedEntity> running = cfs->curr.get();
        if (!(running == se)) {
            const u64 since = se->statistics.wait_start;
            const u64 now = rq_clock(cfs);
            const u64 longest = se->statistics.wait_max;
            se->statistics.wait_max = std::max(longest, now - since);
            se->statistics.wait_count += 1;
            se->statistics.wait_sum += now - since;
            se->statistics.wait_start = 0;
            run(6);
        }
        if (sleep) {
            const KPtr<TaskStruct> task(se.get()->task, se.token());
            const s64 state = task->state;
            const u64 now = rq_clock(cfs);
            if ((state & kTaskInterruptible) != 0) {
                se->statistics.sleep_start = now;
            } else {
                se->statistics.block_start = now;
            }
            run(4);
        }
    } else if (sw.schedstats_switchable) {
        run(1);
    }
    clear_buddies(cfs, se);
    const KPtr<SchedEntity> curr = cfs->curr.get();
    run(2);
    if (!(curr == se)) timeline_erase(cfs, se);
    se->on_rq = 0;
    account_dequeue(cfs, se);
    // A sleeper keeps its absolute vruntime, anyone else takes only the difference along.
    if (!sleep) {
        const u64 min = cfs->min_vruntime;
        se->vruntime -= min;
    }
    const u64 min = cfs->min_vruntime;
    const KPtr<SchedEntity> still = cfs->curr.get();
    const KPtr<RbNode> leftmost = cfs->rb_leftmost.get();
    u64 vruntime = min;
    if (still) vruntime = still->vruntime;
    if (leftmost) {
        const KPtr<SchedEntity> first(SchedEntity::of(leftmost.get()), leftmost.token());
        const u64 waiting = first->vruntime;
        vruntime = still ? min_vruntime(vruntime, waiting) : waiting;
    }
    cfs->min_vruntime = max_vruntime(min, vruntime);
    run(14);
}

}  // namespace linefill::kernel
