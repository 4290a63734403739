// SPDX-License-Identifier: Apache-2.0
// Holds the registered backend, and the names of the reports.
#include "measure/report/report.h"

#include <array>
#include <utility>

#include "model/sim/error.h"

namespace linefill::measure {
namespace {

constexpr std::array<std::pair<ReportKind, std::string_view>, 5> kKinds = {
    {{ReportKind::kFunctions, "functions"},
     {ReportKind::kFields, "fields"},
     {ReportKind::kC2c, "c2c"},
     {ReportKind::kLocks, "locks"},
     {ReportKind::kCpi, "cpi"}}};

ReportBackend& backend() {
    static ReportBackend instance;
    return instance;
}

}  // namespace

std::string_view to_string(ReportKind kind) {
    for (const auto& [known, word] : kKinds) {
        if (known == kind) return word;
    }
    return "";
}

std::optional<ReportKind> report_kind_from_string(std::string_view word) {
    for (const auto& [kind, known] : kKinds) {
        if (known == word) return kind;
    }
    return std::nullopt;
}

RegisterReports::RegisterReports(ReportBackend reports) { backend() = std::move(reports); }

void require_reports(std::string_view what) {
    if (!backend().make_recorder) {
        throw model::UserError("not built yet: " + std::string(what));
    }
}

std::unique_ptr<AttributionRecorder> make_attribution_recorder(const PreparedRun& prepared) {
    require_reports("attribution");
    return backend().make_recorder(prepared);
}

std::shared_ptr<const AttributionResult> merge_attribution(const std::vector<std::string>& texts) {
    require_reports("attribution");
    return backend().merge(texts);
}

std::string render_report(ReportKind kind, const AttributionResult& result,
                          const ReportOptions& options) {
    require_reports("report " + std::string(to_string(kind)));
    return backend().render(kind, result, options);
}

std::string explain(const ExplainInput& input, ExplainFormat format) {
    require_reports("--explain");
    return backend().explain(input, format);
}

}  // namespace linefill::measure
