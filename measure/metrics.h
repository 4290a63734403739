// SPDX-License-Identifier: Apache-2.0
// Metrics by name: events, the workload's figures, ratios of two of them; unit and good direction.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "measure/run_result.h"
#include "measure/statistics.h"

namespace linefill::measure {

/// How a metric is shown. `unit` is as B3's CSV has it: "s", "count", "%", "Mbit/s".
struct MetricInfo {
    std::string name;
    std::string unit;
    Better better = Better::kLower;
};

/// 100 x L1-dcache-load-misses / L1-dcache-loads of the same run, in percent.
inline constexpr std::string_view kL1dMissRatio = "L1-dcache-miss-ratio";
/// The event below the line: the loads that the platform counts.
inline constexpr std::string_view kL1dLoads = "L1-dcache-loads";

/// What is known of a metric by its name alone. A workload's own figures may come in several units
/// ("throughput"): `unit_of`, if not empty, is the workload's word for it. Ratios `A/B` are plain
/// quotients; of misses by accesses lower is better, of instructions by cycles higher.
[[nodiscard]] MetricInfo describe_metric(std::string_view name, std::string_view unit_of = {});

/// The metric's value in one run, in the metric's unit (task-clock and cpu-clock: ms). Nothing if
/// the run has none: not known to the run, not supported, never counted, a ratio to nothing or
/// to 0. `elapsed`, `user` and `sys` are the run's times unless the workload reports its own.
[[nodiscard]] std::optional<double> metric_value(const RunResult& run, std::string_view name);

/// The standard error of sampling within the run, in percent; 0 if none is known. That of a ratio is
/// made of both its parts'.
[[nodiscard]] double metric_sampling_error(const RunResult& run, std::string_view name);

/// The two events of a ratio ("A/B", or kL1dMissRatio); nothing for a plain name.
[[nodiscard]] std::optional<std::pair<std::string, std::string>> ratio_parts(std::string_view name);

}  // namespace linefill::measure
