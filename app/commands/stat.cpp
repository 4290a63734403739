// SPDX-License-Identifier: Apache-2.0
// linefill stat: perf stat on the modelled machine.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/command.h"
#include "app/logging.h"
#include "app/options.h"
#include "app/output.h"
#include "app/parser.h"
#include "app/session.h"
#include "measure/config_file.h"
#include "measure/metrics.h"
#include "measure/perf_csv.h"
#include "measure/perf_json.h"
#include "measure/perf_text.h"
#include "measure/stat_report.h"
#include "model/sim/error.h"
#include "scenarios/workload.h"

namespace linefill::app {
namespace {

using measure::RunSpec;
using model::UserError;

struct StatOptions {
    MachineOptions machine;
    KernelOptions kernel;
    RepeatOptions repeat;
    EventOptions events;
    HostOptions host;
    std::optional<std::string> separator;
    bool json = false;
    std::optional<std::string> file;
    ConfigFileOptions config;

    void add_to(Parser& parser) {
        machine.add_to(parser);
        kernel.add_to(parser);
        repeat.add_to(parser);
        events.add_to(parser);
        parser.group("Output");
        parser.text("-x,--field-separator", separator, "SEP", "CSV with this separator");
        parser.flag("-j,--json-output", json, "JSON, one object a line");
        parser.text("-o,--output", file, "FILE", "the counts go there instead of to stderr");
        config.add_to(parser);
        host.add_to(parser);
    }
};

/// The figures of a kind of workload; elapsed has its own line in perf's output.
std::vector<measure::MetricInfo> figures_of(const scenarios::Workload& workload) {
    std::vector<measure::MetricInfo> figures;
    const auto& kind = scenarios::WorkloadRegistry::instance().find(workload.name());
    for (const scenarios::WorkloadMetric& metric : kind.metrics()) {
        figures.push_back(measure::describe_metric(metric.name, metric.unit));
    }
    return figures;
}

std::vector<std::string> names_of(const std::vector<measure::MetricInfo>& figures) {
    std::vector<std::string> names;
    for (const measure::MetricInfo& figure : figures) names.push_back(figure.name);
    return names;
}

struct StatRow {
    RunSpec spec;
    std::vector<measure::MetricInfo> figures;
};

/// What is to be run: --load-config first, then everything given besides.
measure::RunConfig configuration_of(const StatOptions& options,
                                    const std::vector<std::string>& words) {
    measure::RunConfig config = options.config.start();
    apply(options.machine, options.kernel, options.repeat, words, config);
    apply(options.events, config.spec);
    return config;
}

/// The events of `spec` for a workload with these figures.
std::vector<std::string> events_of(const StatOptions& options, const RunSpec& spec,
                                   const std::vector<measure::MetricInfo>& figures) {
    const bool given = !options.events.lists.empty() || options.events.detail > 0;
    if (!given && !spec.events.empty()) return spec.events;
    return options.events.events(names_of(figures), spec.scope != measure::CountScope::kWorkload);
}

std::vector<StatRow> rows_of(const StatOptions& options, const measure::RunConfig& config) {
    std::vector<std::string> platforms = {config.spec.platform};
    if (config.spec.platform_text.empty()) platforms = platform_list(config.spec.platform);
    require_kernel(config.spec.kernel);
    require_workload(config.workloads);
    std::vector<StatRow> rows;
    for (const std::string& platform : platforms) {
        for (const std::string& command : config.workloads) {
            for (const auto& workload : scenarios::expand_rows(scenarios::split_command(command))) {
                StatRow row;
                row.spec = config.spec;
                row.spec.platform = platform;
                row.spec.workload = scenarios::split_command(workload->command_line());
                row.figures = figures_of(*workload);
                row.spec.events = events_of(options, config.spec, row.figures);
                (void)measure::prepare(row.spec, default_dirs());
                rows.push_back(std::move(row));
            }
        }
    }
    return rows;
}

/// The configuration as it will be run, for --dump-config.
std::string dump_of(const std::vector<StatRow>& rows, unsigned repeats) {
    measure::RunConfig config;
    config.spec = rows.front().spec;
    config.repeats = repeats;
    for (const StatRow& row : rows) {
        if (row.spec.platform != config.spec.platform) {
            refuse_platforms_in_config();
        }
        config.workloads.push_back(measure::command_line(row.spec.workload));
    }
    return measure::write_run_config(config, default_dirs());
}

}  // namespace

int run_stat(const std::vector<std::string>& arguments) {
    StatOptions options;
    Parser parser("stat", "Counts events of a workload, as perf stat does.",
                  "-p PLATFORM -k KERNEL [options] [--] WORKLOAD [ARGS]");
    options.add_to(parser);
    const Words words = parser.parse(arguments);
    if (options.json && options.separator) throw UserError("-j and -x exclude each other");
    if (options.separator && options.separator->empty()) {
        throw UserError("an empty separator").key("--field-separator");
    }
    options.host.apply();
    const measure::RunConfig config = configuration_of(options, words.rest);
    const std::vector<StatRow> rows = rows_of(options, config);

    Output output(options.file, Output::Stream::kStderr);
    std::unique_ptr<Output> meta;
    // Beside a pipe or a device there is no place for it.
    if (options.json && options.file && std::filesystem::is_regular_file(*options.file)) {
        meta = std::make_unique<Output>(*options.file + ".meta.json", Output::Stream::kStdout);
    }
    options.config.write([&] { return dump_of(rows, config.repeats); });

    measure::RowPlan plan;
    plan.repeats = config.repeats;
    for (const StatRow& row : rows) plan.rows.push_back({row.spec});
    Session session(options.host);
    session.run(plan, [&](const measure::RowOutcome& outcome) {
        if (outcome.runs() == 0) return;
        const StatRow& row = rows[outcome.row];
        for (const auto& report :
             measure::stat_reports(row.spec, row.figures, outcome.results(0))) {
            if (options.json) {
                output.write(measure::perf_json(report));
                if (meta) meta->write(measure::meta_json(report));
            } else if (options.separator) {
                output.write(measure::perf_csv(report, *options.separator));
            } else {
                output.write(measure::perf_text(report));
            }
        }
    });
    const int code = session.finish();
    output.finish();
    if (meta) meta->finish();
    return code;
}

}  // namespace linefill::app
