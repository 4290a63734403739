// SPDX-License-Identifier: Apache-2.0
// From the runs of one row to what perf stat shows of them, split as they were counted.
#pragma once

#include <string>
#include <vector>

#include "measure/perf_rows.h"
#include "measure/run_spec.h"

namespace linefill::measure {

/// One block of output for all runs together or, at intervals, one for each run: perf too prints them
/// one after the other. Headers say what was simulated. At least one run.
[[nodiscard]] std::vector<StatReport> stat_reports(const RunSpec& spec,
                                                   const std::vector<MetricInfo>& figures,
                                                   const std::vector<RunResult>& runs);

}  // namespace linefill::measure
