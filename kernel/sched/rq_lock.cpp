// SPDX-License-Identifier: Apache-2.0
// Finding and locking a task's run queue (kernel/sched/core.c; access order of kernel-paths a.2,
// steps 7 to 10 and 20).
#include "kernel/kernel.h"
#include "kernel/sched/core.h"

namespace linefill::kernel {

namespace {

const KernelFunction kTaskRqLock{"task_rq_lock", "kernel/sched/core.c", 190, 5};

}  // namespace

TaskStruct& current() { return kernel().current_of(smp_processor_id()); }

KPtr<TaskStruct> get_current() {
    const Loaded<TaskStruct*> l = kernel().percpu(smp_processor_id()).current_task.load();
    return {l.value, l.token};
}

KPtr<Rq> cpu_rq(Loaded<int> cpu) {
    Kernel& k = kernel();
    const auto n = static_cast<unsigned>(cpu.value);
    g_next_dep = cpu.token;
    const Loaded<u64> offset = k.per_cpu_offset(n).load();
    run(1);
    return {&k.rq(n), offset.token};
}

KPtr<Rq> this_rq() {
    Kernel& k = kernel();
    const unsigned cpu = smp_processor_id();
    const Loaded<u64> offset = k.percpu(cpu).this_cpu_off.load();
    return {&k.rq(cpu), offset.token};
}

KPtr<Rq> task_rq(KPtr<TaskStruct> p) { return cpu_rq(task_cpu(p)); }

KPtr<Rq> task_rq_lock(KPtr<TaskStruct> p, IrqFlags& flags) {
    const Frame frame(kTaskRqLock);
    for (;;) {
        // Not through p->: the lock is reached with p's own address, known long since.
        g_next_dep = p.token();
        flags = p.get()->pi_lock.lock_irqsave();
        const KPtr<Rq> rq = task_rq(p);
        rq->lock.lock();
        const KPtr<Rq> again = task_rq(p);
        const int on_rq = p->on_rq;
        run(4);
        if (again == rq && on_rq != kTaskOnRqMigrating) return rq;
        rq.get()->lock.unlock();
        p.get()->pi_lock.unlock_irqrestore(flags);
        // Between two queues: its new one's lock holder finishes soon.
        while (p.get()->on_rq.peek() == kTaskOnRqMigrating) {
            Field<int>& word = p.get()->on_rq;
            model::this_hw_thread().spin_until(word.addr(), word.size(), word.id(),
                                               model::SpinLoop{},
                                               [&] { return word.peek() != kTaskOnRqMigrating; });
        }
    }
}

void task_rq_unlock(KPtr<Rq> rq, KPtr<TaskStruct> p, IrqFlags flags) {
    rq.get()->lock.unlock();
    p.get()->pi_lock.unlock_irqrestore(flags);
}

}  // namespace linefill::kernel
