// SPDX-License-Identifier: Apache-2.0
// From what was counted in detailed windows to the counts of the whole run, and how sure they are.
#pragma once

#include <vector>

#include "scenarios/run.h"

namespace linefill::scenarios {

/// One detailed window.
struct WindowSample {
    SplitCounters counted;  ///< of the units of work measured in it
    double units = 0;       ///< units measured
    double stands_for = 0;  ///< units of the whole run that it speaks for, its own included
    double running = 0;     ///< threads of the workload on a CPU, mean
    unsigned live = 0;      ///< threads of the workload that had work left
    bool tail = false;      ///< opened because threads had ended
};

/// Counts that scale with something else than work: interrupts, context switches.
struct RatedSample {
    SplitCounters counted;
    double units = 0;  ///< interrupts or switches in `counted`
    double whole = 0;  ///< in the whole run
};

struct Estimate {
    std::array<BucketResult, kBucketCount> buckets;
    SplitCounters counts;
    std::array<double, model::kEventCount> error{}, error_user{}, error_kernel{};
    double running = 0;
};

/// Scales work by windows (each per unit, times what it stands for), interrupts and switches by their
/// number, and adds `once` as it is. The error of an event is that of its per-unit figure: the spread
/// of the full-load windows, each weighted with its share of the work, and an allowance for what windows
/// have wrong in common; what was measured itself (all of it, under --full) has none.
Estimate estimate(const std::vector<WindowSample>& windows, const RatedSample& interrupts,
                  const RatedSample& switches, const SplitCounters& once);

/// `c` times `factor`, each member rounded to the nearest.
model::Counters scaled(const model::Counters& c, double factor);
SplitCounters scaled(const SplitCounters& c, double factor);

}  // namespace linefill::scenarios
