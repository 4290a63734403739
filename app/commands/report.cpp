// SPDX-License-Identifier: Apache-2.0
// linefill report: where cycles and misses are, and who caused them.
#include "measure/report/report.h"

#include <memory>
#include <optional>

#include "app/command.h"
#include "app/options.h"
#include "app/output.h"
#include "app/parser.h"
#include "app/session.h"
#include "measure/event_list.h"
#include "measure/perf_text.h"
#include "measure/run_header.h"
#include "measure/text_format.h"
#include "model/sim/error.h"
#include "scenarios/workload.h"

namespace linefill::app {
namespace {

using model::UserError;

struct ReportCommandOptions {
    MachineOptions machine;
    KernelOptions kernel;
    RepeatOptions repeat;
    std::vector<std::string> structures;
    std::uint64_t limit = 0;
    std::string format = "text";
    std::optional<std::string> file;
    HostOptions host;

    void add_to(Parser& parser) {
        machine.add_to(parser);
        kernel.add_to(parser);
        repeat.add_to(parser);
        parser.group("Output");
        parser.texts("--struct", structures, "NAME", "of `fields`: only this structure");
        constexpr std::uint64_t kMaxLimit = 1000000;
        parser.number("--limit", limit, 1, kMaxLimit, "N", "rows at most");
        parser.choice("--format", format, {"text", "csv"}, "how the report is written");
        parser.text("-o,--output", file, "FILE", "the report goes there instead of to stdout");
        host.add_to(parser);
    }
};

const std::vector<std::string>& kinds_of_plan() {
    static const std::vector<std::string> kKinds = {"functions", "fields", "c2c",    "locks",
                                                    "cpi",       "sched",  "latency"};
    return kKinds;
}

measure::ReportKind kind_of(const std::vector<std::string>& subjects, const Words& words) {
    const std::string expected = "one of functions, fields, c2c, locks, cpi";
    if (subjects.empty()) {
        UserError error("no kind of report");
        if (!words.rest.empty()) error.value(words.rest.front());
        error.expected(expected);
        if (!words.rest.empty()) error.nearest(words.rest.front(), kinds_of_plan());
        throw error;
    }
    const auto kind = measure::report_kind_from_string(subjects.front());
    if (!kind) refuse_not_built("linefill report " + subjects.front());
    return *kind;
}

measure::RowPlan plan_of(const ReportCommandOptions& options,
                         const std::vector<std::string>& words) {
    const std::vector<std::string> platforms = platform_list(options.machine.platforms);
    require_kernel(options.kernel.kernel);
    require_workload(words);
    measure::RowPlan plan;
    plan.repeats = static_cast<unsigned>(options.repeat.repeats.value_or(1));
    for (const std::string& platform : platforms) {
        for (const auto& workload : scenarios::expand_rows(words)) {
            measure::RunSpec spec;
            apply(options.machine, spec);
            apply(options.kernel, spec);
            apply(options.repeat, spec);
            spec.platform = platform;
            spec.workload = scenarios::split_command(workload->command_line());
            // Enough for the header's line on what was simulated.
            spec.events = measure::default_events();
            spec.attribution.accesses = true;
            (void)measure::prepare(spec, default_dirs());
            plan.rows.push_back({spec});
        }
    }
    return plan;
}

}  // namespace

int run_report(const std::vector<std::string>& arguments) {
    ReportCommandOptions options;
    Parser parser("report", "Where cycles and misses are, and who caused them.",
                  "functions|fields|c2c|locks|cpi -p PLATFORM -k KERNEL [options] [--] WORKLOAD "
                  "[ARGS]");
    options.add_to(parser);
    parser.subjects([](const std::string& word, const std::vector<std::string>& so_far) {
        if (!so_far.empty()) return false;
        for (const std::string& kind : kinds_of_plan()) {
            if (kind == word) return true;
        }
        return false;
    });
    const Words words = parser.parse(arguments);
    options.host.apply();
    const measure::ReportKind kind = kind_of(words.subjects, words);
    measure::require_reports("linefill report " + words.subjects.front());
    const measure::RowPlan plan = plan_of(options, words.rest);

    measure::ReportOptions shape;
    shape.structures = options.structures;
    shape.limit = static_cast<unsigned>(options.limit);
    shape.format = options.format;
    Output output(options.file, Output::Stream::kStdout);
    Session session(options.host);
    session.run(plan, [&](const measure::RowOutcome& outcome) {
        if (outcome.runs() == 0) return;
        const measure::RunSpec& spec = plan.rows[outcome.row].front();
        std::vector<std::string> recorded;
        for (const measure::RunOutcome& run : outcome.sides.front()) {
            recorded.push_back(run.attribution);
        }
        std::vector<std::string> header = measure::header_lines(spec, outcome.results(0));
        header.push_back("linefill workload: " + measure::command_line(spec.workload));
        if (options.format == "text") output.write(measure::comment_block(header));
        output.write(measure::render_report(kind, *measure::merge_attribution(recorded), shape));
    });
    const int code = session.finish();
    output.finish();
    return code;
}

}  // namespace linefill::app
