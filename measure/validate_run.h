// SPDX-License-Identifier: Apache-2.0
// A file of measurements as runs: each distinct configuration once, for all metrics asked of it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "measure/measurements.h"
#include "measure/prepare.h"
#include "measure/rows.h"
#include "measure/run_spec.h"
#include "measure/validation.h"

namespace linefill::measure {

/// Platforms of the plan; a file may name them before they are built.
[[nodiscard]] const std::vector<std::string>& planned_platforms();

/// One configuration and the rows of the file that it answers.
struct ValidationRun {
    RunSpec spec;
    std::vector<std::size_t> rows;
};

/// Platforms given as text instead of by their files: specs that hold nothing else, by name.
using PlatformTexts = std::map<std::string, RunSpec>;

class ValidationPlan {
public:
    /// `common` holds what is the same for all (seed, sampling, overrides, ablations). Rows of what is
    /// not built yet are skipped; any other name that is unknown, and whatever else is wrong with a
    /// row, is a UserError with file and line.
    ValidationPlan(Measurements measurements, const std::string& file, const RunSpec& common,
                   const DataDirs& dirs, PlatformTexts platforms = {});

    [[nodiscard]] const Measurements& measurements() const { return measurements_; }
    [[nodiscard]] const std::vector<ValidationRun>& runs() const { return runs_; }
    [[nodiscard]] RowPlan row_plan(unsigned repeats) const;

    /// Takes the runs of one configuration; with none of them finished its rows are skipped.
    void add(const RowOutcome& outcome);
    /// No more runs will come (the end, or ^C): what has no prediction is skipped.
    void close(const std::string& reason);

    /// Groups, in the file's order, whose rows have all become known since the last call.
    [[nodiscard]] std::vector<GroupCheck> take_ready_groups();

    /// All that is known at the end.
    [[nodiscard]] Validation result() const;
    /// Visits of threads that each row's cycles stand for.
    [[nodiscard]] const WorkUnits& work() const { return work_; }
    /// The L1 miss ratio of every configuration that was asked for it, by each definition of a miss
    /// that the platform's pmu keys offer. Empty if none was.
    [[nodiscard]] std::string ratio_by_definition() const;

private:
    void plan_row(std::size_t index, const RunSpec& common, const DataDirs& dirs);

    Measurements measurements_;
    PlatformTexts platforms_;
    std::vector<ValidationRun> runs_;
    Predictions predictions_;
    WorkUnits work_;
    /// In percent, of the loads that the platform's L1-dcache-loads counts.
    struct MissRatios {
        double fills = 0;
        double valid_ways = 0;     ///< fills into ways that held a line
        double with_upgrades = 0;  ///< fills and S->M upgrades
    };
    std::map<std::size_t, MissRatios> ratios_;  ///< by index of the run
    std::size_t next_group_ = 0;
};

}  // namespace linefill::measure
