// SPDX-License-Identifier: Apache-2.0
// Experiments as tables: rows (workloads, machines) by sides (what is compared) by repeats.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "measure/experiment.h"

namespace linefill::measure {

/// The finished runs of one row. Position i of every side is the same seed: a seed of which one
/// side's run failed or did not finish is left out on all sides.
struct RowOutcome {
    std::size_t row = 0;
    std::vector<std::vector<RunOutcome>> sides;

    /// Pairs (or plain runs, if there is one side).
    [[nodiscard]] std::size_t runs() const { return sides.empty() ? 0 : sides.front().size(); }
    [[nodiscard]] std::vector<RunResult> results(std::size_t side) const;
};

/// `rows[r][s]` is side s of row r; it is repeated with seeds from its own on. Runs are begun row by
/// row, so that the first row is there early; within a row seed by seed.
struct RowPlan {
    std::vector<std::vector<RunSpec>> rows;
    unsigned repeats = 1;
};

/// `on_row` gets each row when its last run has ended, in order; of a row that the interrupt cut
/// short, what is finished, if that is anything. `on_failure` gets each run that failed, in order of
/// the plan. Otherwise as run_experiment.
ExperimentEnd run_rows(const RowPlan& plan, const RunFunction& run,
                       const ExperimentOptions& options,
                       const std::function<void(const RowOutcome&)>& on_row,
                       const std::function<void(const RunOutcome&)>& on_failure);

}  // namespace linefill::measure
