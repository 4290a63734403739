// SPDX-License-Identifier: Apache-2.0
// Interrupt entry and exit: dispatch by vector, softirqs, and rescheduling on the way back to user
// mode.
#pragma once

#include <vector>

#include "model/core/hw_thread.h"

namespace linefill::kernel {

/// What the machine calls, on the stack of the interrupted task, interrupts off. Returns on that
/// stack; if the interrupt came in user mode the task may have been away and run on another CPU
/// meanwhile.
class InterruptDispatch final : public model::InterruptSink {
public:
    explicit InterruptDispatch(unsigned cpus) : depth_(cpus), in_softirq_(cpus) {}
    void interrupt(unsigned cpu, unsigned vector) override;

    /// Interrupts that this CPU is inside of.
    [[nodiscard]] unsigned depth(unsigned cpu) const { return depth_[cpu]; }

private:
    void irq_enter(unsigned cpu);
    void irq_exit(unsigned cpu);
    void do_softirq(unsigned cpu);

    std::vector<unsigned> depth_;
    std::vector<char> in_softirq_;
};

}  // namespace linefill::kernel
