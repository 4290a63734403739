// SPDX-License-Identifier: Apache-2.0
// perf stat's text, as perf 6.1 prints it in an English locale.
#pragma once

#include <string>

#include "measure/perf_rows.h"

namespace linefill::measure {

/// The whole block: the lines of the header, each as "# LINE", and an empty line, where perf's -o
/// has its "# started on"; the title; the rows; the times. A figure named "elapsed" has no row of
/// its own unless it is among the events, since the times show it. Reports taken at intervals have
/// neither title nor times.
[[nodiscard]] std::string perf_text(const StatReport& report);

/// "# LINE" for each line and an empty line; nothing without lines.
[[nodiscard]] std::string comment_block(const std::vector<std::string>& lines);

}  // namespace linefill::measure
