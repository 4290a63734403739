// SPDX-License-Identifier: Apache-2.0
// The hardware thread that runs now. One process simulates one machine on one host thread, so there is
// exactly one, as there is exactly one "current CPU" to code that runs on a CPU.
#pragma once

#include "model/core/hw_thread.h"

namespace linefill::model {

inline HwThread& this_hw_thread() { return *static_cast<HwThread*>(Scheduler::running_agent()); }

}  // namespace linefill::model
