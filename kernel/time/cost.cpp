// SPDX-License-Identifier: Apache-2.0
// Looks costs up in the platform of the machine that runs.
#include "kernel/time/cost.h"

#include "model/core/this_hw_thread.h"
#include "model/machine.h"

namespace linefill::kernel {

namespace {

model::Tick at_current_clock(const model::Latency& latency) {
    const auto period = static_cast<double>(model::this_hw_thread().period());
    return latency.is_cycles ? static_cast<model::Tick>(latency.cycles * period + 0.5)
                             : model::ticks_from_ns(latency.ns);
}

const model::Platform& platform() { return model::this_hw_thread().machine().platform(); }

}  // namespace

model::Tick divide_cost() { return at_current_clock(platform().core.divide); }
model::Tick syscall_cost() { return at_current_clock(platform().core.syscall); }
model::Tick irq_on_cost() { return at_current_clock(platform().core.irq_flags_on); }
model::Tick irq_off_cost() { return at_current_clock(platform().core.irq_flags_off); }
model::Tick timer_program_cost() { return at_current_clock(platform().timer.program); }

}  // namespace linefill::kernel
