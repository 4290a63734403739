// SPDX-License-Identifier: Apache-2.0
// The idle task: polls its flags, stops the tick, waits in MWAIT (kernel/sched/idle.c of v4.4 to
// v4.8; kernel-paths d.1).
#include "kernel/irq/softirq.h"
#include "kernel/kernel.h"
#include "kernel/sched/balance.h"
#include "kernel/sched/core.h"
#include "kernel/time/tick.h"

namespace linefill::kernel {

namespace {

const KernelFunction kIdleLoop{"cpu_startup_entry", "kernel/sched/idle.c", 640, 0};
const KernelFunction kMwaitIdle{"mwait_idle", "arch/x86/kernel/process.c", 220, 2};

void set_polling(Field<u32>& flags) {
    flags.locked([](u32& f) { f |= kTifPollingNrflag; });
}

/// True if rescheduling was asked for before or while the flag was cleared.
bool clear_polling(Field<u32>& flags) {
    const u32 now = flags.locked([](u32& f) { return f &= ~kTifPollingNrflag; });
    run(1);
    return (now & kTifNeedResched) != 0;
}

/// MONITOR on the own flags, a last look, MWAIT. Interrupts are off on entry and on afterwards.
void mwait_idle(Field<u32>& flags) {
    const Frame frame(kMwaitIdle);
    model::HwThread& hw = model::this_hw_thread();
    set_polling(flags);
    run(6);
    if (!need_resched()) {
        // What others did before this point is seen now; what they do after it wakes the MWAIT.
        hw.fence();
        hw.synchronise();
        if ((flags.peek() & kTifNeedResched) == 0)
            hw.halt(flags.addr(), kernel().idle_exit_latency());
    }
    if (!hw.interrupts_enabled()) local_irq_enable();
    clear_polling(flags);
}

}  // namespace

void cpu_idle_loop() {
    const Frame frame(kIdleLoop);
    Kernel& k = kernel();
    TaskStruct& self = current();
    Field<u32>& flags = self.thread_info.flags;
    const unsigned cpu = smp_processor_id();
    for (;;) {
        if (k.rq(cpu).active_balance.peek() == 2) {
            active_load_balance();
            schedule();
            continue;
        }
        set_polling(flags);
        tick_nohz_idle_enter();
        while (!need_resched()) {
            local_irq_disable();
            run(10);
            if (need_resched()) {
                local_irq_enable();
                break;
            }
            // rcu_idle_enter and exit: an atomic on the own counter each.
            k.percpu(cpu).rcu_dynticks.fetch_add(1);
            if (clear_polling(flags)) {
                local_irq_enable();
            } else {
                mwait_idle(flags);
            }
            set_polling(flags);
            k.percpu(cpu).rcu_dynticks.fetch_add(1);
            run(10);
        }
        tick_nohz_idle_exit();
        clear_polling(flags);
        model::this_hw_thread().fence();
        sched_ttwu_pending();
        schedule();
    }
}

}  // namespace linefill::kernel
