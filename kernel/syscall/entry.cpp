// SPDX-License-Identifier: Apache-2.0
// System call entry and exit of x86-64 before page-table isolation (kernel-paths a.0).
#include <algorithm>

#include "kernel/base/function.h"
#include "kernel/kernel.h"
#include "kernel/lock/irq_flags.h"
#include "kernel/sched/sched.h"
#include "kernel/syscall/syscall.h"
#include "kernel/time/cost.h"

namespace linefill::kernel {

namespace {

const KernelFunction kEntry{"entry_SYSCALL_64", "arch/x86/entry/entry_64.S (v4.7)", 260, 0};

constexpr unsigned kRegisters = 15;  // words that the entry saves, two lines of the own stack
constexpr unsigned kCsFromTop = 4;   // ss, sp, flags, cs
constexpr unsigned kEntryInstructions =
    14;  // besides the stores and CALL: swapgs, stack switch, sti, table
constexpr unsigned kExitInstructions = 10;  // besides loads: cli, test, swapgs, sysret

/// Tops the instructions and accesses of one half of the way up to the platform's cost for it.
/// Changes of the interrupt flag lie outside, since an interrupt may come there, and are deducted.
class HalfCost {
public:
    HalfCost() : start_(model::this_hw_thread().now()) {}
    void top_up(model::Tick outside) const {
        model::HwThread& hw = model::this_hw_thread();
        const model::Tick rest = syscall_cost() / 2 - outside - (hw.now() - start_);
        if (rest > 0) hw.charge(rest, model::CpiComponent::kSyscall);
    }

private:
    model::Tick start_;
};

void save_registers(TaskStruct& self) {
    static const FieldId kId = FieldRegistry::instance().id("pt_regs", "(saved)", 48, 120);
    model::HwThread& hw = model::this_hw_thread();
    const Addr top = self.sp0.peek();
    for (unsigned i = 1; i <= kRegisters; ++i) {
        if (i == kCsFromTop) {
            self.pt_regs_cs = kUserCs;
        } else {
            hw.store(top - 8 * i, 8, kId);
        }
    }
}

}  // namespace

SyscallScope::SyscallScope() {
    model::HwThread& hw = model::this_hw_thread();
    const HalfCost cost;
    hw.set_kernel_mode(true);
    hw.disable_interrupts();
    const KernelFunction& f = kEntry;
    const FunctionInfo& info = FunctionRegistry::instance().info(f.id);
    hw.enter_function(f.id, info.address, info.code_bytes);
    save_registers(current());
    run(kEntryInstructions);
    cost.top_up(irq_on_cost());
    hw.enable_interrupts();
}

SyscallScope::~SyscallScope() noexcept(false) {
    if (model::Scheduler::running_agent() == nullptr) return;
    exit_to_usermode_work();
    model::HwThread& hw = model::this_hw_thread();
    const HalfCost cost;
    // Registers come back from the stack lines that entry has written.
    hw.stack_accesses(kRegisters, 0);
    run(kExitInstructions);
    hw.leave_function();
    cost.top_up(irq_on_cost() + irq_off_cost());
    hw.set_kernel_mode(false);
    hw.enable_interrupts();
}

void exit_to_usermode_work() {
    local_irq_disable();
    while (need_resched()) {
        local_irq_enable();
        schedule();
        local_irq_disable();
    }
}

}  // namespace linefill::kernel
