// SPDX-License-Identifier: Apache-2.0
// perf stat -j: one JSON object a line.
#pragma once

#include <string>

#include "measure/perf_rows.h"

namespace linefill::measure {

/// The rows as perf 6.1 prints them; not one array, and without the report's header, which goes
/// beside the file (meta_json). `variance` is the relative standard error in percent, as in perf.
[[nodiscard]] std::string perf_json(const StatReport& report);

/// What the header says, as one JSON object for the file beside perf_json's: the command, the lines
/// of the header, the number of runs and their seeds. Ends with a newline.
[[nodiscard]] std::string meta_json(const StatReport& report);

}  // namespace linefill::measure
