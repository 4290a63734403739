// SPDX-License-Identifier: Apache-2.0
// Rows of measurements to specs and back.
#include "measure/validate_run.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "kernel/version.h"
#include "measure/event_counts.h"
#include "measure/event_list.h"
#include "measure/metrics.h"
#include "measure/text_format.h"
#include "model/platform/load.h"
#include "model/sim/error.h"
#include "scenarios/workload.h"

namespace linefill::measure {
namespace {

using model::UserError;

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// What `unit_from` must be multiplied with to be in `unit_to`; nothing if it cannot be.
std::optional<double> unit_factor(const std::string& unit_from, const std::string& unit_to) {
    if (unit_from == unit_to) return 1.0;
    static const std::map<std::string, double> kSeconds = {
        {"s", 1}, {"ms", 1e-3}, {"msec", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
    const auto from = kSeconds.find(unit_from);
    const auto to = kSeconds.find(unit_to);
    if (from == kSeconds.end() || to == kSeconds.end()) return std::nullopt;
    return from->second / to->second;
}

RunSpec spec_of(const Measurement& row, const RunSpec& common) {
    RunSpec spec = common;
    spec.platform = row.platform;
    spec.kernel = row.kernel;
    for (const std::string& patch : row.apply) spec.kernel += "+" + patch;
    spec.config.insert(spec.config.end(), row.config.begin(), row.config.end());
    const std::string boot = joined(row.boot, " ");
    if (!boot.empty()) spec.boot += (spec.boot.empty() ? "" : " ") + boot;
    spec.workload = scenarios::split_command(row.workload);
    return spec;
}

/// Runs `step`; what is not built yet becomes the reason to skip, other complaints pass through.
void attempt(std::string& reason, const std::function<void()>& step) {
    try {
        step();
    } catch (const kernel::NotBuiltYet& error) {
        if (reason.empty()) reason = error.what();
    }
}

void check_platform(const RunSpec& spec, const DataDirs& dirs, std::string& reason) {
    if (contains(planned_platforms(), spec.platform) &&
        !contains(model::platform_names(dirs.platforms), spec.platform)) {
        if (reason.empty()) reason = "this platform is planned but not built yet: " + spec.platform;
        return;
    }
    try {
        (void)prepare_platform(spec, dirs);
    } catch (UserError& error) {
        if (error.key() != "--platform") throw;
        error.key("platform");
        throw;
    }
}

/// The metric must be one that the workload or the machine can have, in a unit that we can give.
void check_metric(const Measurement& row, const scenarios::WorkloadKind& kind) {
    std::vector<std::string> figures;
    std::string unit;
    for (const scenarios::WorkloadMetric& metric : kind.metrics()) {
        figures.push_back(metric.name);
        if (metric.name == row.metric) unit = metric.unit;
    }
    if (!contains({"elapsed", "user", "sys"}, row.metric)) {
        (void)parse_event_list(row.metric, figures);
    }
    const MetricInfo info = describe_metric(row.metric, unit);
    if (!unit_factor(info.unit, row.unit)) {
        throw UserError("unit of another kind").key("unit").value(row.unit).expected(info.unit);
    }
}

/// Everything that is said of the configuration, without what is counted.
bool is_same_configuration(RunSpec one, const RunSpec& other) {
    one.events = other.events;
    return one == other;
}

double factor_of(const Measurement& row) {
    std::string unit;
    const auto words = scenarios::split_command(row.workload);
    for (const scenarios::WorkloadMetric& metric :
         scenarios::WorkloadRegistry::instance().find(words.front()).metrics()) {
        if (metric.name == row.metric) unit = metric.unit;
    }
    return unit_factor(describe_metric(row.metric, unit).unit, row.unit).value_or(1);
}

}  // namespace

const std::vector<std::string>& planned_platforms() {
    static const std::vector<std::string> kNames = {
        "xeon-snb-2s", "xeon-hsw-2s", "i7-3770",     "qemu-e5-2690v3-8vcpu", "hi1215",
        "xeon-skx-2s", "xeon-icx-2s", "neoverse-n1", "epyc-zen3-2s"};
    return kNames;
}

ValidationPlan::ValidationPlan(Measurements measurements, const std::string& file,
                               const RunSpec& common, const DataDirs& dirs, PlatformTexts platforms)
    : measurements_(std::move(measurements)), platforms_(std::move(platforms)) {
    work_.name = "visit of a thread by a call";
    for (std::size_t i = 0; i < measurements_.rows.size(); ++i) {
        try {
            plan_row(i, common, dirs);
        } catch (UserError& error) {
            if (error.file().empty()) error.file(file).line(measurements_.rows[i].line);
            throw;
        }
    }
}

void ValidationPlan::plan_row(std::size_t index, const RunSpec& common, const DataDirs& dirs) {
    const Measurement& row = measurements_.rows[index];
    RunSpec spec = spec_of(row, common);
    if (const auto text = platforms_.find(spec.platform); text != platforms_.end()) {
        spec.platform_text = text->second.platform_text;
        spec.platform_file = text->second.platform_file;
        spec.overrides_in_text = text->second.overrides_in_text;
    }
    std::string reason;
    // All names are looked up even if the row will be skipped, since an unknown one is a mistake.
    if (spec.workload.empty()) throw UserError("no workload").key("workload");
    attempt(reason, [&] {
        const auto& kind = scenarios::WorkloadRegistry::instance().find(spec.workload.front());
        (void)scenarios::parse_workload(spec.workload);
        check_metric(row, kind);
    });
    check_platform(spec, dirs, reason);
    attempt(reason, [&] { (void)prepare_kernel(spec); });
    if (reason.empty()) attempt(reason, [&] { (void)prepare(spec, dirs); });
    if (!reason.empty()) {
        predictions_[index] = Prediction::skip(reason);
        return;
    }
    if (row.metric == "cycles") {
        const scenarios::WorkPlan plan = scenarios::parse_workload(spec.workload)->plan();
        const unsigned cpus = prepare_platform(spec, dirs).topology.cpus();
        work_.by_row[index] =
            static_cast<double>(plan.units) * static_cast<double>(std::min(plan.threads, cpus));
    }
    auto found = std::find_if(runs_.begin(), runs_.end(), [&](const ValidationRun& run) {
        return is_same_configuration(run.spec, spec);
    });
    if (found == runs_.end()) {
        runs_.push_back({std::move(spec), {}});
        found = runs_.end() - 1;
    }
    found->rows.push_back(index);
    std::vector<std::string> wanted = {row.metric};
    if (row.metric == kL1dMissRatio) {
        wanted.emplace_back(kL1dLoads);
        for (const char* raw : {"l1d_fill", "l1d_fill_into_invalid", "l1d_upgrade"}) {
            wanted.push_back(std::string(kModelEventPrefix) + raw);
        }
    }
    for (std::string& name : wanted) {
        if (!contains(found->spec.events, name)) found->spec.events.push_back(std::move(name));
    }
}

RowPlan ValidationPlan::row_plan(unsigned repeats) const {
    RowPlan plan;
    plan.repeats = repeats;
    for (const ValidationRun& run : runs_) plan.rows.push_back({run.spec});
    return plan;
}

void ValidationPlan::add(const RowOutcome& outcome) {
    const ValidationRun& run = runs_.at(outcome.row);
    const std::vector<RunResult> results = outcome.results(0);
    for (const std::size_t index : run.rows) {
        const Measurement& row = measurements_.rows[index];
        const double factor = factor_of(row);
        std::vector<double> samples;
        for (const RunResult& result : results) {
            if (const auto value = metric_value(result, row.metric)) {
                samples.push_back(*value * factor);
            }
        }
        if (results.empty()) {
            predictions_[index] = Prediction::skip("every run of it failed");
        } else if (samples.size() != results.size()) {
            predictions_[index] = Prediction::skip(row.platform + " does not count " + row.metric);
        } else {
            predictions_[index] = Prediction::of(std::move(samples));
        }
    }
    if (!results.empty() && contains(run.spec.events, std::string(kL1dMissRatio))) {
        Welford fills;
        Welford valid_ways;
        Welford with_upgrades;
        for (const RunResult& result : results) {
            const auto raw = [&](const char* name) {
                return metric_value(result, std::string(kModelEventPrefix) + name).value_or(0);
            };
            const double loads = metric_value(result, std::string(kL1dLoads)).value_or(0);
            if (loads <= 0) continue;
            const auto ratio = [loads](double misses) { return 100 * misses / loads; };
            fills.add(ratio(raw("l1d_fill")));
            valid_ways.add(ratio(raw("l1d_fill") - raw("l1d_fill_into_invalid")));
            with_upgrades.add(ratio(raw("l1d_fill") + raw("l1d_upgrade")));
        }
        ratios_[outcome.row] = {fills.mean(), valid_ways.mean(), with_upgrades.mean()};
    }
}

void ValidationPlan::close(const std::string& reason) {
    for (std::size_t i = 0; i < measurements_.rows.size(); ++i) {
        predictions_.emplace(i, Prediction::skip(reason));
    }
}

std::vector<GroupCheck> ValidationPlan::take_ready_groups() {
    const auto is_known = [&](const std::optional<std::size_t>& row) {
        return !row || predictions_.count(*row) != 0;
    };
    std::vector<GroupCheck> ready;
    while (next_group_ < measurements_.groups.size()) {
        const MeasurementGroup& group = measurements_.groups[next_group_];
        if (!is_known(group.baseline) || !is_known(group.patched)) break;
        ready.push_back(check_group(measurements_, group, predictions_));
        ++next_group_;
    }
    return ready;
}

Validation ValidationPlan::result() const { return validate(measurements_, predictions_, work_); }

std::string ValidationPlan::ratio_by_definition() const {
    if (ratios_.empty()) return "";
    std::string text =
        "\nL1-dcache-miss-ratio by what counts as a miss: every fill; only fills into ways that "
        "held\n"
        "a line (pmu.count_fill_into_invalid=false of the platform); every fill, and S->M "
        "upgrades\n"
        "(pmu.count_upgrades=true):\n\n";
    std::size_t width = 0;
    const auto name_of = [&](std::size_t index) {
        const RunSpec& spec = runs_[index].spec;
        return command_line(spec.workload) + ", " + spec.kernel;
    };
    for (const auto& [index, ratios] : ratios_) width = std::max(width, name_of(index).size());
    for (const auto& [index, ratios] : ratios_) {
        constexpr int kNumberWidth = 9;
        text += "  " + left_aligned(name_of(index), static_cast<int>(width));
        for (const double percent : {ratios.fills, ratios.valid_ways, ratios.with_upgrades}) {
            text += right_aligned(fixed(percent, 2) + "%", kNumberWidth);
        }
        text += "\n";
    }
    return text;
}

}  // namespace linefill::measure
