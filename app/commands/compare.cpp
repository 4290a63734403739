// SPDX-License-Identifier: Apache-2.0
// linefill compare: the same workload on two or more kernels or machines.
#include <memory>

#include "app/command.h"
#include "app/commands/compare_plan.h"
#include "app/output.h"
#include "app/session.h"
#include "kernel/version.h"
#include "measure/report/report.h"
#include "model/sim/error.h"
#include "scenarios/scenario_file.h"
#include "scenarios/workload.h"

namespace linefill::app {
namespace {

using measure::ComparePlan;
using model::UserError;

bool is_patch(const std::string& word) {
    if (kernel::is_patch_range(word)) return true;
    try {
        (void)kernel::find_patch(word);
        return true;
    } catch (const UserError&) {
        return false;
    }
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

/// What the runs of one side of a row recorded.
std::shared_ptr<const measure::AttributionResult> attribution_of(
    const std::vector<measure::RunOutcome>& runs) {
    std::vector<std::string> texts;
    for (const measure::RunOutcome& run : runs) texts.push_back(run.attribution);
    return measure::merge_attribution(texts);
}

measure::ExplainFormat explain_format(const std::string& format) {
    if (format == "csv") return measure::ExplainFormat::kCsv;
    if (format == "json") return measure::ExplainFormat::kJson;
    if (format == "markdown") return measure::ExplainFormat::kMarkdown;
    return measure::ExplainFormat::kText;
}

/// Adds what one row has to say to the explanations so far.
void explain_row(const ComparePlan& plan, const measure::RowOutcome& outcome,
                 measure::ExplainFormat format, std::string& explanations) {
    const measure::CompareRow& row = plan.rows[outcome.row];
    for (std::size_t side = 1; side < plan.sides.size(); ++side) {
        measure::ExplainInput input;
        input.workload = measure::command_line(row.words);
        input.baseline_name = plan.sides.front().name;
        input.patched_name = plan.sides[side].name;
        input.baseline = attribution_of(outcome.sides.front());
        input.patched = attribution_of(outcome.sides[side]);
        const bool is_first = explanations.empty();
        if (format == measure::ExplainFormat::kCsv && !is_first) {
            explanations += measure::explain(input, measure::ExplainFormat::kCsvRows);
            continue;
        }
        if (!is_first && format == measure::ExplainFormat::kJson) explanations += ",\n";
        if (!is_first && format == measure::ExplainFormat::kMarkdown) explanations += "\n";
        explanations += measure::explain(input, format);
    }
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
        options.kernel.kernel.empty() && !options.config.load && !is_workload(words.rest.front())) {
        refuse_subject(words.rest.front());
    }
    if (options.explain) measure::require_reports("--explain");
    const ComparePlan plan = plan_of(options, words);
    Output output(options.file, Output::Stream::kStdout);
    options.config.write([&] { return dump_of(plan); });

    const auto writer = measure::make_comparison_writer(options.format, plan.title());
    output.write(writer->begin());
    std::string explanations;
    Session session(options.host);
    session.run(plan.runs(), [&](const measure::RowOutcome& outcome) {
        if (outcome.runs() == 0) return;
        for (const measure::ComparisonRow& row : measure::comparison_rows(plan, outcome)) {
            output.write(writer->row(row));
        }
        if (options.explain) {
            explain_row(plan, outcome, explain_format(options.format), explanations);
        }
    });
    output.write(writer->end(explanations));
    const int code = session.finish();
    output.finish();
    return code;
}

}  // namespace linefill::app
