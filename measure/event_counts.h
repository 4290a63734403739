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

/// What a set of counters counted: of the workload, of a CPU, of a thread, in an interval.
struct CountView {
    scenarios::SplitCounters counts;
    double clock_s = 0;                           ///< what task-clock and cpu-clock show
    double user_clock_s = 0, kernel_clock_s = 0;  ///< the same with :u and :k
};

/// The workload's tasks over the whole run.
[[nodiscard]] CountView whole_workload(const scenarios::ScenarioResult& scenario);

/// One event of `view`, by its name with or without modifier. Which share of it was simulated is
/// taken from the whole run. One that the platform does not define is not supported.
[[nodiscard]] EventCount count_event(const CountView& view,
                                     const scenarios::ScenarioResult& scenario,
                                     const model::PmuConfig& pmu, const std::string& name);

/// The events among `names`, and those that ratios among them are made of: neither times nor the
/// workload's own figures.
[[nodiscard]] std::vector<std::string> events_among(const std::vector<std::string>& names,
                                                    const scenarios::ScenarioResult& scenario);

/// The whole result: times, the workload's figures, and the counts of `view` for `names` (events with
/// or without modifier, ratios, figures).
[[nodiscard]] RunResult to_run_result(const scenarios::ScenarioResult& scenario,
                                      const CountView& view, const model::PmuConfig& pmu,
                                      const std::vector<std::string>& names);
/// The same of the workload.
[[nodiscard]] RunResult to_run_result(const scenarios::ScenarioResult& scenario,
                                      const model::PmuConfig& pmu,
                                      const std::vector<std::string>& names);

}  // namespace linefill::measure
