// SPDX-License-Identifier: Apache-2.0
// The scheduler's part of the tick, and the averages of rq.cpu_load (kernel/sched/core.c and
// cpu_load.c; kernel-paths b.1).
#include "kernel/kernel.h"
#include "kernel/sched/core.h"
#include "kernel/sched/fair.h"
#include "kernel/sched/globals.h"
#include "kernel/time/clock.h"

namespace linefill::kernel {

namespace {

const KernelFunction kSchedulerTick{"scheduler_tick", "kernel/sched/core.c", 230, 4};
const KernelFunction kCpuLoad{"cpu_load_update", "kernel/sched/fair.c", 380, 5};

/// load[i] follows the present load with weight 1/2^i; `missed` ticks before this one were idle.
void cpu_load_update(KPtr<Rq> rq, u64 now_load, u64 missed) {
    const Frame frame(kCpuLoad);
    Rq& own = *rq.get();
    rq->nr_load_updates += 1;
    own.cpu_load[0] = now_load;
    for (unsigned i = 1; i < own.cpu_load.size(); ++i) {
        const u64 scale = u64{1} << i;
        u64 old = own.cpu_load[i];
        for (u64 n = 0; n < missed && old != 0; ++n) old = old * (scale - 1) / scale;
        u64 recent = now_load;
        // Rounds up while rising, or the average would never reach the load.
        if (recent > old) recent += scale - 1;
        own.cpu_load[i] = (old * (scale - 1) + recent) >> i;
        run(8);
    }
}

}  // namespace

void update_cpu_load_active(KPtr<Rq> rq) {
    const u64 load = rq->cfs.runnable_load_avg;
    const u64 now = jiffies();
    rq->last_load_update_tick = now;
    run(4);
    cpu_load_update(rq, load, 0);
}

void update_cpu_load_nohz(u64 missed_ticks) {
    const KPtr<Rq> rq = this_rq();
    run(4);
    if (missed_ticks == 0) return;
    g_next_dep = rq.token();
    rq.get()->lock.lock();
    rq->last_load_update_tick = jiffies();
    cpu_load_update(rq, 0, missed_ticks);
    rq.get()->lock.unlock();
}

void scheduler_tick() {
    const Frame frame(kSchedulerTick);
    const KPtr<Rq> rq = this_rq();
    const KPtr<TaskStruct> curr = rq->curr.get();
    const bool pelt_new = !kernel().sw().per_entity_avg;
    rq->lock.lock();
    update_rq_clock(rq);
    call_class(curr, &SchedClass::ptr_task_tick,
               [&](const SchedClass& c) { c.task_tick(rq, curr); });
    update_cpu_load_active(rq);
    if (pelt_new) {
        // calc_global_load_tick: every five seconds a fold into the global count.
        const u64 due = rq->calc_load_update;
        const u64 now = jiffies();
        run(3);
        if (static_cast<s64>(now - due) >= 0) {
            rq->calc_load_update = now + 5 * static_cast<u64>(kernel().spec().hz()) + 1;
        }
    }
    rq.get()->lock.unlock();
    run(6);  // perf's tick: no events to rotate
    const bool idle = idle_cpu(static_cast<int>(rq.get()->host_cpu));
    rq->idle_balance = static_cast<u8>(idle ? 1 : 0);
    trigger_load_balance(rq);
}

}  // namespace linefill::kernel
