// SPDX-License-Identifier: Apache-2.0
// Load tracking before v4.3 (kernel/sched/fair.c of v3.18). Simplified: the task group's sums over
// CPUs (tg.load_avg, tg.runnable_avg) are not kept; with tasks in the root group nothing reads them.
#include "kernel/sched/pelt_v3_18.h"

#include "kernel/kernel.h"
#include "kernel/sched/fair.h"
#include "kernel/sched/pelt_math.h"
#include "kernel/sched/weight.h"

namespace linefill::kernel::v3_18 {

namespace {

const KernelFunction kRunnable{"__update_entity_runnable_avg", "kernel/sched/fair.c v3.18", 300, 3};
const KernelFunction kLoadAvg{"update_entity_load_avg", "kernel/sched/fair.c v3.18", 480, 4};
const KernelFunction kBlocked{"update_cfs_rq_blocked_load", "kernel/sched/fair.c v3.18", 280, 4};

/// True if a period of 1024 us has ended.
bool update_runnable(SchedAvg& sa, Token dep, u64 now, bool runnable) {
    const InlineFrame frame(kRunnable);
    g_next_dep = dep;
    const u64 last = sa.last_runnable_update;
    run(4);
    if (now < last) {
        g_next_dep = dep;
        sa.last_runnable_update = now;
        return false;
    }
    u64 delta = (now - last) >> 10;
    if (delta == 0) return false;
    g_next_dep = dep;
    sa.last_runnable_update = now;
    g_next_dep = dep;
    u64 period = sa.runnable_avg_period;
    u64 sum = sa.runnable_avg_sum.host();
    const u64 begun = period % kPeltPeriod;
    bool decayed = false;
    run(5);
    if (delta + begun >= kPeltPeriod) {
        decayed = true;
        const u64 rest = kPeltPeriod - begun;
        if (runnable) sum += rest;
        period += rest;
        delta -= rest;
        const u64 periods = delta / kPeltPeriod;
        delta %= kPeltPeriod;
        sum = decay_load(sum, periods + 1);
        period = decay_load(period, periods + 1);
        const u64 more = pelt_contribution(periods);
        if (runnable) sum += more;
        period += more;
        g_next_dep = dep;
        sa.runnable_avg_sum = static_cast<u32>(sum);
        g_next_dep = dep;
        sa.runnable_avg_period = static_cast<u32>(period);
        run(20 + 2 * decay_load_cost(periods));
    }
    if (runnable) {
        g_next_dep = dep;
        (void)sa.runnable_avg_sum.load();
        g_next_dep = dep;
        sa.runnable_avg_sum = static_cast<u32>(sum + delta);
    }
    g_next_dep = dep;
    sa.runnable_avg_period = static_cast<u32>(period + delta);
    run(3);
    return decayed;
}

/// The entity's share of its weight; returns by how much it has changed.
s64 update_contribution(KPtr<SchedEntity> se) {
    SchedEntity& e = *se.get();
    const u64 old = se->avg.load_avg_contrib;
    const u64 sum = e.avg.runnable_avg_sum;
    const u64 period = e.avg.runnable_avg_period;
    const u64 weight = scale_load_down(se->load.weight);
    const u64 now = sum * weight / (period + 1);
    run(28);  // with the 64-bit divide
    e.avg.load_avg_contrib = now;
    return static_cast<s64>(now - old);
}

void subtract_blocked(KPtr<CfsRq> cfs, u64 load) {
    const u64 blocked = cfs->blocked_load_avg;
    cfs->blocked_load_avg = blocked > load ? blocked - load : 0;
    run(3);
}

/// Applies the decays that the queue has seen since the entity went to sleep.
u64 synchronize_decay(KPtr<SchedEntity> se) {
    const KPtr<CfsRq> cfs = se->cfs_rq.get();
    const u64 counter = cfs->decay_counter;
    const s64 since = se->avg.decay_count;
    const u64 decays = counter - static_cast<u64>(since);
    se->avg.decay_count = 0;
    run(4);
    if (decays == 0) return 0;
    const u64 contribution = se->avg.load_avg_contrib;
    se->avg.load_avg_contrib = decay_load(contribution, decays);
    run(decay_load_cost(decays));
    return decays;
}

}  // namespace

void update_entity_load_avg(KPtr<CfsRq> cfs, KPtr<SchedEntity> se, bool update_queue) {
    const Frame frame(kLoadAvg);
    const KPtr<Rq> rq = cfs->rq.get();
    const u64 now = rq->clock_task;
    const u32 on_rq = se->on_rq;
    run(6);
    if (!update_runnable(se.get()->avg, se.token(), now, on_rq != 0)) return;
    const s64 delta = update_contribution(se);
    if (!update_queue) return;
    if (on_rq != 0) {
        const u64 load = cfs->runnable_load_avg;
        cfs->runnable_load_avg = load + static_cast<u64>(delta);
    } else {
        subtract_blocked(cfs, static_cast<u64>(-delta));
    }
}

void update_cfs_rq_blocked_load(KPtr<CfsRq> cfs, bool force) {
    const Frame frame(kBlocked);
    const KPtr<Rq> rq = cfs->rq.get();
    const u64 now = rq->clock_task >> 20;
    const u64 last = cfs->last_decay;
    const u64 decays = now - last;
    run(5);
    if (decays == 0 && !force) return;
    const s64 removed = cfs->removed_load;
    if (removed != 0) {
        g_next_dep = cfs.token();
        subtract_blocked(cfs, static_cast<u64>(cfs.get()->removed_load.xchg(0)));
    }
    if (decays != 0) {
        const u64 blocked = cfs->blocked_load_avg;
        cfs->blocked_load_avg = decay_load(blocked, decays);
        g_next_dep = cfs.token();
        cfs.get()->decay_counter.fetch_add(decays);
        cfs->last_decay = now;
        run(decay_load_cost(decays));
    }
    run(8);
}

void enqueue_entity_load_avg(KPtr<CfsRq> cfs, KPtr<SchedEntity> se, unsigned flags) {
    bool wakeup = (flags & kEnqueueWakeup) != 0;
    const s64 count = se->avg.decay_count;
    run(3);
    if (count <= 0) {
        const KPtr<Rq> rq = cfs->rq.get();
        u64 last = rq->clock_task;
        if (count != 0) last -= static_cast<u64>(-count) << 20;
        se->avg.last_runnable_update = last;
        if (count != 0) {
            update_entity_load_avg(cfs, se, false);
            se->avg.decay_count = 0;
        }
        wakeup = false;
    } else {
        synchronize_decay(se);
    }
    if (wakeup) {
        const u64 contribution = se->avg.load_avg_contrib;
        subtract_blocked(cfs, contribution);
        update_entity_load_avg(cfs, se, false);
    }
    const u64 contribution = se->avg.load_avg_contrib;
    cfs->runnable_load_avg += contribution;
    update_cfs_rq_blocked_load(cfs, !wakeup);
}

void dequeue_entity_load_avg(KPtr<CfsRq> cfs, KPtr<SchedEntity> se, unsigned flags) {
    const bool sleep = (flags & kDequeueSleep) != 0;
    update_entity_load_avg(cfs, se, true);
    update_cfs_rq_blocked_load(cfs, !sleep);
    const u64 contribution = se->avg.load_avg_contrib;
    const u64 load = cfs->runnable_load_avg;
    cfs->runnable_load_avg = load > contribution ? load - contribution : 0;
    run(4);
    if (!sleep) return;
    cfs->blocked_load_avg += contribution;
    const u64 counter = cfs->decay_counter;
    se->avg.decay_count = static_cast<s64>(counter);
}

void init_task_runnable_average(KPtr<SchedEntity> se) {
    const KPtr<CfsRq> cfs = se->cfs_rq.get();
    const u64 slice = sched_slice(cfs, se) >> 10;
    SchedAvg& sa = se.get()->avg;
    sa.runnable_avg_sum = static_cast<u32>(slice);
    sa.runnable_avg_period = static_cast<u32>(slice);
    sa.decay_count = 0;
    update_contribution(se);
}

void remove_entity_load_avg(KPtr<SchedEntity> se) {
    const s64 count = se->avg.decay_count;
    run(2);
    if (count == 0) return;
    const KPtr<CfsRq> cfs = se->cfs_rq.get();
    const u64 decays = synchronize_decay(se);
    se->avg.decay_count = -static_cast<s64>(decays);
    const u64 contribution = se->avg.load_avg_contrib;
    g_next_dep = cfs.token();
    cfs.get()->removed_load.fetch_add(static_cast<s64>(contribution));
}

void update_rq_runnable_avg(KPtr<Rq> rq, bool runnable) {
    const u64 now = rq->clock_task;
    run(4);
    update_runnable(rq.get()->avg, rq.token(), now, runnable);
}

}  // namespace linefill::kernel::v3_18
