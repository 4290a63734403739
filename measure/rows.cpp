// SPDX-License-Identifier: Apache-2.0
// A table's runs as one flat experiment, gathered row by row.
#include "measure/rows.h"

#include <optional>
#include <utility>

namespace linefill::measure {
namespace {

/// The outcomes of one row as they come in.
class Gatherer {
public:
    Gatherer(std::size_t row, std::size_t sides, unsigned repeats)
        : row_(row), cells_(sides, std::vector<std::optional<RunOutcome>>(repeats)) {}

    void add(std::size_t side, unsigned repeat, RunOutcome outcome) {
        ++ended_;
        if (outcome.status == RunStatus::kDone) cells_[side][repeat] = std::move(outcome);
    }

    [[nodiscard]] bool is_complete() const {
        return !cells_.empty() && ended_ == cells_.size() * cells_.front().size();
    }

    /// Moves the runs out.
    RowOutcome take() {
        RowOutcome outcome;
        outcome.row = row_;
        outcome.sides.resize(cells_.size());
        for (std::size_t repeat = 0; !cells_.empty() && repeat < cells_.front().size(); ++repeat) {
            bool whole = true;
            for (const auto& side : cells_) whole = whole && side[repeat].has_value();
            for (std::size_t side = 0; whole && side < cells_.size(); ++side) {
                outcome.sides[side].push_back(std::move(*cells_[side][repeat]));
            }
        }
        return outcome;
    }

private:
    std::size_t row_;
    std::size_t ended_ = 0;
    std::vector<std::vector<std::optional<RunOutcome>>> cells_;
};

struct Cell {
    std::size_t row = 0;
    std::size_t side = 0;
    unsigned repeat = 0;
};

}  // namespace

std::vector<RunResult> RowOutcome::results(std::size_t side) const {
    std::vector<RunResult> results;
    for (const RunOutcome& outcome : sides.at(side)) results.push_back(outcome.result);
    return results;
}

ExperimentEnd run_rows(const RowPlan& plan, const RunFunction& run,
                       const ExperimentOptions& options,
                       const std::function<void(const RowOutcome&)>& on_row,
                       const std::function<void(const RunOutcome&)>& on_failure) {
    std::vector<RunSpec> runs;
    std::vector<Cell> cells;
    std::vector<Gatherer> gatherers;
    for (std::size_t row = 0; row < plan.rows.size(); ++row) {
        const auto& sides = plan.rows[row];
        gatherers.emplace_back(row, sides.size(), plan.repeats);
        for (unsigned repeat = 0; repeat < plan.repeats; ++repeat) {
            for (std::size_t side = 0; side < sides.size(); ++side) {
                runs.push_back(sides[side]);
                runs.back().seed += repeat;
                cells.push_back({row, side, repeat});
            }
        }
    }
    const auto deliver = [&](std::size_t index, RunOutcome outcome) {
        const Cell& cell = cells[index];
        if (outcome.status != RunStatus::kDone) on_failure(outcome);
        Gatherer& gatherer = gatherers[cell.row];
        gatherer.add(cell.side, cell.repeat, std::move(outcome));
        if (gatherer.is_complete()) on_row(gatherer.take());
    };
    const ExperimentEnd end = run_experiment(runs, run, options, deliver);
    for (Gatherer& gatherer : gatherers) {
        if (gatherer.is_complete()) continue;
        const RowOutcome rest = gatherer.take();
        if (rest.runs() > 0) on_row(rest);
    }
    return end;
}

}  // namespace linefill::measure
