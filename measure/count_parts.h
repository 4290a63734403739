// SPDX-License-Identifier: Apache-2.0
// Counts of the whole system, and counts split by CPU, socket, core, thread and interval.
#pragma once

#include <string>
#include <vector>

#include "measure/event_counts.h"
#include "measure/run_spec.h"

namespace linefill::measure {

/// Whether counts of this scope are of CPUs, whatever runs there, and not of the workload's tasks.
[[nodiscard]] bool counts_cpus(CountScope scope);

/// Everything that `scope` counts, over the whole run. Clocks of CPUs run as long as the program.
[[nodiscard]] CountView whole_view(const scenarios::ScenarioResult& scenario, CountScope scope);

/// The parts of a run that was split (scenarios::RunRequest::split), in the order of
/// RunResult::parts, with the events among `names`. In whole numbers they sum to whole_view().
[[nodiscard]] std::vector<RunPart> count_parts(const scenarios::ScenarioResult& scenario,
                                               CountScope scope, const model::PmuConfig& pmu,
                                               const std::vector<std::string>& names);

}  // namespace linefill::measure
