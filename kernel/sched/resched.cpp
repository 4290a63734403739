// SPDX-License-Identifier: Apache-2.0
// Asking a CPU to reschedule: flags of its current task, polling idle loops, interrupts
// (kernel/sched/core.c; kernel-paths c.3).
#include "kernel/kernel.h"
#include "kernel/sched/core.h"
#include "model/devices/vectors.h"
#include "model/machine.h"

namespace linefill::kernel {

namespace {

const KernelFunction kReschedCurr{"resched_curr", "kernel/sched/core.c", 130, 2};
const KernelFunction kSetNrIfPolling{"set_nr_if_polling", "kernel/sched/core.c", 60, 0};
const KernelFunction kSendReschedule{"native_smp_send_reschedule", "arch/x86/kernel/smp.c", 70, 1};

/// lock or: returns the flags before.
u32 fetch_or(Field<u32>& flags, u32 bits, Token dep) {
    g_next_dep = dep;
    return flags.locked([&](u32& v) {
        const u32 old = v;
        v |= bits;
        return old;
    });
}

}  // namespace

bool need_resched() {
    const Loaded<u32> flags = current().thread_info.flags.load();
    run(2);
    return (flags.value & kTifNeedResched) != 0;
}

void smp_send_reschedule(int cpu) {
    const Frame frame(kSendReschedule);
    model::HwThread& hw = model::this_hw_thread();
    run(10);
    hw.fence();  // x2APIC: what was written before is visible before the interrupt
    kernel().machine().apic(hw.cpu()).send_ipi(static_cast<unsigned>(cpu),
                                               model::kRescheduleVector);
}

bool set_nr_if_polling(KPtr<TaskStruct> idle) {
    const Frame frame(kSetNrIfPolling);
    const KPtr<ThreadInfo> ti = idle->stack.get();
    for (;;) {
        const u32 old = ti->flags;
        run(4);
        if ((old & kTifPollingNrflag) == 0) return false;
        if ((old & kTifNeedResched) != 0) return true;
        g_next_dep = ti.token();
        if (ti.get()->flags.cmpxchg(old, old | kTifNeedResched)) return true;
    }
}

void resched_curr(KPtr<Rq> rq) {
    const Frame frame(kReschedCurr);
    const KPtr<TaskStruct> curr = rq->curr.get();
    const KPtr<ThreadInfo> ti = curr->stack.get();
    const u32 flags = ti->flags;
    run(3);
    if ((flags & kTifNeedResched) != 0) return;
    const int cpu = rq->cpu;
    const u32 before = fetch_or(ti.get()->flags, kTifNeedResched, ti.token());
    run(4);
    if (cpu == static_cast<int>(smp_processor_id())) return;
    // A CPU that polls its flags has seen it.
    if ((before & kTifPollingNrflag) == 0) smp_send_reschedule(cpu);
}

void wake_up_if_idle(int cpu) {
    const KPtr<Rq> rq = cpu_rq({cpu, {}});
    const KPtr<TaskStruct> idle = rq->idle.get();
    if (!set_nr_if_polling(idle)) smp_send_reschedule(cpu);
}

void resched_cpu(int cpu) {
    const KPtr<Rq> rq = cpu_rq({cpu, {}});
    g_next_dep = rq.token();
    const IrqFlags flags = rq.get()->lock.lock_irqsave();
    resched_curr(rq);
    rq.get()->lock.unlock_irqrestore(flags);
}

}  // namespace linefill::kernel
