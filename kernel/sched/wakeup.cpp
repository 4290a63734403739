// SPDX-License-Identifier: Apache-2.0
// Waking tasks (kernel/sched/core.c of v4.7; kernel-paths c.1).
#include "kernel/irq/softirq.h"
#include "kernel/kernel.h"
#include "kernel/sched/core.h"
#include "kernel/sched/fair.h"
#include "kernel/sched/globals.h"
#include "kernel/time/clock.h"

namespace linefill::kernel {

namespace {

const KernelFunction kTryToWakeUp{"try_to_wake_up", "kernel/sched/core.c", 995, 6};
const KernelFunction kDoActivate{"ttwu_do_activate", "kernel/sched/core.c", 150, 3};
const KernelFunction kDoWakeup{"ttwu_do_wakeup", "kernel/sched/core.c", 226, 3};
const KernelFunction kTtwuStat{"ttwu_stat", "kernel/sched/core.c", 330, 5};
const KernelFunction kTtwuPending{"sched_ttwu_pending", "kernel/sched/core.c", 170, 4};
const KernelFunction kSchedulerIpi{"scheduler_ipi", "kernel/sched/core.c", 110, 1};

/// Kernels before v4.7 take the queue's base off a waking task's vruntime on every wake-up, later ones
/// only when it changes queues.
bool renormalises_always() { return !kernel().spec().at_least(KernelVersion::kV4_7Rc7); }

void ttwu_do_wakeup(KPtr<Rq> rq, KPtr<TaskStruct> p) {
    const Frame frame(kDoWakeup);
    check_preempt_curr(rq, p);
    p->state = kTaskRunning;
    const u64 stamp = rq->idle_stamp;
    run(3);
    if (stamp == 0) return;
    // How long the CPU stays idle, as an average with weight 1/8.
    const u64 now = rq->clock;
    const u64 delta = now - stamp;
    const u64 longest = 2 * u64{rq->max_idle_balance_cost};
    const u64 avg = rq->avg_idle;
    const s64 diff = static_cast<s64>(delta - avg) / 8;
    const u64 next = avg + static_cast<u64>(diff);
    rq->avg_idle = next < longest ? next : longest;
    rq->idle_stamp = 0;
    run(8);
}

void ttwu_do_activate(KPtr<Rq> rq, KPtr<TaskStruct> p, bool migrated) {
    const Frame frame(kDoActivate);
    const u8 contributes = p->sched_contributes_to_load;
    if (contributes != 0) rq->nr_uninterruptible -= 1;
    activate_task(rq, p, kEnqueueWakeup | (migrated ? kEnqueueMigrated : 0));
    p->on_rq = kTaskOnRqQueued;
    ttwu_do_wakeup(rq, p);
}

/// The task never left its queue: only its state is put right.
bool ttwu_remote(KPtr<TaskStruct> p) {
    for (;;) {
        const KPtr<Rq> rq = task_rq(p);
        rq->lock.lock();
        const KPtr<Rq> again = task_rq(p);
        run(2);
        if (!(again == rq)) {
            rq.get()->lock.unlock();
            continue;
        }
        const int on_rq = p->on_rq;
        const bool queued = on_rq == kTaskOnRqQueued;
        if (queued) {
            update_rq_clock(rq);
            ttwu_do_wakeup(rq, p);
        }
        rq.get()->lock.unlock();
        return queued;
    }
}

bool cpus_share_cache(int a, int b) {
    Kernel& k = kernel();
    const int llc_a = k.percpu(static_cast<unsigned>(a)).sd_llc_id;
    const int llc_b = k.percpu(static_cast<unsigned>(b)).sd_llc_id;
    run(4);
    return llc_a == llc_b;
}

void ttwu_queue(KPtr<TaskStruct> p, int cpu, bool migrated) {
    const KPtr<Rq> rq = cpu_rq({cpu, {}});
    if (!cpus_share_cache(static_cast<int>(smp_processor_id()), cpu)) {
        // The other socket's CPU does it itself: its run-queue lines stay there.
        (void)sched_clock_cpu(static_cast<unsigned>(cpu));
        if (p.get()->sched_remote_wakeup.addr() != 0) {
            p->sched_remote_wakeup = static_cast<u8>(migrated ? 1 : 0);
        }
        for (;;) {
            const KPtr<TaskStruct> first = rq->wake_list.get();
            p->wake_entry = first.get();
            run(2);
            g_next_dep = rq.token();
            if (!rq.get()->wake_list.cmpxchg(first.get(), p.get())) continue;
            if (!first) {
                const KPtr<TaskStruct> idle = rq->idle.get();
                if (!set_nr_if_polling(idle)) smp_send_reschedule(cpu);
            }
            return;
        }
    }
    rq->lock.lock();
    ttwu_do_activate(rq, p, migrated);
    rq.get()->lock.unlock();
}

void ttwu_stat(KPtr<TaskStruct> p, int cpu, bool sync, bool migrated) {
    const Frame frame(kTtwuStat);
    const KPtr<Rq> rq = this_rq();
    const bool local = cpu == static_cast<int>(smp_processor_id());
    if (local) {
        rq->ttwu_local += 1;
        p->se.statistics.nr_wakeups_local += 1;
    } else {
        p->se.statistics.nr_wakeups_remote += 1;
        run(20);  // the domain that spans both counts it
    }
    if (migrated) p->se.statistics.nr_wakeups_migrate += 1;
    rq->ttwu_count += 1;
    p->se.statistics.nr_wakeups += 1;
    if (sync) p->se.statistics.nr_wakeups_sync += 1;
    run(8);
}

}  // namespace

bool try_to_wake_up(TaskStruct& task, s64 mask, bool sync) {
    const Frame frame(kTryToWakeUp);
    const KPtr<TaskStruct> p(&task);
    const SchedSwitches& sw = kernel().sw();
    const IrqFlags flags = task.pi_lock.lock_irqsave();
    const s64 state = p->state;
    run(3);
    if ((state & mask) == 0) {
        task.pi_lock.unlock_irqrestore(flags);
        return false;
    }
    Loaded<int> cpu = task_cpu(p);
    const int on_rq = p->on_rq;
    bool migrated = false;
    run(3);
    if (on_rq == 0 || !ttwu_remote(p)) {
        // Its CPU may still be on the way out of it.
        const int on_cpu = p->on_cpu;
        run(2);
        if (on_cpu != 0) {
            model::this_hw_thread().spin_until(task.on_cpu.addr(), task.on_cpu.size(),
                                               task.on_cpu.id(), model::SpinLoop{},
                                               [&] { return task.on_cpu.peek() == 0; });
        }
        const bool contributes = (state & kTaskUninterruptible) != 0;
        p->sched_contributes_to_load = static_cast<u8>(contributes ? 1 : 0);
        p->state = kTaskWaking;
        if (renormalises_always()) {
            const KPtr<CfsRq> cfs = p->se.cfs_rq.get();
            const u64 min = cfs->min_vruntime;
            p->se.vruntime -= min;
        }
        const int prev_cpu = p->wake_cpu;
        const int target = select_task_rq_fair(p, prev_cpu, kSdBalanceWake, sync);
        cpu = task_cpu(p);
        if (cpu.value != target) {
            migrated = true;
            set_task_cpu(p, target);
        }
        ttwu_queue(p, target, migrated || renormalises_always());
        cpu.value = target;
    }
    if (sw.schedstats) {
        ttwu_stat(p, cpu.value, sync, migrated);
    } else {
        run(1);
    }
    run(20);
    task.pi_lock.unlock_irqrestore(flags);
    return true;
}

void sched_ttwu_pending() {
    const Frame frame(kTtwuPending);
    const KPtr<Rq> rq = this_rq();
    const KPtr<TaskStruct> any = rq->wake_list.get();
    run(2);
    if (!any) return;
    g_next_dep = rq.token();
    TaskStruct* list = rq.get()->wake_list.xchg(nullptr);
    if (list == nullptr) return;
    g_next_dep = rq.token();
    const IrqFlags flags = rq.get()->lock.lock_irqsave();
    for (KPtr<TaskStruct> p(list); p;) {
        // Read before it is woken: then its owner may use the link again.
        const KPtr<TaskStruct> next = p->wake_entry.get();
        bool migrated = renormalises_always();
        if (!migrated) {
            const u8 remote = p->sched_remote_wakeup;
            migrated = remote != 0;
        }
        ttwu_do_activate(rq, p, migrated);
        p = next;
        run(3);
    }
    rq.get()->lock.unlock_irqrestore(flags);
}

void scheduler_ipi() {
    const Frame frame(kSchedulerIpi);
    // NEED_RESCHED itself is the message; it is looked at on the way out.
    const Loaded<u32> ti_flags = current().thread_info.flags.load();
    (void)ti_flags;
    const KPtr<Rq> rq = this_rq();
    const KPtr<TaskStruct> waiting = rq->wake_list.get();
    const u64 nohz = rq->nohz_flags;
    run(6);
    if (!waiting && (nohz & kNohzBalanceKick) == 0) return;
    sched_ttwu_pending();
    if ((nohz & kNohzBalanceKick) != 0 && idle_cpu(static_cast<int>(smp_processor_id()))) {
        rq->idle_balance = 1;
        raise_softirq(kSchedSoftirq);
    }
}

}  // namespace linefill::kernel
