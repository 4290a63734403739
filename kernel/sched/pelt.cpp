// SPDX-License-Identifier: Apache-2.0
// Load averages of entities and queues from v4.3 on (kernel/sched/fair.c of v4.7). Kernels before
// use pelt_v3_18.cpp.
#include "kernel/kernel.h"
#include "kernel/sched/fair.h"
#include "kernel/sched/globals.h"
#include "kernel/sched/pelt_math.h"
#include "kernel/sched/pelt_v3_18.h"
#include "kernel/sched/weight.h"

namespace linefill::kernel {

namespace {

const KernelFunction kUpdateLoadAvg{"__update_load_avg", "kernel/sched/fair.c", 730, 5};
const KernelFunction kUpdate{"update_load_avg", "kernel/sched/fair.c", 730, 5};
const KernelFunction kAttach{"attach_entity_load_avg", "kernel/sched/fair.c", 160, 1};
const KernelFunction kRemove{"remove_entity_load_avg", "kernel/sched/fair.c", 150, 3};
const KernelFunction kBlocked{"update_blocked_averages", "kernel/sched/fair.c", 300, 6};
const KernelFunction kInitLoad{"init_entity_runnable_average", "kernel/sched/fair.c", 110, 0};

/// Brings one sched_avg up to `now`; `cfs` if it is the queue's own. True if a period has ended.
bool accumulate(SchedAvg& sa, Token dep, u64 now, u64 weight, bool running, CfsRq* cfs) {
    const Frame frame(kUpdateLoadAvg);
    g_next_dep = dep;
    PeltSums s;
    s.last_update_time = sa.last_update_time;
    run(6);
    if (now >= s.last_update_time && ((now - s.last_update_time) >> 10) == 0) return false;
    g_next_dep = dep;
    s.period_contrib = sa.period_contrib;
    s.load_sum = sa.load_sum.host();
    s.util_sum = sa.util_sum.host();
    if (cfs != nullptr) s.runnable_load_sum = cfs->runnable_load_sum.host();
    const u64 periods = (now - s.last_update_time) >> 20;
    const PeltUpdate did = pelt_accumulate(s, now, weight, running);
    g_next_dep = dep;
    sa.last_update_time = s.last_update_time;
    if (did == PeltUpdate::kResync) return false;
    run(8);
    // Read, changed and written back once per partial sum; a crossed period does all of it again.
    const int rounds = did == PeltUpdate::kDecayed ? 3 : 1;
    for (int i = 0; i < rounds; ++i) {
        if (weight != 0 || i == 1) {
            g_next_dep = dep;
            (void)sa.load_sum.load();
            g_next_dep = dep;
            sa.load_sum = s.load_sum;
            if (cfs != nullptr) {
                g_next_dep = dep;
                (void)cfs->runnable_load_sum.load();
                g_next_dep = dep;
                cfs->runnable_load_sum = s.runnable_load_sum;
            }
            run(4);
        }
        if (running || i == 1) {
            g_next_dep = dep;
            (void)sa.util_sum.load();
            g_next_dep = dep;
            sa.util_sum = s.util_sum;
            run(3);
        }
    }
    g_next_dep = dep;
    sa.period_contrib = s.period_contrib;
    if (did != PeltUpdate::kDecayed) return false;
    run(10 + 3 * decay_load_cost(periods));
    g_next_dep = dep;
    sa.load_avg = s.load_sum / kLoadAvgMax;
    if (cfs != nullptr) {
        g_next_dep = dep;
        cfs->runnable_load_avg = s.runnable_load_sum / kLoadAvgMax;
    }
    g_next_dep = dep;
    sa.util_avg = s.util_sum / kLoadAvgMax;
    // The divides by 47742 are multiplications with its inverse or 64/32 divides of some 26 cycles.
    run(24);
    return true;
}

/// What left this queue while others held its lock, and the queue's own average.
bool update_cfs_rq_load_avg(KPtr<CfsRq> cfs, u64 now) {
    bool removed = false;
    const s64 gone = cfs->removed_load_avg;
    if (gone != 0) {
        const auto r = static_cast<u64>(cfs->removed_load_avg.xchg(0));
        CfsRq& q = *cfs.get();
        const u64 avg = q.avg.load_avg;
        q.avg.load_avg = avg > r ? avg - r : 0;
        const u64 sum = q.avg.load_sum;
        q.avg.load_sum = sum > r * kLoadAvgMax ? sum - r * kLoadAvgMax : 0;
        removed = true;
    }
    const s64 gone_util = cfs->removed_util_avg;
    if (gone_util != 0) {
        const auto r = static_cast<u64>(cfs->removed_util_avg.xchg(0));
        CfsRq& q = *cfs.get();
        const u64 avg = q.avg.util_avg;
        q.avg.util_avg = avg > r ? avg - r : 0;
        const u64 sum = q.avg.util_sum;
        q.avg.util_sum = static_cast<u32>(sum > r * kLoadAvgMax ? sum - r * kLoadAvgMax : 0);
    }
    const u64 weight = scale_load_down(cfs->load.weight);
    const KPtr<SchedEntity> curr = cfs->curr.get();
    run(6);
    const bool decayed =
        accumulate(cfs.get()->avg, cfs.token(), now, weight, bool(curr), cfs.get());
    return decayed || removed;
}

u64 cfs_rq_clock_task(KPtr<CfsRq> cfs) {
    const KPtr<Rq> rq = cfs->rq.get();
    (void)cfs->throttle_count.load();
    run(3);
    return rq->clock_task;
}

u64 se_weight(KPtr<SchedEntity> se) {
    const u32 on = se->on_rq;
    const u64 weight = se->load.weight;
    run(2);
    return on * scale_load_down(weight);
}

void attach_entity_load_avg(KPtr<CfsRq> cfs, KPtr<SchedEntity> se) {
    const Frame frame(kAttach);
    SchedEntity& e = *se.get();
    CfsRq& q = *cfs.get();
    const u64 last = se->avg.last_update_time;
    if (last != 0) {
        const u64 now = q.avg.last_update_time;
        accumulate(e.avg, se.token(), now, 0, false, nullptr);
    }
    const u64 queue_time = q.avg.last_update_time;
    e.avg.last_update_time = queue_time;
    const u64 load_avg = e.avg.load_avg;
    const u64 load_sum = e.avg.load_sum;
    const u64 util_avg = e.avg.util_avg;
    const u32 util_sum = e.avg.util_sum;
    q.avg.load_avg += load_avg;
    q.avg.load_sum += load_sum;
    q.avg.util_avg += util_avg;
    q.avg.util_sum += util_sum;
    run(8);
}

}  // namespace

void update_load_avg(KPtr<CfsRq> cfs, KPtr<SchedEntity> se, bool update_tg) {
    (void)update_tg;  // the root group keeps no sum over CPUs
    if (kernel().sw().per_entity_avg) return v3_18::update_entity_load_avg(cfs, se, true);
    const Frame frame(kUpdate);
    const u64 now = cfs_rq_clock_task(cfs);
    const u64 weight = se_weight(se);
    const KPtr<SchedEntity> curr = cfs->curr.get();
    accumulate(se.get()->avg, se.token(), now, weight, curr == se, nullptr);
    update_cfs_rq_load_avg(cfs, now);
    run(6);
}

void enqueue_entity_load_avg(KPtr<CfsRq> cfs, KPtr<SchedEntity> se, unsigned flags) {
    if (kernel().sw().per_entity_avg) return v3_18::enqueue_entity_load_avg(cfs, se, flags);
    const u64 last = se->avg.last_update_time;
    const u64 now = cfs_rq_clock_task(cfs);
    if (last != 0) {
        const u64 weight = se_weight(se);
        const KPtr<SchedEntity> curr = cfs->curr.get();
        accumulate(se.get()->avg, se.token(), now, weight, curr == se, nullptr);
    }
    update_cfs_rq_load_avg(cfs, now);
    const u64 avg = se->avg.load_avg;
    cfs->runnable_load_avg += avg;
    const u64 sum = se->avg.load_sum;
    cfs->runnable_load_sum += sum;
    run(6);
    // 0 marks an entity that comes from another queue, or is new.
    if (last == 0) attach_entity_load_avg(cfs, se);
}

void dequeue_entity_load_avg(KPtr<CfsRq> cfs, KPtr<SchedEntity> se, unsigned flags) {
    if (kernel().sw().per_entity_avg) return v3_18::dequeue_entity_load_avg(cfs, se, flags);
    update_load_avg(cfs, se, true);
    const u64 own = se->avg.load_avg;
    const u64 avg = cfs->runnable_load_avg;
    cfs->runnable_load_avg = avg > own ? avg - own : 0;
    const u64 own_sum = se->avg.load_sum;
    const u64 sum = cfs->runnable_load_sum;
    cfs->runnable_load_sum = sum > own_sum ? sum - own_sum : 0;
    run(6);
}

void init_entity_load(KPtr<TaskStruct> p) {
    const KPtr<SchedEntity> se = task_se(p);
    if (kernel().sw().per_entity_avg) return v3_18::init_task_runnable_average(se);
    const Frame frame(kInitLoad);
    const u64 weight = scale_load_down(se->load.weight);
    SchedAvg& sa = se.get()->avg;
    // As if it had always run: a new task counts with its full weight.
    sa.last_update_time = 0;
    sa.period_contrib = kPeltPeriod - 1;
    sa.load_avg = weight;
    sa.load_sum = weight * kLoadAvgMax;
    sa.util_avg = 0;
    sa.util_sum = 0;
    // post_init_entity_util_avg: what its queue's utilisation suggests, at most half of the rest.
    CfsRq& cfs = *se.get()->cfs_rq.get().get();
    const u64 used = cfs.avg.util_avg;
    const s64 cap = (1024 - static_cast<s64>(used)) / 2;
    run(12);
    if (cap <= 0) return;
    u64 util = static_cast<u64>(cap);
    if (used != 0) {
        const u64 load = cfs.avg.load_avg;
        util = used * weight / (load + 1);
        if (util > static_cast<u64>(cap)) util = static_cast<u64>(cap);
    }
    sa.util_avg = util;
    sa.util_sum = static_cast<u32>(util * kLoadAvgMax);
}

void remove_entity_load_avg(KPtr<SchedEntity> se) {
    if (kernel().sw().per_entity_avg) return v3_18::remove_entity_load_avg(se);
    const Frame frame(kRemove);
    const KPtr<CfsRq> cfs = se->cfs_rq.get();
    const u64 last = se->avg.last_update_time;
    run(2);
    if (last == 0) return;
    const u64 queue_time = cfs->avg.last_update_time;
    accumulate(se.get()->avg, se.token(), queue_time, 0, false, nullptr);
    const u64 load = se->avg.load_avg;
    g_next_dep = cfs.token();
    cfs.get()->removed_load_avg.fetch_add(static_cast<s64>(load));
    const u64 util = se->avg.util_avg;
    g_next_dep = cfs.token();
    cfs.get()->removed_util_avg.fetch_add(static_cast<s64>(util));
}

void update_blocked_averages(KPtr<Rq> rq) {
    const Frame frame(kBlocked);
    const IrqFlags flags = rq->lock.lock_irqsave();
    update_rq_clock(rq);
    const KPtr<CfsRq> cfs(&rq.get()->cfs, rq.token());
    run(10);
    if (kernel().sw().per_entity_avg) {
        v3_18::update_cfs_rq_blocked_load(cfs, true);
    } else {
        update_cfs_rq_load_avg(cfs, cfs_rq_clock_task(cfs));
    }
    rq.get()->lock.unlock_irqrestore(flags);
}

void update_rq_runnable_avg(KPtr<Rq> rq, bool runnable) {
    if (kernel().sw().per_entity_avg) v3_18::update_rq_runnable_avg(rq, runnable);
}

}  // namespace linefill::kernel
