// SPDX-License-Identifier: Apache-2.0
// Why something moved: what a run records about every access, and the reports made of it. The
// recorder and the reports register themselves, so commands need to know nothing but this file.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/lock/lock_observer.h"
#include "model/core/access.h"

namespace linefill::scenarios {
struct ScenarioResult;
}  // namespace linefill::scenarios

namespace linefill::measure {

struct PreparedRun;

/// What one or several runs of one configuration recorded; defined where it is recorded.
struct AttributionResult;

/// Watches one run, in its worker process.
class AttributionRecorder {
public:
    virtual ~AttributionRecorder() = default;
    [[nodiscard]] virtual model::AccessObserver* accesses() = 0;
    [[nodiscard]] virtual kernel::LockObserver* locks() = 0;
    /// What comes now belongs to another window of the run, which may stand for more or less work.
    virtual void begin_window() = 0;
    /// After the run: all that was recorded, as text that travels to the parent and that
    /// ReportBackend::merge reads. Deterministic: no ids that depend on link order.
    [[nodiscard]] virtual std::string finish(const scenarios::ScenarioResult& result) = 0;
};

enum class ReportKind { kFunctions, kFields, kC2c, kLocks, kCpi };

/// "functions", "fields", "c2c", "locks", "cpi".
[[nodiscard]] std::string_view to_string(ReportKind kind);
[[nodiscard]] std::optional<ReportKind> report_kind_from_string(std::string_view word);

/// What a report may be narrowed to.
struct ReportOptions {
    /// Of `fields`: only these structures; empty: those that cost most.
    std::vector<std::string> structures;
    /// Rows at most; 0: all.
    unsigned limit = 0;
    /// "text", "csv", or "json": an array without a newline behind it.
    std::string format = "text";
};

/// How an explanation is written: as text; as rows of CSV behind a line of their names, or without
/// it; as rows of JSON, objects with commas between them; as Markdown.
enum class ExplainFormat { kText, kCsv, kCsvRows, kJson, kMarkdown };

/// The two sides of one row of a comparison.
struct ExplainInput {
    std::string workload;
    std::string baseline_name;
    std::string patched_name;
    std::shared_ptr<const AttributionResult> baseline;
    std::shared_ptr<const AttributionResult> patched;
};

/// The part that is built in one place and used in another.
struct ReportBackend {
    std::function<std::unique_ptr<AttributionRecorder>(const PreparedRun&)> make_recorder;
    /// What the runs of one configuration recorded, together; `texts` come from finish().
    std::function<std::shared_ptr<const AttributionResult>(const std::vector<std::string>& texts)>
        merge;
    /// Whole text of a report, with its newline.
    std::function<std::string(ReportKind, const AttributionResult&, const ReportOptions&)> render;
    /// compare --explain for one row: what moved, largest first, last the share unexplained.
    std::function<std::string(const ExplainInput&, ExplainFormat)> explain;
};

/// Puts the backend in place when the program starts:
/// `static const RegisterReports kRegistered({...});`
struct RegisterReports {
    explicit RegisterReports(ReportBackend backend);
};

// The calls of the commands. They throw UserError ("not built yet") without a backend.
[[nodiscard]] std::unique_ptr<AttributionRecorder> make_attribution_recorder(
    const PreparedRun& prepared);
[[nodiscard]] std::shared_ptr<const AttributionResult> merge_attribution(
    const std::vector<std::string>& texts);
[[nodiscard]] std::string render_report(ReportKind kind, const AttributionResult& result,
                                        const ReportOptions& options);
[[nodiscard]] std::string explain(const ExplainInput& input,
                                  ExplainFormat format = ExplainFormat::kText);
/// Throws UserError if there is no backend; for a check before anything runs.
void require_reports(std::string_view what);

}  // namespace linefill::measure
