// SPDX-License-Identifier: Apache-2.0
// CFS as a scheduling class: its table, and the functions that go over all levels of groups.
#include "kernel/kernel.h"
#include "kernel/sched/classes.h"
#include "kernel/sched/fair.h"
#include "kernel/sched/globals.h"

namespace linefill::kernel {

namespace {

const KernelFunction kEnqueue{"enqueue_task_fair", "kernel/sched/fair.c", 240, 6};
const KernelFunction kDequeue{"dequeue_task_fair", "kernel/sched/fair.c", 330, 6};
const KernelFunction kPutPrev{"put_prev_task_fair", "kernel/sched/fair.c", 50, 1};
const KernelFunction kTick{"task_tick_fair", "kernel/sched/fair.c", 480, 4};
const KernelFunction kUpdateCurrFair{"update_curr_fair", "kernel/sched/fair.c", 24, 0};

class FairClass final : public SchedClass {
public:
    explicit FairClass(const Place& place) : SchedClass(place, "fair_sched_class") {}

    void enqueue_task(KPtr<Rq> rq, KPtr<TaskStruct> p, unsigned flags) const override {
        const Frame frame(kEnqueue);
        for (KPtr<SchedEntity> se = task_se(p); se; se = se->parent.get()) {
            const u32 queued = se->on_rq;
            if (queued != 0) break;
            const KPtr<CfsRq> cfs = se->cfs_rq.get();
            enqueue_entity(cfs, se, flags);
            (void)cfs->throttled.load();
            cfs->h_nr_running += 1;
            flags = kEnqueueWakeup;
            run(4);
        }
        update_rq_runnable_avg(rq, rq.get()->nr_running.peek() != 0);
        add_nr_running(rq);
        run(4);  // hrtick is off
    }

    void dequeue_task(KPtr<Rq> rq, KPtr<TaskStruct> p, unsigned flags) const override {
        const Frame frame(kDequeue);
        for (KPtr<SchedEntity> se = task_se(p); se; se = se->parent.get()) {
            const KPtr<CfsRq> cfs = se->cfs_rq.get();
            dequeue_entity(cfs, se, flags);
            (void)cfs->throttled.load();
            cfs->h_nr_running -= 1;
            const u64 weight = cfs->load.weight;
            run(5);
            if (weight != 0) break;  // the group stays: others of it are queued
            flags |= kDequeueSleep;
        }
        rq->nr_running -= 1;
        update_rq_runnable_avg(rq, true);
        run(4);
    }

    void check_preempt_curr(KPtr<Rq> rq, KPtr<TaskStruct> p) const override {
        check_preempt_wakeup(rq, p);
    }

    void put_prev_task(KPtr<Rq>, KPtr<TaskStruct> p) const override {
        const Frame frame(kPutPrev);
        for (KPtr<SchedEntity> se = task_se(p); se; se = se->parent.get()) {
            put_prev_entity(se->cfs_rq.get(), se);
        }
    }

    void task_tick(KPtr<Rq> rq, KPtr<TaskStruct> p) const override {
        const Frame frame(kTick);
        for (KPtr<SchedEntity> se = task_se(p); se; se = se->parent.get()) {
            const KPtr<CfsRq> cfs = se->cfs_rq.get();
            kernel::update_curr(cfs);
            update_load_avg(cfs, se, true);
            run(8);  // group shares: none at the root; hrtick: off
            const u32 running = cfs->nr_running;
            if (running > 1) check_preempt_tick(cfs, se);
        }
        update_rq_runnable_avg(rq, true);
        run(3);  // NUMA balancing: a static branch, off
    }

    void update_curr(KPtr<Rq> rq) const override {
        const Frame frame(kUpdateCurrFair);
        const KPtr<TaskStruct> curr = rq->curr.get();
        const KPtr<CfsRq> cfs = curr->se.cfs_rq.get();
        run(1);
        kernel::update_curr(cfs);
    }

    int select_task_rq(KPtr<TaskStruct> p, int cpu, u32 sd_flag) const override {
        return select_task_rq_fair(p, cpu, sd_flag, false);
    }

private:
    static void add_nr_running(KPtr<Rq> rq) {
        const u32 before = rq->nr_running;
        rq->nr_running = before + 1;
        run(3);
        if (before >= 1) {
            const KPtr<RootDomain> rd = rq->rd.get();
            const u8 overload = rd->overload;
            if (overload == 0) rd->overload = 1;
        }
    }
};

}  // namespace

std::unique_ptr<SchedClass> make_fair_class(const Place& at) {
    return std::make_unique<FairClass>(at);
}

}  // namespace linefill::kernel
