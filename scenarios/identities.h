// SPDX-License-Identifier: Apache-2.0
// Identities of the counters that hold in every run; one that does not means that the model lost or
// invented something, and the run fails.
#pragma once

#include <vector>

#include "scenarios/run.h"

namespace linefill::kernel {
class Kernel;
}  // namespace linefill::kernel
namespace linefill::model {
class Machine;
}  // namespace linefill::model

namespace linefill::scenarios {

/// Lookups = hits + misses + merges; fills = evictions + snoop and back-invalidations + resident; sum
/// of CPUs = total; sum of the tasks' and the idle tasks' counts = total; CPI components = unhalted
/// time.
std::vector<IdentityCheck> check_identities(model::Machine& machine, kernel::Kernel& kernel,
                                            const ScenarioResult& result);

/// Loads, stores and locked operations that were modelled one by one, all tasks and idle tasks: spin
/// loops that were accounted in bulk are left out.
std::uint64_t modelled_accesses(kernel::Kernel& kernel);

/// Throws SimulationError with all that fail.
void require_identities(const std::vector<IdentityCheck>& checks);

}  // namespace linefill::scenarios
