// SPDX-License-Identifier: Apache-2.0
// The run queue's clock and a task's run time up to now, in the variants that patches differ in
// (kernel/sched/core.c; kernel-paths a.1, and a.2 steps 6 and 11 to 20).
#include "kernel/kernel.h"
#include "kernel/sched/core.h"
#include "kernel/time/clock.h"

namespace linefill::kernel {

namespace {

const KernelFunction kUpdateRqClock{"update_rq_clock", "kernel/sched/core.c", 90, 2};
const KernelFunction kTaskSchedRuntime{"task_sched_runtime", "kernel/sched/core.c", 290, 4};
const KernelFunction kTaskDeltaExec{"task_delta_exec", "kernel/sched/core.c v3.17", 150, 3};
const KernelFunction kPrefetchCurr{"prefetch_curr_exec_start", "kernel/sched/core.c v4.8", 40, 0};

/// Added by prefetch-curr-exec-start: starts the chain of loads that update_curr will follow while
/// update_rq_clock's own misses are under way. Read intent: the stores still pay for ownership.
void prefetch_curr(KPtr<TaskStruct> p) {
    const InlineFrame frame(kPrefetchCurr);
    const KPtr<CfsRq> cfs = p->se.cfs_rq.get();
    const KPtr<SchedEntity> curr = cfs->curr.get();
    g_next_dep = curr.token();
    curr.get()->load.weight.prefetch();
    g_next_dep = curr.token();
    curr.get()->exec_start.prefetch();
}

bool is_current_and_queued(KPtr<Rq> rq, KPtr<TaskStruct> p) {
    const KPtr<TaskStruct> curr = rq->curr.get();
    run(2);
    if (!(curr == p)) return false;
    const int on_rq = p->on_rq;
    run(2);
    return on_rq == kTaskOnRqQueued;
}

/// Time that p has run since its last update; nothing is written but the queue's clock.
u64 delta_exec(KPtr<Rq> rq, KPtr<TaskStruct> p) {
    if (!is_current_and_queued(rq, p)) return 0;
    update_rq_clock(rq);
    const u64 now = rq->clock_task;
    const u64 start = p->se.exec_start;
    run(3);
    return static_cast<s64>(now - start) > 0 ? now - start : 0;
}

}  // namespace

void update_rq_clock(KPtr<Rq> rq) {
    const Frame frame(kUpdateRqClock);
    const int skip = rq->clock_skip_update;
    run(2);
    if ((skip & kRqcfActSkip) != 0) return;
    const int cpu = rq->cpu;
    const u64 now = sched_clock_cpu(static_cast<unsigned>(cpu));
    const u64 clock = rq->clock;
    const auto delta = static_cast<s64>(now - clock);
    run(3);
    if (delta < 0) return;
    rq->clock = clock + static_cast<u64>(delta);
    const u64 task_clock = rq->clock_task;
    rq->clock_task = task_clock + static_cast<u64>(delta);
}

u64 task_sched_runtime(KPtr<TaskStruct> p) {
    const Frame frame(kTaskSchedRuntime);
    const SchedSwitches& sw = kernel().sw();
    // A task that does not run has no time pending; a race with its start is like reading earlier.
    const int on_cpu = p->on_cpu;
    run(7);
    if (on_cpu == 0) return p->se.sum_exec_runtime;
    const int on_rq = p->on_rq;
    run(2);
    if (on_rq != kTaskOnRqQueued) return p->se.sum_exec_runtime;

    IrqFlags flags = false;
    const KPtr<Rq> rq = task_rq_lock(p, flags);
    u64 ns = 0;
    if (sw.update_curr_on_clock_read) {
        if (is_current_and_queued(rq, p)) {
            if (sw.prefetch_curr_exec_start) prefetch_curr(p);
            update_rq_clock(rq);
            call_class(p, &SchedClass::ptr_update_curr,
                       [&](const SchedClass& c) { c.update_curr(rq); });
        }
        ns = p->se.sum_exec_runtime;
    } else {
        ns = p->se.sum_exec_runtime;
        ns += delta_exec(rq, p);
    }
    task_rq_unlock(rq, p, flags);
    return ns;
}

u64 task_delta_exec(KPtr<TaskStruct> p) {
    if (kernel().sw().update_curr_on_clock_read) return 0;
    const Frame frame(kTaskDeltaExec);
    IrqFlags flags = false;
    const KPtr<Rq> rq = task_rq_lock(p, flags);
    const u64 ns = delta_exec(rq, p);
    task_rq_unlock(rq, p, flags);
    return ns;
}

}  // namespace linefill::kernel
