// SPDX-License-Identifier: Apache-2.0
// Interrupt entry and exit (arch/x86/kernel/irq.c, kernel/softirq.c of v4.7).
#include "kernel/irq/irq.h"

#include "kernel/irq/softirq.h"
#include "kernel/kernel.h"
#include "kernel/sched/core.h"
#include "kernel/sched/fair.h"
#include "kernel/time/tick.h"
#include "model/devices/vectors.h"

namespace linefill::kernel {

namespace {

const KernelFunction kApicTimer{"smp_apic_timer_interrupt", "arch/x86/kernel/apic/apic.c", 80, 2};
const KernelFunction kReschedule{"smp_reschedule_interrupt", "arch/x86/kernel/smp.c", 50, 1};
const KernelFunction kCallFunction{"smp_call_function_interrupt", "arch/x86/kernel/smp.c", 70, 1};
const KernelFunction kIrqEnter{"irq_enter", "kernel/softirq.c", 90, 1};
const KernelFunction kIrqExit{"irq_exit", "kernel/softirq.c", 150, 1};
const KernelFunction kDoSoftirq{"__do_softirq", "kernel/softirq.c", 520, 6};
const KernelFunction kTimerSoftirqRun{"run_timer_softirq", "kernel/time/timer.c", 600, 5};

constexpr unsigned kSavedRegisters = 15;

/// The user's or kernel's registers go to the top of the task's stack when it came from user mode.
void save_registers(bool from_user) {
    model::HwThread& hw = model::this_hw_thread();
    if (!from_user) {
        hw.stack_accesses(0, kSavedRegisters);
        return;
    }
    static const FieldId kSaved = FieldRegistry::instance().id("pt_regs", "(saved)", 48, 120);
    TaskStruct& self = current();
    const Addr top = self.sp0.peek();
    for (unsigned i = 6; i <= kSavedRegisters + 5; ++i) hw.store(top - 8 * Addr{i}, 8, kSaved);
    self.pt_regs_cs = kUserCs;
}

}  // namespace

void raise_softirq(Softirq number) {
    Field<u64>& pending = kernel().percpu(smp_processor_id()).softirq_pending;
    const u64 before = pending;
    pending = before | u64{1} << number;
}

bool softirq_pending() {
    const u64 pending = kernel().percpu(smp_processor_id()).softirq_pending;
    run(1);
    return pending != 0;
}

void InterruptDispatch::irq_enter(unsigned cpu) {
    const Frame frame(kIrqEnter);
    ++depth_[cpu];
    run(8);
    if (current().is_idle && depth_[cpu] == 1) tick_nohz_irq_enter();
}

void InterruptDispatch::do_softirq(unsigned cpu) {
    const Frame frame(kDoSoftirq);
    in_softirq_[cpu] = 1;
    Field<u64>& pending = kernel().percpu(cpu).softirq_pending;
    for (int rounds = 0; rounds < 10; ++rounds) {
        const u64 work = pending;
        if (work == 0) break;
        pending = 0;
        local_irq_enable();
        run(20);
        if ((work & 1U << kTimerSoftirq) != 0) {
            const Frame timer(kTimerSoftirqRun);
            run(30);  // the wheel has nothing due
        }
        if ((work & 1U << kSchedSoftirq) != 0) run_rebalance_domains();
        local_irq_disable();
    }
    in_softirq_[cpu] = 0;
}

void InterruptDispatch::irq_exit(unsigned cpu) {
    const Frame frame(kIrqExit);
    --depth_[cpu];
    run(8);
    if (depth_[cpu] == 0 && in_softirq_[cpu] == 0 && softirq_pending()) do_softirq(cpu);
    if (current().is_idle && depth_[cpu] == 0 && in_softirq_[cpu] == 0 && !need_resched()) {
        tick_nohz_irq_exit();
    }
}

void InterruptDispatch::interrupt(unsigned cpu, unsigned vector) {
    const BankScope bank(CounterBank::kTick);
    const bool from_user = model::this_hw_thread().interrupted_user_mode();
    save_registers(from_user);
    switch (vector) {
        case model::kTimerVector: {
            const Frame frame(kApicTimer);
            irq_enter(cpu);
            hrtimer_interrupt(from_user);
            irq_exit(cpu);
            break;
        }
        case model::kRescheduleVector: {
            const Frame frame(kReschedule);
            run(6);
            ++depth_[cpu];
            scheduler_ipi();
            irq_exit(cpu);
            break;
        }
        default: {
            const Frame frame(kCallFunction);
            irq_enter(cpu);
            run(10);
            irq_exit(cpu);
            break;
        }
    }
    // No PREEMPT: in kernel mode the interrupted code goes on.
    if (from_user) {
        while (need_resched()) {
            local_irq_enable();
            schedule();
            local_irq_disable();
        }
    }
    model::this_hw_thread().stack_accesses(kSavedRegisters, 0);
}

}  // namespace linefill::kernel
