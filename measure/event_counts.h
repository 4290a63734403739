// SPDX-License-Identifier: Apache-2.0
// From the model's counters to perf's events, as the platform's PMU defines them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "measure/run_result.h"
#include "model/platform/platform.h"
#include "scenarios/run.h"

namespace linefill::measure {

/// A name that begins so is an event of the model, not of perf: "model.l1d_fill".
inline constexpr std::string_view kModelEventPrefix = "model.";

/// Fills `run.events` and `run.sampling_rel_err` with each of `names` (events with or without
/// modifier, ratios, figures of the workload; the latter two add the events that they are made of)
/// from what the scenario gave. Events that the platform does not define are not supported.
void add_events(const scenarios::ScenarioResult& scenario, const model::PmuConfig& pmu,
                const std::vector<std::string>& names, RunResult& run);

/// The whole result: times, the workload's figures, events.
[[nodiscard]] RunResult to_run_result(const scenarios::ScenarioResult& scenario,
                                      const model::PmuConfig& pmu,
                                      const std::vector<std::string>& names);

}  // namespace linefill::measure
