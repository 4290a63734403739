// SPDX-License-Identifier: Apache-2.0
// CPU affinity and nice levels of tasks (kernel/sched/core.c).
#include "kernel/kernel.h"
#include "kernel/sched/core.h"
#include "kernel/sched/globals.h"
#include "kernel/sched/weight.h"
#include "model/sim/error.h"

namespace linefill::kernel {

bool task_is_running(const TaskStruct& p) { return p.on_cpu.peek() != 0; }
unsigned host_task_cpu(const TaskStruct& p) { return p.thread_info.cpu.peek(); }

void set_cpus_allowed(TaskStruct& p, u64 mask) {
    mask &= sched_globals().cpu_active_mask.peek();
    if (mask == 0) {
        throw model::UserError("no CPU of the list is on this machine").key("--cpus");
    }
    const int count = __builtin_popcountll(mask);
    if (model::Scheduler::running_agent() == nullptr) {
        // Before the machine runs.
        p.cpus_allowed.poke(mask);
        p.nr_cpus_allowed.poke(count);
        return;
    }
    if (&p != &current()) throw model::InternalError("affinity of another task is changed");
    IrqFlags flags = false;
    const KPtr<Rq> rq = task_rq_lock(&p, flags);
    p.cpus_allowed = mask;
    p.nr_cpus_allowed = count;
    Rq& own = *rq.get();
    const bool must_move = (mask >> own.host_cpu & 1) == 0;
    if (must_move) {
        own.push_task = &p;
        own.push_cpu = __builtin_ctzll(mask);
        own.active_balance = 1;
        resched_curr(rq);
    }
    task_rq_unlock(rq, &p, flags);
    if (must_move) schedule();
}

void set_user_nice(TaskStruct& p, int nice) {
    if (nice < -20 || nice > 19) {
        throw model::UserError("no such nice level")
            .key("nice")
            .value(std::to_string(nice))
            .expected("-20 to 19");
    }
    const u64 weight = scale_load(nice_weight(nice));
    if (model::Scheduler::running_agent() == nullptr) {
        p.static_prio.poke(120 + nice);
        p.normal_prio.poke(120 + nice);
        p.prio.poke(120 + nice);
        p.se.load.weight.poke(weight);
        p.se.load.inv_weight.poke(nice_inverse(nice));
        return;
    }
    IrqFlags flags = false;
    const KPtr<Rq> rq = task_rq_lock(&p, flags);
    update_rq_clock(rq);
    const bool queued = p.on_rq.peek() == kTaskOnRqQueued;
    const bool running = rq.get()->curr.peek() == &p;
    if (queued) deactivate_task(rq, &p, 0);
    if (running) p.sched_class.peek()->put_prev_task(rq, &p);
    p.static_prio = 120 + nice;
    p.normal_prio = 120 + nice;
    p.prio = 120 + nice;
    p.se.load.weight = weight;
    p.se.load.inv_weight = nice_inverse(nice);
    if (running) {
        // set_curr_task: current again, at no cost in virtual time.
        const u64 now = rq->clock_task;
        p.se.exec_start = now;
        rq.get()->cfs.curr = &p.se;
    }
    if (queued) activate_task(rq, &p, 0);
    task_rq_unlock(rq, &p, flags);
}

}  // namespace linefill::kernel
