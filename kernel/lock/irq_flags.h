// SPDX-License-Identifier: Apache-2.0
// Interrupt flag of the current CPU, as the kernel's irqsave and irqrestore treat it.
#pragma once

#include "kernel/base/function.h"
#include "model/core/this_hw_thread.h"

namespace linefill::kernel {

/// What pushf saved: whether interrupts were enabled.
using IrqFlags = bool;

/// pushf; pop; cli.
inline IrqFlags local_irq_save() {
    model::HwThread& hw = model::this_hw_thread();
    const bool enabled = hw.interrupts_enabled();
    hw.stack_accesses(1, 1);
    hw.disable_interrupts();
    return enabled;
}

/// push; popf. Interrupts that became pending meanwhile are taken here.
inline void local_irq_restore(IrqFlags enabled) {
    model::HwThread& hw = model::this_hw_thread();
    hw.stack_accesses(0, 1);
    if (enabled) {
        hw.enable_interrupts();
    } else {
        hw.disable_interrupts();  // popf that leaves IF clear costs as much
    }
}

inline void local_irq_disable() { model::this_hw_thread().disable_interrupts(); }
inline void local_irq_enable() { model::this_hw_thread().enable_interrupts(); }

/// Interrupts off for a scope.
class IrqsOff {
public:
    IrqsOff() : flags_(local_irq_save()) {}
    ~IrqsOff() noexcept(false) {
        if (model::Scheduler::running_agent() != nullptr) local_irq_restore(flags_);
    }
    IrqsOff(const IrqsOff&) = delete;
    IrqsOff& operator=(const IrqsOff&) = delete;

private:
    IrqFlags flags_;
};

}  // namespace linefill::kernel
