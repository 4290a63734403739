// SPDX-License-Identifier: Apache-2.0
#include "measure/stat_report.h"

#include <stdexcept>

#include "measure/run_header.h"

namespace linefill::measure {
namespace {

RowScope::Kind kind_of(CountScope scope) {
    switch (scope) {
        case CountScope::kPerCpu:
            return RowScope::Kind::kCpu;
        case CountScope::kPerSocket:
            return RowScope::Kind::kSocket;
        case CountScope::kPerCore:
            return RowScope::Kind::kCore;
        case CountScope::kPerThread:
            return RowScope::Kind::kThread;
        case CountScope::kWorkload:
        case CountScope::kSystem:
            break;
    }
    return RowScope::Kind::kAll;
}

RunResult run_of(const RunPart& part, const RunResult& whole) {
    RunResult run;
    run.seed = whole.seed;
    run.events = part.events;
    run.elapsed_s = part.length_s;
    return run;
}

StatReport report_of(const RunSpec& spec, const std::vector<MetricInfo>& figures,
                     const std::vector<RunResult>& runs) {
    StatReport report = make_report(command_line(spec.workload), spec.events, runs);
    report.system_wide = spec.scope != CountScope::kWorkload;
    report.figures = figures;
    report.header = header_lines(spec, runs);
    if (runs.size() == 1) {
        const std::string errors = sampling_error_line(runs.front(), spec.events);
        if (!errors.empty()) report.header.push_back(errors);
    }
    if (runs.front().parts.empty()) return report;

    report.whole = runs;
    report.parts.clear();
    for (std::size_t i = 0; i < runs.front().parts.size(); ++i) {
        const RunPart& first = runs.front().parts[i];
        ScopedRuns scoped;
        scoped.scope = {kind_of(spec.scope), first.id, first.name, first.cpus, {}};
        if (spec.interval_ms) scoped.scope.interval_s = first.end_s;
        for (const RunResult& run : runs) {
            if (run.parts.size() != runs.front().parts.size()) {
                throw std::logic_error("runs of one row have different parts");
            }
            scoped.runs.push_back(run_of(run.parts[i], run));
        }
        report.parts.push_back(std::move(scoped));
    }
    return report;
}

}  // namespace

std::vector<StatReport> stat_reports(const RunSpec& spec, const std::vector<MetricInfo>& figures,
                                     const std::vector<RunResult>& runs) {
    if (!spec.interval_ms) return {report_of(spec, figures, runs)};
    std::vector<StatReport> reports;
    // Runs end at different times, so intervals of one have no fellows in another.
    for (const RunResult& run : runs) reports.push_back(report_of(spec, figures, {run}));
    return reports;
}

}  // namespace linefill::measure
