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
    ConfigFileOptions config;
    HostOptions host;

    void add_to(Parser& parser) {
        machine.add_to(parser);
        kernel.add_to(parser);
        repeat.add_to(parser);
        parser.group("Output");
        parser.texts("--struct", structures, "NAME", "of `fields`: only this structure");
        constexpr std::uint64_t kMaxLimit = 1000000;
        parser.number("--limit", limit, 1, kMaxLimit, "N", "rows at most");
        parser.choice("--format", format, {"text", "csv", "json"}, "how the report is written");
        parser.text("-o,--output", file, "FILE", "the report goes there instead of to stdout");
        config.add_to(parser);
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

/// What is to be run: --load-config first, then everything given besides.
measure::RunConfig configuration_of(const ReportCommandOptions& options,
                                    const std::vector<std::string>& words) {
    measure::RunConfig config = options.config.start();
    apply(options.machine, options.kernel, options.repeat, words, config);
    // Enough for the header's line on what was simulated.
    config.spec.events = measure::default_events();
    config.spec.scope = measure::CountScope::kWorkload;
    config.spec.interval_ms.reset();
    return config;
}

measure::RowPlan plan_of(const measure::RunConfig& config) {
    std::vector<std::string> platforms = {config.spec.platform};
    if (config.spec.platform_text.empty()) platforms = platform_list(config.spec.platform);
    require_kernel(config.spec.kernel);
    require_workload(config.workloads);
    measure::RowPlan plan;
    plan.repeats = config.repeats;
    for (const std::string& platform : platforms) {
        for (const std::string& command : config.workloads) {
            for (const auto& workload : scenarios::expand_rows(scenarios::split_command(command))) {
                measure::RunSpec spec = config.spec;
                spec.platform = platform;
                spec.workload = scenarios::split_command(workload->command_line());
                spec.attribution.accesses = true;
                (void)measure::prepare(spec, default_dirs());
                plan.rows.push_back({spec});
            }
        }
    }
    return plan;
}

/// One row's report with what was simulated.
std::string json_object(const std::string& report, const std::vector<std::string>& header,
                        const std::string& rows) {
    std::string lines;
    for (const std::string& line : header) {
        lines += (lines.empty() ? "\n  " : ",\n  ") + measure::json_string(line);
    }
    return "{\"report\": " + measure::json_string(report) + ",\n \"simulated\": [" + lines +
           "],\n \"rows\": " + rows + "}";
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
    const measure::RunConfig config = configuration_of(options, words.rest);
    const measure::RowPlan plan = plan_of(config);

    measure::ReportOptions shape;
    shape.structures = options.structures;
    shape.limit = static_cast<unsigned>(options.limit);
    shape.format = options.format;
    Output output(options.file, Output::Stream::kStdout);
    options.config.write([&] {
        if (config.spec.platform.find(',') != std::string::npos) refuse_platforms_in_config();
        return measure::write_run_config(config, default_dirs());
    });
    std::size_t rows = 0;
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
        const std::string text =
            measure::render_report(kind, *measure::merge_attribution(recorded), shape);
        if (options.format == "json") {
            output.write((rows++ == 0 ? "[" : ",\n") +
                         json_object(words.subjects.front(), header, text));
        } else {
            if (options.format == "text") output.write(measure::comment_block(header));
            output.write(text);
        }
    });
    if (options.format == "json") output.write(rows == 0 ? "[]\n" : "]\n");
    const int code = session.finish();
    output.finish();
    return code;
}

}  // namespace linefill::app
