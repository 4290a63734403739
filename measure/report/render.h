// SPDX-License-Identifier: Apache-2.0
// The reports, one function each; a file each makes them.
#pragma once

#include <string>

#include "measure/report/attribution.h"
#include "measure/report/report.h"

namespace linefill::measure {

/// Self time, accesses, misses of each function, and its callers.
[[nodiscard]] std::string render_functions(const AttributionResult& r,
                                           const ReportOptions& options);
/// pahole text of structures with a heat column. UserError for a structure that is not there.
[[nodiscard]] std::string render_fields(const AttributionResult& r, const ReportOptions& options);
/// perf c2c's tables of every access, with the field.
[[nodiscard]] std::string render_c2c(const AttributionResult& r, const ReportOptions& options);
/// Who waited how long for which class of lock.
[[nodiscard]] std::string render_locks(const AttributionResult& r, const ReportOptions& options);
/// Where each cycle went.
[[nodiscard]] std::string render_cpi(const AttributionResult& r, const ReportOptions& options);

/// What moved between two sides, largest first.
[[nodiscard]] std::string explain_change(const ExplainInput& input, ExplainFormat format);

}  // namespace linefill::measure
