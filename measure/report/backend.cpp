// SPDX-License-Identifier: Apache-2.0
// Puts recorder and reports in place.
#include <stdexcept>

#include "measure/prepare.h"
#include "measure/report/attribution.h"
#include "measure/report/recorder.h"
#include "measure/report/render.h"
#include "measure/report/report.h"

namespace linefill::measure {
namespace {

std::unique_ptr<AttributionRecorder> make_recorder(const PreparedRun& prepared) {
    if (!prepared.layout) throw std::logic_error("attribution of a run without a layout");
    return std::make_unique<Recorder>(*prepared.layout);
}

std::shared_ptr<const AttributionResult> merge(const std::vector<std::string>& texts) {
    auto sum = std::make_shared<AttributionResult>();
    for (const std::string& text : texts) *sum += decode_attribution(text);
    return sum;
}

std::string render(ReportKind kind, const AttributionResult& r, const ReportOptions& options) {
    switch (kind) {
        case ReportKind::kFunctions:
            return render_functions(r, options);
        case ReportKind::kFields:
            return render_fields(r, options);
        case ReportKind::kC2c:
            return render_c2c(r, options);
        case ReportKind::kLocks:
            return render_locks(r, options);
        case ReportKind::kCpi:
            return render_cpi(r, options);
    }
    throw std::logic_error("no such report");
}

const RegisterReports kRegistered({make_recorder, merge, render, explain_change});

}  // namespace
}  // namespace linefill::measure
