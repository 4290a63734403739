// SPDX-License-Identifier: Apache-2.0
// perf stat -x: one line per event, fields between a separator of the user's choice.
#pragma once

#include <string>
#include <string_view>

#include "measure/perf_rows.h"

namespace linefill::measure {

/// The header as in perf_text, then the rows as perf 6.1 prints them: [time] [part] value, unit,
/// event, [noise% if the runs are several], running time in ns, percent running, note's number,
/// note's unit. The percentage is cut to a whole number, as perf does. There is no line for the time
/// elapsed; figures of the workload are rows after the events.
[[nodiscard]] std::string perf_csv(const StatReport& report, std::string_view separator);

}  // namespace linefill::measure
