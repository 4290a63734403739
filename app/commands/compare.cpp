// SPDX-License-Identifier: Apache-2.0
// linefill compare: the same workload on two or more kernels or machines.
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "app/command.h"
#include "app/options.h"
#include "app/output.h"
#include "app/parser.h"
#include "app/session.h"
#include "kernel/version.h"
#include "measure/compare_run.h"
#include "measure/event_list.h"
#include "measure/report/report.h"
#include "measure/text_format.h"
#include "model/sim/error.h"
#include "scenarios/scenario_file.h"
#include "scenarios/workload.h"

namespace linefill::app {
namespace {

using measure::CompareDraft;
using measure::ComparePlan;
using model::UserError;

struct CompareOptions {
    std::string baseline;
    std::vector<std::string> patched;
    MachineOptions machine;
    KernelOptions kernel;
    SideOptions baseline_side;
    SideOptions patched_side;
    RepeatOptions repeat;
    std::vector<std::string> events;
    int detail = 0;
    std::string format = "table";
    bool explain = false;
    std::optional<std::string> file;
    HostOptions host;

    void add_to(Parser& parser) {
        parser.group("What is compared");
        parser.text("--baseline", baseline, "SPEC", "the kernel of the baseline");
        parser.texts("--patched", patched, "SPEC",
                     "the other kernel, or +PATCH; repeated, a column each");
        parser.flag("--explain", explain, "says which fields, functions and locks moved");
        machine.add_to(parser);
        kernel.add_to(parser);
        repeat.add_to(parser);
        parser.group("Counting");
        parser.texts("-e,--event", events, "METRICS",
                     "events, figures of the workload, ratios A/B");
        parser.counted_flag("-d,--detailed", detail, "the events of perf stat -d, up to -ddd");
        parser.group("Output");
        std::vector<std::string> formats;
        for (const auto& [name, about] : measure::comparison_formats()) formats.push_back(name);
        parser.choice("--format", format, formats, "how the comparison is written");
        parser.text("-o,--output", file, "FILE", "the comparison goes there instead of to stdout");
        host.add_to(parser);
        baseline_side.add_to(parser, "baseline");
        patched_side.add_to(parser, "patched");
    }
};

bool is_patch(const std::string& word) {
    if (kernel::is_patch_range(word)) return true;
    try {
        (void)kernel::find_patch(word);
        return true;
    } catch (const UserError&) {
        return false;
    }
}

bool is_scenario(const std::string& word) {
    const std::string end = ".toml";
    return word.size() > end.size() && word.compare(word.size() - end.size(), end.size(), end) == 0;
}

bool is_workload(const std::string& word) {
    for (const scenarios::WorkloadKind* kind : scenarios::WorkloadRegistry::instance().kinds()) {
        if (kind->name() == word) return true;
        for (const std::string& alias : kind->aliases()) {
            if (alias == word) return true;
        }
    }
    return false;
}

/// The error for a first word that is neither a patch, nor a scenario, nor a workload.
[[noreturn]] void refuse_subject(const std::string& word) {
    std::vector<std::string> known;
    for (const kernel::Patch* patch : kernel::all_patches()) known.push_back(patch->slug);
    for (const std::string& name : scenarios::scenario_names(default_dirs().scenarios)) {
        known.push_back(name + ".toml");
    }
    for (const scenarios::WorkloadKind* kind : scenarios::WorkloadRegistry::instance().kinds()) {
        known.push_back(kind->name());
    }
    throw UserError("no such patch, scenario or workload")
        .value(word)
        .expected(
            "a patch or commit id, a scenario file (*.toml), or --baseline, --patched and a "
            "workload")
        .nearest(word, known);
}

std::string joined(const std::vector<std::string>& words, const char* separator) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
    return text;
}

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
    if (!options.events.empty()) return measure::split(joined(options.events, ","), ',');
    if (options.detail == 0) return draft.metrics;
    std::vector<std::string> metrics = {"elapsed"};
    for (const std::string& event : measure::default_events(options.detail)) {
        metrics.push_back(event);
    }
    return metrics;
}

/// One side, `name` "baseline" or "patched".
measure::CompareSide side_of(const CompareOptions& options, const CompareDraft& draft,
                             const std::string& kernel, const SideOptions& own,
                             const std::string& name) {
    measure::RunSpec spec;
    spec.overrides = draft.overrides;
    spec.config = draft.config;
    spec.boot = draft.boot;
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

ComparePlan plan_of(const CompareOptions& options, const Words& words) {
    const CompareDraft draft = draft_of(options, words);
    ComparePlan plan;
    plan.repeats =
        options.repeat.repeats ? static_cast<unsigned>(*options.repeat.repeats) : draft.repeats;
    plan.sides.push_back(
        side_of(options, draft, draft.baseline, options.baseline_side, "baseline"));
    for (const std::string& text : draft.patched) {
        const std::string kernel = measure::patched_kernel(draft.baseline, text);
        plan.sides.push_back(side_of(options, draft, kernel, options.patched_side, "patched"));
    }
    measure::name_sides(plan.sides);
    plan.rows = measure::rows_of(draft.commands, draft.platforms, metrics_of(options, draft));
    measure::check(plan, default_dirs());
    return plan;
}

/// What the runs of one side of a row recorded.
std::shared_ptr<const measure::AttributionResult> attribution_of(
    const std::vector<measure::RunOutcome>& runs) {
    std::vector<std::string> texts;
    for (const measure::RunOutcome& run : runs) texts.push_back(run.attribution);
    return measure::merge_attribution(texts);
}

std::string explanation(const ComparePlan& plan, const measure::RowOutcome& outcome) {
    std::string text;
    const measure::CompareRow& row = plan.rows[outcome.row];
    for (std::size_t side = 1; side < plan.sides.size(); ++side) {
        measure::ExplainInput input;
        input.workload = measure::command_line(row.words);
        input.baseline_name = plan.sides.front().name;
        input.patched_name = plan.sides[side].name;
        input.baseline = attribution_of(outcome.sides.front());
        input.patched = attribution_of(outcome.sides[side]);
        text += measure::explain(input);
    }
    return text;
}

}  // namespace

int run_compare(const std::vector<std::string>& arguments) {
    CompareOptions options;
    Parser parser("compare", "The same workload on two or more kernels or machines.",
                  "PATCH | SCENARIO.toml | [options] --baseline SPEC --patched SPEC "
                  "[--] WORKLOAD [ARGS]");
    options.add_to(parser);
    parser.subjects([](const std::string& word, const std::vector<std::string>& so_far) {
        if (!so_far.empty()) return false;
        if (is_scenario(word)) return true;
        if (is_workload(word)) return false;
        return is_patch(word);
    });
    const Words words = parser.parse(arguments);
    options.host.apply();
    if (words.subjects.empty() && !words.rest.empty() && options.baseline.empty() &&
        options.kernel.kernel.empty() && !is_workload(words.rest.front())) {
        refuse_subject(words.rest.front());
    }
    if (options.explain) {
        measure::require_reports("--explain");
        if (options.format != "table" && options.format != "mmtests") {
            throw UserError("--explain is text")
                .key("--format")
                .value(options.format)
                .expected("table or mmtests");
        }
    }
    const ComparePlan plan = plan_of(options, words);
    Output output(options.file, Output::Stream::kStdout);

    const auto writer = measure::make_comparison_writer(options.format, plan.title());
    output.write(writer->begin());
    std::string explanations;
    Session session(options.host);
    session.run(plan.runs(), [&](const measure::RowOutcome& outcome) {
        if (outcome.runs() == 0) return;
        for (const measure::ComparisonRow& row : measure::comparison_rows(plan, outcome)) {
            output.write(writer->row(row));
        }
        if (options.explain) explanations += explanation(plan, outcome);
    });
    output.write(writer->end());
    output.write(explanations);
    const int code = session.finish();
    output.finish();
    return code;
}

}  // namespace linefill::app
