// SPDX-License-Identifier: Apache-2.0
// Drafts become sides and rows, these become runs, and their results the rows of a table.
#include "measure/compare_run.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "kernel/version.h"
#include "measure/event_list.h"
#include "measure/run_header.h"
#include "model/sim/error.h"
#include "scenarios/scenario_file.h"
#include "scenarios/workload.h"

namespace linefill::measure {
namespace {

using model::UserError;

/// The command without the swept argument: "pound_times --threads 8 --calls 9" by "--threads".
std::string without_argument(const std::string& command, const std::string& flag) {
    std::vector<std::string> kept;
    const std::vector<std::string> words = scenarios::split_command(command);
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (!flag.empty() && words[i] == flag) {
            ++i;
        } else {
            kept.push_back(words[i]);
        }
    }
    return command_line(kept);
}

std::vector<MetricInfo> metrics_for(const scenarios::WorkloadKind& kind,
                                    const std::vector<std::string>& names) {
    const std::vector<scenarios::WorkloadMetric> figures = kind.metrics();
    std::vector<std::string> figure_names;
    for (const auto& figure : figures) figure_names.push_back(figure.name);
    std::vector<MetricInfo> metrics;
    for (const std::string& name : names) {
        const auto own = std::find(figure_names.begin(), figure_names.end(), name);
        if (own != figure_names.end()) {
            const auto at = static_cast<std::size_t>(own - figure_names.begin());
            metrics.push_back(describe_metric(name, figures[at].unit));
            continue;
        }
        if (name != "elapsed" && name != "user" && name != "sys") {
            (void)parse_event_list(name, figure_names);
        }
        metrics.push_back(describe_metric(name));
    }
    return metrics;
}

/// What a side is called for: everything but kernel and platform.
std::string settings_of(const RunSpec& spec) {
    RunSpec bare = spec;
    bare.platform.clear();
    bare.kernel.clear();
    const std::string line = side_line(bare);
    const std::string empty = side_line(RunSpec());
    return line.size() > empty.size() ? line.substr(empty.size() + 2) : "";
}

/// Whether `error` is there without what was given for the side alone.
bool is_shared(const CompareSide& side, const CompareRow& row, const UserError& error,
               const DataDirs& dirs) {
    if (!side.shared) return true;
    RunSpec spec = *side.shared;
    if (spec.platform.empty()) spec.platform = row.platform;
    spec.workload = row.words;
    try {
        (void)prepare(spec, dirs);
    } catch (const UserError& other) {
        return std::string_view(other.what()) == error.what();
    }
    return false;
}

/// The error with its option's name as it is for one side: "--set KEY" becomes "--baseline-set KEY".
UserError with_side(UserError error, const std::string& prefix) {
    constexpr std::string_view kDashes = "--";
    const std::string key = error.key();
    if (key.rfind(kDashes, 0) == 0) error.key(prefix + key.substr(kDashes.size()));
    // Only a platform that nobody knows has neither.
    if (key.empty() && error.file().empty()) error.key(prefix + "platform");
    return error;
}

/// "poundtime.toml" may stand for the scenario that comes with Linefill if there is no such file here.
std::string found_name(const std::string& name_or_path, const DataDirs& dirs) {
    std::error_code error;
    if (std::filesystem::exists(name_or_path, error)) return name_or_path;
    for (const std::string& name : scenarios::scenario_names(dirs.scenarios)) {
        if (name_or_path == name + ".toml") return name;
    }
    return name_or_path;
}

}  // namespace

CompareDraft draft_of_patch(const std::string& patch, const std::string& on, const DataDirs& dirs) {
    const std::string name =
        kernel::is_patch_range(patch) ? patch.substr(0, patch.find('^')) : patch;
    const kernel::Patch& found = kernel::find_patch(name);
    CompareDraft draft;
    const kernel::PatchScenario& scenario = found.scenario;
    if (!scenario.file.empty()) {
        draft = draft_of_scenario(scenario.file, dirs);
    } else {
        draft.platforms = {scenario.platform};
        draft.commands = scenario.workloads;
    }
    const auto [before, after] = kernel::patch_range(patch, on);
    draft.baseline = before;
    draft.patched = {after};
    return draft;
}

CompareDraft draft_of_scenario(const std::string& name_or_path, const DataDirs& dirs) {
    const scenarios::Scenario scenario =
        scenarios::load_scenario(found_name(name_or_path, dirs), dirs.scenarios);
    CompareDraft draft;
    draft.platforms = scenario.platforms;
    draft.baseline = scenario.baseline;
    draft.patched = scenario.patched;
    draft.commands = scenarios::scenario_commands(scenario);
    draft.metrics = scenario.metrics;
    draft.repeats = scenario.repeats;
    draft.overrides = scenario.set;
    draft.config = scenario.config;
    draft.boot = scenario.boot;
    return draft;
}

std::string patched_kernel(const std::string& baseline, const std::string& text) {
    const bool relative = !text.empty() && (text[0] == '+' || text[0] == '~');
    return relative ? baseline + text : text;
}

std::vector<CompareRow> rows_of(const std::vector<std::string>& commands,
                                const std::vector<std::string>& platforms,
                                const std::vector<std::string>& metrics) {
    static const std::vector<std::string> kUsual = {"elapsed", "cycles",
                                                    std::string(kL1dMissRatio)};
    std::vector<CompareRow> rows;
    for (const std::string& platform : platforms) {
        for (const std::string& command : commands) {
            for (const auto& workload : scenarios::expand_rows(scenarios::split_command(command))) {
                const auto& kind = scenarios::WorkloadRegistry::instance().find(workload->name());
                CompareRow row;
                row.parameter = workload->parameter();
                row.flag = row.parameter.empty() ? "" : kind.row_flag();
                row.words = scenarios::split_command(workload->command_line());
                row.workload = without_argument(workload->command_line(), row.flag);
                if (platforms.size() > 1) row.workload += " on " + platform;
                row.platform = platform;
                row.metrics = metrics_for(kind, metrics.empty() ? kUsual : metrics);
                rows.push_back(std::move(row));
            }
        }
    }
    return rows;
}

void name_sides(std::vector<CompareSide>& sides) {
    const auto is_named = [&](const auto& name_of) {
        for (std::size_t i = 0; i < sides.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (name_of(sides[i].spec) == name_of(sides[j].spec)) return false;
            }
        }
        return true;
    };
    const auto kernel_of = [](const RunSpec& spec) { return spec.kernel; };
    const auto full_name = [](const RunSpec& spec) {
        const std::string settings = settings_of(spec);
        return spec.kernel + (settings.empty() ? "" : ", " + settings);
    };
    const bool kernels_differ = is_named(kernel_of);
    const bool settings_differ = is_named(full_name);
    for (CompareSide& side : sides) {
        side.name = kernels_differ ? kernel_of(side.spec) : full_name(side.spec);
        if (!settings_differ && !side.spec.platform.empty()) {
            side.name = side.spec.platform + ", " + side.name;
        }
    }
}

RowPlan ComparePlan::runs() const {
    RowPlan plan;
    plan.repeats = repeats;
    for (const CompareRow& row : rows) {
        std::vector<RunSpec> specs;
        for (const CompareSide& side : sides) {
            RunSpec spec = side.spec;
            if (spec.platform.empty()) spec.platform = row.platform;
            spec.workload = row.words;
            for (const MetricInfo& metric : row.metrics) spec.events.push_back(metric.name);
            specs.push_back(std::move(spec));
        }
        plan.rows.push_back(std::move(specs));
    }
    return plan;
}

ComparisonTitle ComparePlan::title() const {
    ComparisonTitle title;
    title.baseline = sides.front().name;
    for (std::size_t i = 1; i < sides.size(); ++i) title.patched.push_back(sides[i].name);
    if (!rows.empty()) {
        const std::string& flag = rows.front().flag;
        title.parameter_name = flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
    }
    const auto add = [&](const std::string& what, const RunSpec& spec) {
        RunSpec shown = spec;
        if (shown.platform.empty() && !rows.empty()) shown.platform = rows.front().platform;
        title.header.push_back("linefill " + what + ": " + side_line(shown));
    };
    title.header.push_back("linefill " LINEFILL_VERSION);
    add("baseline", sides.front().spec);
    for (std::size_t i = 1; i < sides.size(); ++i) add("patched", sides[i].spec);
    const std::uint64_t first = sides.front().spec.seed;
    title.header.push_back("linefill seed: " + std::to_string(first) +
                           (repeats > 1 ? " to " + std::to_string(first + repeats - 1) : ""));
    return title;
}

void check(const ComparePlan& plan, const DataDirs& dirs) {
    const std::vector<std::vector<RunSpec>> specs = plan.runs().rows;
    for (std::size_t row = 0; row < specs.size(); ++row) {
        for (std::size_t side = 0; side < specs[row].size(); ++side) {
            try {
                (void)prepare(specs[row][side], dirs);
            } catch (const UserError& error) {
                if (!is_shared(plan.sides[side], plan.rows[row], error, dirs)) {
                    throw with_side(error, plan.sides[side].option_prefix);
                }
                throw;
            }
        }
    }
}

std::vector<ComparisonRow> comparison_rows(const ComparePlan& plan, const RowOutcome& outcome) {
    const CompareRow& row = plan.rows.at(outcome.row);
    std::vector<std::vector<RunResult>> patched;
    for (std::size_t side = 1; side < outcome.sides.size(); ++side) {
        patched.push_back(outcome.results(side));
    }
    std::vector<ComparisonRow> rows;
    for (const MetricInfo& metric : row.metrics) {
        rows.push_back(
            compare_runs(row.workload, row.parameter, metric, outcome.results(0), patched));
    }
    return rows;
}

}  // namespace linefill::measure
