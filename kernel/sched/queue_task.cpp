// SPDX-License-Identifier: Apache-2.0
// Tasks joining, leaving and changing run queues (kernel/sched/core.c).
#include "kernel/kernel.h"
#include "kernel/sched/core.h"
#include "kernel/sched/fair.h"

namespace linefill::kernel {

namespace {

const KernelFunction kActivate{"activate_task", "kernel/sched/core.c", 110, 2};
const KernelFunction kDeactivate{"deactivate_task", "kernel/sched/core.c", 110, 2};
const KernelFunction kCheckPreemptCurr{"check_preempt_curr", "kernel/sched/core.c", 130, 1};
const KernelFunction kSetTaskCpu{"set_task_cpu", "kernel/sched/core.c", 190, 2};

bool contributes_to_load(KPtr<TaskStruct> p) {
    const s64 state = p->state;
    return (state & kTaskUninterruptible) != 0;
}

}  // namespace

void activate_task(KPtr<Rq> rq, KPtr<TaskStruct> p, unsigned flags) {
    const Frame frame(kActivate);
    if (contributes_to_load(p)) rq->nr_uninterruptible -= 1;
    update_rq_clock(rq);
    if ((flags & kEnqueueWakeup) != 0 || p.get()->on_rq.peek() != kTaskOnRqMigrating) {
        sched_info_queued(rq, p);
    }
    call_class(p, &SchedClass::ptr_enqueue_task,
               [&](const SchedClass& c) { c.enqueue_task(rq, p, flags); });
}

void deactivate_task(KPtr<Rq> rq, KPtr<TaskStruct> p, unsigned flags) {
    const Frame frame(kDeactivate);
    if (contributes_to_load(p)) rq->nr_uninterruptible += 1;
    update_rq_clock(rq);
    sched_info_dequeued(rq, p);
    call_class(p, &SchedClass::ptr_dequeue_task,
               [&](const SchedClass& c) { c.dequeue_task(rq, p, flags); });
}

void check_preempt_curr(KPtr<Rq> rq, KPtr<TaskStruct> p) {
    const Frame frame(kCheckPreemptCurr);
    const KPtr<TaskStruct> curr = rq->curr.get();
    const KPtr<const SchedClass> theirs = p->sched_class.get();
    const KPtr<const SchedClass> ours = curr->sched_class.get();
    run(3);
    if (theirs == ours) {
        call_class(curr, &SchedClass::ptr_check_preempt_curr,
                   [&](const SchedClass& c) { c.check_preempt_curr(rq, p); });
    } else {
        resched_curr(rq);  // only the idle class is below
    }
    // A queue whose current task goes anyway need not update its clock twice.
    const int on_rq = curr->on_rq;
    if (on_rq == kTaskOnRqQueued) {
        const u32 flags = curr.get()->thread_info.flags;
        if ((flags & kTifNeedResched) != 0) {
            // Up to v3.19 in effect at once, later from the next schedule() on.
            const bool asks = kernel().spec().at_least(KernelVersion::kV4_2);
            rq->clock_skip_update = asks ? kRqcfReqSkip : kRqcfActSkip;
        }
    }
    run(4);
}

void set_task_cpu_new(KPtr<TaskStruct> p, int cpu) {
    Kernel& k = kernel();
    Rq& rq = k.rq(static_cast<unsigned>(cpu));
    p->se.cfs_rq = &rq.cfs;
    p->se.parent = nullptr;
    const KPtr<ThreadInfo> ti = p->stack.get();
    ti->cpu = static_cast<u32>(cpu);
    p->wake_cpu = cpu;
    run(4);
}

void set_task_cpu(KPtr<TaskStruct> p, int cpu) {
    const Frame frame(kSetTaskCpu);
    const Loaded<int> old = task_cpu(p);
    run(3);
    if (old.value != cpu) {
        migrate_task_rq_fair(p);
        p->se.nr_migrations += 1;
        count_software_event(*p.get(), model::Event::kCpuMigrations);
    }
    set_task_cpu_new(p, cpu);
}

}  // namespace linefill::kernel
