// SPDX-License-Identifier: Apache-2.0
// sched_info: delays on the run queue, kept whenever statistics are compiled in, switched on or not
// (kernel/sched/stats.h).
#include "kernel/sched/core.h"

namespace linefill::kernel {

void sched_info_queued(KPtr<Rq> rq, KPtr<TaskStruct> p) {
    const u64 queued = p->sched_info.last_queued;
    run(2);
    if (queued != 0) return;
    const u64 now = rq->clock;
    p->sched_info.last_queued = now;
}

void sched_info_dequeued(KPtr<Rq> rq, KPtr<TaskStruct> p) {
    const u64 now = rq->clock;
    const u64 queued = p->sched_info.last_queued;
    const u64 delta = queued != 0 ? now - queued : 0;
    p->sched_info.last_queued = 0;
    p->sched_info.run_delay += delta;
    rq->rq_sched_info.run_delay += delta;
    run(4);
}

namespace {

void depart(KPtr<Rq> rq, KPtr<TaskStruct> t) {
    const u64 arrival = t->sched_info.last_arrival;
    const u64 now = rq->clock;
    rq->rq_cpu_time += now - arrival;
    const s64 state = t->state;
    run(3);
    if (state == kTaskRunning) sched_info_queued(rq, t);
}

void arrive(KPtr<Rq> rq, KPtr<TaskStruct> t) {
    const u64 now = rq->clock;
    const u64 queued = t->sched_info.last_queued;
    const u64 delta = queued != 0 ? now - queued : 0;
    t->sched_info.last_queued = 0;
    t->sched_info.run_delay += delta;
    t->sched_info.last_arrival = now;
    t->sched_info.pcount += 1;
    rq->rq_sched_info.run_delay += delta;
    rq->rq_sched_info.pcount += 1;
    run(4);
}

}  // namespace

void sched_info_switch(KPtr<Rq> rq, KPtr<TaskStruct> prev, KPtr<TaskStruct> next) {
    const KPtr<TaskStruct> idle = rq->idle.get();
    run(2);
    if (!(prev == idle)) depart(rq, prev);
    if (!(next == idle)) arrive(rq, next);
}

}  // namespace linefill::kernel
