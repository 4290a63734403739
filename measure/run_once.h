// SPDX-License-Identifier: Apache-2.0
// The real run behind a RunFunction: prepares a spec, simulates it in this process, counts.
#pragma once

#include "measure/prepare.h"
#include "measure/run_outcome.h"
#include "measure/run_spec.h"

namespace linefill::measure {

/// One process can do this once: SystemC can be elaborated only once. Throws UserError,
/// SimulationError, or what went wrong inside.
[[nodiscard]] RunOutcome run_once(const RunSpec& spec, const DataDirs& dirs);

/// run_once with its folders, for an experiment.
[[nodiscard]] RunFunction real_runs(const DataDirs& dirs);

}  // namespace linefill::measure
