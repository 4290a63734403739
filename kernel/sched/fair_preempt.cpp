// SPDX-License-Identifier: Apache-2.0
// CFS: buddies, and whether a waking task preempts the current one (kernel/sched/fair.c).
#include "kernel/kernel.h"
#include "kernel/sched/fair.h"
#include "kernel/sched/globals.h"
#include "kernel/sched/weight.h"

namespace linefill::kernel {

namespace {

const KernelFunction kCheckPreemptWakeup{"check_preempt_wakeup", "kernel/sched/fair.c", 640, 5};
const KernelFunction kPreemptEntity{"wakeup_preempt_entity", "kernel/sched/fair.c", 100, 2};
const KernelFunction kClearBuddies{"clear_buddies", "kernel/sched/fair.c", 180, 0};

/// Clears `slot` (next, last or skip) if it names `se`, on every level of its queues.
void clear_buddy(KPtr<SchedEntity> se, PtrField<SchedEntity> CfsRq::*slot) {
    for (KPtr<SchedEntity> level = se; level; level = level->parent.get()) {
        const KPtr<CfsRq> cfs = level->cfs_rq.get();
        const KPtr<SchedEntity> named = ((*cfs).*slot).get();
        run(2);
        if (!(named == level)) break;
        (*cfs).*slot = nullptr;
    }
}

void set_buddy(KPtr<SchedEntity> se, PtrField<SchedEntity> CfsRq::*slot) {
    for (KPtr<SchedEntity> level = se; level; level = level->parent.get()) {
        const KPtr<CfsRq> cfs = level->cfs_rq.get();
        (*cfs).*slot = level.get();
        run(1);
    }
}

}  // namespace

void clear_buddies(KPtr<CfsRq> cfs, KPtr<SchedEntity> se) {
    const Frame frame(kClearBuddies);
    const KPtr<SchedEntity> last = cfs->last.get();
    const KPtr<SchedEntity> next = cfs->next.get();
    const KPtr<SchedEntity> skip = cfs->skip.get();
    run(4);
    if (!se) return;
    if (last == se) clear_buddy(se, &CfsRq::last);
    if (next == se) clear_buddy(se, &CfsRq::next);
    if (skip == se) clear_buddy(se, &CfsRq::skip);
}

void set_last_buddy(KPtr<SchedEntity> se) { set_buddy(se, &CfsRq::last); }
void set_next_buddy(KPtr<SchedEntity> se) { set_buddy(se, &CfsRq::next); }
void set_skip_buddy(KPtr<SchedEntity> se) { set_buddy(se, &CfsRq::skip); }

int wakeup_preempt_entity(KPtr<SchedEntity> curr, KPtr<SchedEntity> se) {
    const Frame frame(kPreemptEntity);
    const u64 own = curr->vruntime;
    const u64 theirs = se->vruntime;
    const auto ahead = static_cast<s64>(own - theirs);
    run(4);
    if (ahead <= 0) return -1;
    // The granularity in the waking task's virtual time: harder for a light task.
    (void)sched_globals().sysctl_wakeup_granularity.load();
    const u64 gran = calc_delta_fair(sched_globals().tunables.wakeup_granularity_ns, se);
    return ahead > static_cast<s64>(gran) ? 1 : 0;
}

void check_preempt_wakeup(KPtr<Rq> rq, KPtr<TaskStruct> p) {
    const Frame frame(kCheckPreemptWakeup);
    const KPtr<TaskStruct> curr = rq->curr.get();
    const KPtr<SchedEntity> se = task_se(curr);
    const KPtr<SchedEntity> pse = task_se(p);
    const KPtr<CfsRq> cfs = se->cfs_rq.get();
    const u32 running = cfs->nr_running;
    run(10);
    if (se == pse) return;
    const KPtr<ThreadInfo> ti = curr->stack.get();
    const u32 flags = ti->flags;
    if ((flags & kTifNeedResched) != 0) return;
    (void)curr->policy.load();
    (void)p->policy.load();
    run(6);
    update_curr(cfs);
    if (wakeup_preempt_entity(se, pse) != 1) return;
    set_next_buddy(pse);
    resched_curr(rq);
    const u32 queued = se->on_rq;
    run(5);
    if (queued == 0 || curr == rq.get()->idle.peek()) return;
    if (running >= kSchedNrLatency) set_last_buddy(se);
}

}  // namespace linefill::kernel
