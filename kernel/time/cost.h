// SPDX-License-Identifier: Apache-2.0
// Costs of the platform file that kernel code charges by name, at the current clock of this CPU.
#pragma once

#include "model/sim/time.h"

namespace linefill::kernel {

/// A 64-bit integer division.
[[nodiscard]] model::Tick divide_cost();
/// SYSCALL, SYSRET and the entry code of an empty system call.
[[nodiscard]] model::Tick syscall_cost();
/// Setting and clearing the interrupt flag.
[[nodiscard]] model::Tick irq_on_cost();
[[nodiscard]] model::Tick irq_off_cost();
/// Programs the local timer (TSC-deadline WRMSR).
[[nodiscard]] model::Tick timer_program_cost();

}  // namespace linefill::kernel
