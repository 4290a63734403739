// SPDX-License-Identifier: Apache-2.0
// What probes compare with: [provenance.targets] of the platform file.
#pragma once

#include <string>

#include "model/sim/time.h"
#include "scenarios/probes/probe.h"

namespace linefill::scenarios {

/// How near a probe must come: unloaded latencies of the levels, and transfers between CPUs.
inline constexpr double kLevelTolerance = 0.05;
inline constexpr double kTransferTolerance = 0.10;

/// Takes the target `name` and its unit; none if the platform has no such figure.
void set_target(ProbeRow& row, const model::Platform& platform, const std::string& name,
                double tolerance);
/// Sets what was measured, in the row's unit (ns if it has none of its own).
void set_time(ProbeRow& row, model::Tick time, model::Tick period);

}  // namespace linefill::scenarios
