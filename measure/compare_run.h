// SPDX-License-Identifier: Apache-2.0
// What a comparison consists of, put together from a patch, a scenario file, or options.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/comparison.h"
#include "measure/prepare.h"
#include "measure/rows.h"
#include "measure/run_spec.h"

namespace linefill::measure {

/// What is compared, before options for single sides are laid over it.
struct CompareDraft {
    std::vector<std::string> platforms;
    std::string baseline;  ///< kernel SPEC
    std::vector<std::string>
        patched;  ///< SPECs; one that begins with + or ~ goes on the baseline's
    std::vector<std::string> commands;  ///< workloads, lists in them make rows
    std::vector<std::string> metrics;   ///< empty: elapsed, cycles, L1-dcache-miss-ratio
    unsigned repeats = 10;
    std::vector<std::string> overrides;
    std::vector<std::string> config;
    std::string boot;
};

/// The comparison that shows a patch (slug, commit id, or PATCH^..PATCH), on kernel `on` if it is not
/// empty. Throws UserError.
[[nodiscard]] CompareDraft draft_of_patch(const std::string& patch, const std::string& on,
                                          const DataDirs& dirs);

/// The comparison of a scenario file.
[[nodiscard]] CompareDraft draft_of_scenario(const std::string& name_or_path, const DataDirs& dirs);

/// One side, complete but for workload and platform of a row.
struct CompareSide {
    std::string name;  ///< "v4.7-rc7+prefetch-curr-exec-start"
    RunSpec spec;
    /// The same without what was given for this side alone, and how options for this side alone begin
    /// ("--baseline-"): so that a message names the option that was typed. Empty: there were none.
    std::optional<RunSpec> shared = std::nullopt;
    std::string option_prefix = {};
};

/// One row: a workload on a platform.
struct CompareRow {
    std::string workload;   ///< the command without the swept argument
    std::string parameter;  ///< that argument's value
    std::string flag;       ///< and its name, "--threads"
    std::vector<std::string> words;
    std::string platform;  ///< empty: that of each side
    std::vector<MetricInfo> metrics;
};

struct ComparePlan {
    std::vector<CompareSide> sides;  ///< the baseline first, one more at least
    std::vector<CompareRow> rows;
    unsigned repeats = 10;

    /// The specs in the order of rows and sides.
    [[nodiscard]] RowPlan runs() const;
    [[nodiscard]] ComparisonTitle title() const;
};

/// The kernel of a patched side: `text` itself, or on top of `baseline` if it begins with + or ~.
[[nodiscard]] std::string patched_kernel(const std::string& baseline, const std::string& text);

/// Rows for all of `commands`, on each of `platforms`. Throws UserError for a command that is none.
[[nodiscard]] std::vector<CompareRow> rows_of(const std::vector<std::string>& commands,
                                              const std::vector<std::string>& platforms,
                                              const std::vector<std::string>& metrics);

/// Names the sides by their kernels, and by what else differs between them.
void name_sides(std::vector<CompareSide>& sides);

/// Prepares every run of the plan, so that all mistakes are found before anything runs. What is wrong
/// with a side's own options is said by their names ("--baseline-set", not "--set").
void check(const ComparePlan& plan, const DataDirs& dirs);

/// The rows of the table for one finished row of runs, one per metric.
[[nodiscard]] std::vector<ComparisonRow> comparison_rows(const ComparePlan& plan,
                                                         const RowOutcome& outcome);

}  // namespace linefill::measure
