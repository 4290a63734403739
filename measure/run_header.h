// SPDX-License-Identifier: Apache-2.0
// What was simulated, in the lines that stand before a result.
#pragma once

#include <string>
#include <vector>

#include "measure/run_result.h"
#include "measure/run_spec.h"

namespace linefill::measure {

/// Lines without their "# ": version, platform, kernel, patches in effect, everything else that was
/// set, seeds, the share that was simulated in detail. `runs` are those that finished.
[[nodiscard]] std::vector<std::string> header_lines(const RunSpec& spec,
                                                    const std::vector<RunResult>& runs);

/// One side of a comparison in one line: "platform xeon-snb-2s, kernel v4.7-rc7, set a=1".
[[nodiscard]] std::string side_line(const RunSpec& spec);

}  // namespace linefill::measure
