// SPDX-License-Identifier: Apache-2.0
// CFS: new tasks, and tasks that change CPUs (kernel/sched/fair.c).
#include "kernel/kernel.h"
#include "kernel/sched/core.h"
#include "kernel/sched/fair.h"

namespace linefill::kernel {

namespace {

const KernelFunction kTaskFork{"task_fork_fair", "kernel/sched/fair.c", 280, 4};
const KernelFunction kMigrate{"migrate_task_rq_fair", "kernel/sched/fair.c", 200, 2};

}  // namespace

void task_fork_fair(KPtr<TaskStruct> p) {
    const Frame frame(kTaskFork);
    const KPtr<Rq> rq = this_rq();
    g_next_dep = rq.token();
    const IrqFlags flags = rq.get()->lock.lock_irqsave();
    update_rq_clock(rq);
    const KPtr<SchedEntity> se = task_se(p);
    set_task_cpu_new(p, static_cast<int>(smp_processor_id()));
    const KPtr<CfsRq> cfs(&rq.get()->cfs, rq.token());
    update_curr(cfs);
    const KPtr<SchedEntity> curr = cfs->curr.get();
    if (curr) {
        const u64 vruntime = curr->vruntime;
        se->vruntime = vruntime;
    }
    place_entity(cfs, se, true);
    // Relative until it is put on a queue, which may be another CPU's.
    const u64 min = cfs->min_vruntime;
    se->vruntime -= min;
    run(10);
    rq.get()->lock.unlock_irqrestore(flags);
}

void migrate_task_rq_fair(KPtr<TaskStruct> p) {
    const Frame frame(kMigrate);
    const KPtr<SchedEntity> se = task_se(p);
    const s64 state = p->state;
    run(2);
    if (state == kTaskWaking && kernel().spec().at_least(KernelVersion::kV4_7Rc7)) {
        const KPtr<CfsRq> cfs = se->cfs_rq.get();
        const u64 min = cfs->min_vruntime;
        se->vruntime -= min;
    }
    remove_entity_load_avg(se);
    if (!kernel().sw().per_entity_avg) se->avg.last_update_time = 0;
    se->exec_start = 0;
}

}  // namespace linefill::kernel
