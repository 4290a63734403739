// SPDX-License-Identifier: Apache-2.0
// Sides and rows from patches, scenarios, options and configuration files.
#include "app/commands/compare_plan.h"

#include <utility>

#include "kernel/version.h"
#include "measure/event_list.h"
#include "measure/text_format.h"
#include "model/sim/error.h"
#include "scenarios/workload.h"

namespace linefill::app {
namespace {

using measure::CompareDraft;
using measure::ComparePlan;
using model::UserError;

/// Names of the sides: how their options begin, and their sections in a configuration, where those of
/// the patched ones have a number behind.
const std::string kBaseline = "baseline";
const std::string kPatched = "patched";

/// What the command line compares, as far as it is common to both sides.
CompareDraft draft_of(const CompareOptions& options, const Words& words) {
    CompareDraft draft;
    const measure::DataDirs dirs = default_dirs();
    if (!words.subjects.empty()) {
        const std::string& subject = words.subjects.front();
        if (is_scenario(subject)) {
            draft = measure::draft_of_scenario(subject, dirs);
        } else if (!options.baseline.empty() || !options.patched.empty()) {
            throw UserError("a patch to compare stands beside --baseline or --patched")
                .value(subject)
                .expected("either one, or the others");
        } else {
            draft = measure::draft_of_patch(subject, options.kernel.kernel, dirs);
        }
    }
    const std::string& both = options.kernel.kernel;
    if (!both.empty() && (words.subjects.empty() || is_scenario(words.subjects.front()))) {
        draft.baseline = both;
        if (words.subjects.empty()) draft.patched = {both};
    }
    if (!options.baseline.empty()) {
        if (!both.empty()) {
            throw UserError("--baseline and --kernel exclude each other").value(options.baseline);
        }
        draft.baseline = options.baseline;
        if (draft.patched.empty()) draft.patched = {options.baseline};
    }
    if (!options.patched.empty()) draft.patched = options.patched;
    if (draft.baseline.empty()) require_kernel("");
    if (!options.machine.platforms.empty() || draft.platforms.empty()) {
        draft.platforms = platform_list(options.machine.platforms);
    }
    if (!words.rest.empty()) draft.commands = {measure::command_line(words.rest)};
    require_workload(draft.commands);
    return draft;
}

/// Names of -e, or those of -d after the elapsed time; empty for the usual ones.
std::vector<std::string> metrics_of(const CompareOptions& options, const CompareDraft& draft) {
    if (!options.events.empty()) return measure::split(measure::joined(options.events, ","), ',');
    if (options.detail == 0) return draft.metrics;
    std::vector<std::string> metrics = {"elapsed"};
    for (const std::string& event : measure::default_events(options.detail)) {
        metrics.push_back(event);
    }
    return metrics;
}

/// What a side begins with before any option: its kernel, and what a scenario says of all sides.
measure::RunSpec start_of(const CompareDraft& draft, const std::string& kernel) {
    measure::RunSpec spec;
    spec.overrides = draft.overrides;
    spec.config = draft.config;
    spec.boot = draft.boot;
    spec.kernel = kernel;
    return spec;
}

/// One side, `name` kBaseline or kPatched.
measure::CompareSide side_of(const CompareOptions& options, measure::RunSpec spec,
                             const SideOptions& own, const std::string& name) {
    const std::string kernel = spec.kernel;
    MachineOptions machine = options.machine;
    machine.platforms.clear();  // a matter of the rows
    apply(machine, spec);
    apply(options.kernel, spec);
    apply(options.repeat, spec);
    spec.kernel = kernel;
    spec.attribution.accesses = options.explain;

    measure::CompareSide side;
    if (own.any()) side.shared = spec;
    side.option_prefix = "--" + name + "-";
    if (!own.machine.platforms.empty() &&
        platform_list(own.machine.platforms, side.option_prefix + "platform").size() != 1) {
        throw UserError("one side has one platform")
            .key(side.option_prefix + "platform")
            .value(own.machine.platforms);
    }
    apply(own.machine, spec, side.option_prefix);
    apply(own.kernel, spec);
    side.spec = std::move(spec);
    return side;
}

/// What --load-config holds already.
void refuse_beside_config(const CompareOptions& options, const Words& words) {
    const std::pair<bool, const char*> given[] = {
        {!words.subjects.empty(), "patch or scenario"},
        {!options.baseline.empty(), "--baseline"},
        {!options.patched.empty(), "--patched"},
        {!options.kernel.kernel.empty(), "--kernel"},
        {!options.machine.platforms.empty(), "--platform"},
        {!options.baseline_side.machine.platforms.empty(), "--baseline-platform"},
        {!options.patched_side.machine.platforms.empty(), "--patched-platform"}};
    for (const auto& [is_given, name] : given) {
        if (!is_given) continue;
        throw UserError("a configuration says what is compared")
            .key("--load-config")
            .value(*options.config.load)
            .expected(std::string("no ") + name + " beside it");
    }
}

/// The plan of --load-config, with everything that was given besides.
ComparePlan loaded_plan(const CompareOptions& options, const Words& words) {
    refuse_beside_config(options, words);
    const std::vector<measure::NamedConfig> configs =
        options.config.start_named({}, kBaseline, kPatched);
    if (configs.size() < 2) {
        throw UserError("missing section").file(*options.config.load).key(kPatched + "1.run");
    }
    const measure::RunConfig& first = configs.front().config;
    ComparePlan plan;
    plan.repeats =
        options.repeat.repeats ? static_cast<unsigned>(*options.repeat.repeats) : first.repeats;
    for (const measure::NamedConfig& named : configs) {
        measure::RunSpec spec = named.config.spec;
        if (!named.config.own_platform) spec.platform.clear();
        spec.events.clear();
        const bool is_baseline = plan.sides.empty();
        plan.sides.push_back(is_baseline ? side_of(options, spec, options.baseline_side, kBaseline)
                                         : side_of(options, spec, options.patched_side, kPatched));
    }
    CompareDraft draft;
    draft.platforms = {first.spec.platform};
    draft.commands = first.workloads;
    draft.metrics = first.spec.events;
    if (!words.rest.empty()) draft.commands = {measure::command_line(words.rest)};
    plan.rows = measure::rows_of(draft.commands, draft.platforms, metrics_of(options, draft));
    return plan;
}

ComparePlan given_plan(const CompareOptions& options, const Words& words) {
    const CompareDraft draft = draft_of(options, words);
    ComparePlan plan;
    plan.repeats =
        options.repeat.repeats ? static_cast<unsigned>(*options.repeat.repeats) : draft.repeats;
    plan.sides.push_back(
        side_of(options, start_of(draft, draft.baseline), options.baseline_side, kBaseline));
    for (const std::string& text : draft.patched) {
        const std::string kernel = measure::patched_kernel(draft.baseline, text);
        plan.sides.push_back(
            side_of(options, start_of(draft, kernel), options.patched_side, kPatched));
    }
    plan.rows = measure::rows_of(draft.commands, draft.platforms, metrics_of(options, draft));
    return plan;
}

}  // namespace

void CompareOptions::add_to(Parser& parser) {
    parser.group("What is compared");
    parser.text("--baseline", baseline, "SPEC", "the kernel of the baseline");
    parser.texts("--patched", patched, "SPEC",
                 "the other kernel, or +PATCH; repeated, a column each");
    parser.flag("--explain", explain, "says which fields, functions and locks moved");
    machine.add_to(parser);
    kernel.add_to(parser);
    repeat.add_to(parser);
    parser.group("Counting");
    parser.texts("-e,--event", events, "METRICS", "events, figures of the workload, ratios A/B");
    parser.counted_flag("-d,--detailed", detail, "the events of perf stat -d, up to -ddd");
    parser.group("Output");
    std::vector<std::string> formats;
    for (const auto& [name, about] : measure::comparison_formats()) formats.push_back(name);
    parser.choice("--format", format, formats, "how the comparison is written");
    parser.text("-o,--output", file, "FILE", "the comparison goes there instead of to stdout");
    config.add_to(parser);
    host.add_to(parser);
    baseline_side.add_to(parser, kBaseline);
    patched_side.add_to(parser, kPatched);
}

bool is_scenario(const std::string& word) {
    const std::string end = ".toml";
    return word.size() > end.size() && word.compare(word.size() - end.size(), end.size(), end) == 0;
}

measure::ComparePlan plan_of(const CompareOptions& options, const Words& words) {
    ComparePlan plan =
        options.config.load ? loaded_plan(options, words) : given_plan(options, words);
    measure::name_sides(plan.sides);
    measure::check(plan, default_dirs());
    return plan;
}

std::string dump_of(const measure::ComparePlan& plan) {
    std::vector<measure::NamedConfig> configs;
    for (const measure::CompareSide& side : plan.sides) {
        measure::RunConfig config;
        config.spec = side.spec;
        config.repeats = plan.repeats;
        config.own_platform = !side.spec.platform.empty();
        if (!config.own_platform) config.spec.platform = plan.rows.front().platform;
        for (const measure::MetricInfo& metric : plan.rows.front().metrics) {
            config.spec.events.push_back(metric.name);
        }
        for (const measure::CompareRow& row : plan.rows) {
            if (row.platform != plan.rows.front().platform) refuse_platforms_in_config();
            config.workloads.push_back(measure::command_line(row.words));
        }
        const std::string number = std::to_string(configs.size());
        configs.push_back({configs.empty() ? kBaseline : kPatched + number, config});
    }
    return measure::write_named_configs(configs, default_dirs());
}

}  // namespace linefill::app
