// SPDX-License-Identifier: Apache-2.0
// Tables of runs: order of rows, pairs by seed, what an interrupt and a failure leave.
#include "measure/rows.h"

#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "model/sim/error.h"

namespace linefill::measure {
namespace {

using ::testing::ElementsAre;

RunSpec cell(const std::string& kernel, const std::string& workload, std::uint64_t seed = 5) {
    RunSpec spec;
    spec.kernel = kernel;
    spec.workload = {workload};
    spec.seed = seed;
    return spec;
}

// "fast" ends before "slow", whichever began first; the kernel's name length is the result.
RunOutcome toy_run(const RunSpec& spec) {
    std::this_thread::sleep_for(std::chrono::milliseconds(spec.workload[0] == "slow" ? 20 : 1));
    RunOutcome outcome;
    outcome.result.seed = spec.seed;
    outcome.result.elapsed_s = static_cast<double>(spec.kernel.size());
    return outcome;
}

const RowPlan kPlan = {
    {{cell("a", "slow"), cell("bb", "slow")}, {cell("a", "fast"), cell("bb", "fast")}}, 3};

struct Gathered {
    std::vector<RowOutcome> rows;
    std::vector<std::string> failures;
    ExperimentEnd end;
};

Gathered gather(const RowPlan& plan, const RunFunction& run, unsigned jobs,
                const InterruptGuard* interrupt = nullptr) {
    Gathered gathered;
    ExperimentOptions options;
    options.jobs = jobs;
    options.interrupt = interrupt;
    gathered.end = run_rows(
        plan, run, options, [&](const RowOutcome& row) { gathered.rows.push_back(row); },
        [&](const RunOutcome& failed) { gathered.failures.push_back(failed.message); });
    return gathered;
}

std::vector<std::uint64_t> seeds(const RowOutcome& row, std::size_t side) {
    std::vector<std::uint64_t> seeds;
    for (const RunResult& run : row.results(side)) seeds.push_back(run.seed);
    return seeds;
}

TEST(RowsTest, RowsComeInOrderAndPairsShareSeeds) {
    for (const unsigned jobs : {1U, 4U}) {
        const Gathered gathered = gather(kPlan, toy_run, jobs);
        ASSERT_EQ(gathered.rows.size(), 2U);
        for (std::size_t row = 0; row < 2; ++row) {
            EXPECT_EQ(gathered.rows[row].row, row);
            ASSERT_EQ(gathered.rows[row].sides.size(), 2U);
            EXPECT_THAT(seeds(gathered.rows[row], 0), ElementsAre(5, 6, 7));
            EXPECT_THAT(seeds(gathered.rows[row], 1), ElementsAre(5, 6, 7));
            EXPECT_EQ(gathered.rows[row].results(0)[0].elapsed_s, 1);
            EXPECT_EQ(gathered.rows[row].results(1)[0].elapsed_s, 2);
        }
    }
}

TEST(RowsTest, AFailedRunTakesItsPairWithIt) {
    const RunFunction run = [](const RunSpec& spec) {
        if (spec.seed == 6 && spec.kernel == "bb") throw model::SimulationError("panic");
        return toy_run(spec);
    };
    const Gathered gathered = gather(kPlan, run, 2);
    ASSERT_EQ(gathered.rows.size(), 2U);
    EXPECT_THAT(seeds(gathered.rows[0], 0), ElementsAre(5, 7));
    EXPECT_THAT(seeds(gathered.rows[0], 1), ElementsAre(5, 7));
    EXPECT_THAT(gathered.failures,
                ElementsAre("slow on , bb, seed 6: panic", "fast on , bb, seed 6: panic"));
    EXPECT_EQ(gathered.end.exit_code, 3);
}

TEST(RowsTest, ARowWithoutAnyFinishedRunIsStillARow) {
    const RunFunction run = [](const RunSpec& spec) {
        if (spec.workload[0] == "slow") throw model::SimulationError("panic");
        return toy_run(spec);
    };
    const Gathered gathered = gather(kPlan, run, 2);
    ASSERT_EQ(gathered.rows.size(), 2U);
    EXPECT_EQ(gathered.rows[0].runs(), 0U);
    EXPECT_EQ(gathered.rows[1].runs(), 3U);
}

TEST(RowsTest, AnInterruptKeepsFinishedPairsOfAnUnfinishedRow) {
    const RunFunction run = [](const RunSpec& spec) {
        if (spec.workload[0] == "fast" && spec.seed == 7) {
            ::kill(::getppid(), SIGINT);
            std::this_thread::sleep_for(std::chrono::minutes(5));
        }
        return toy_run(spec);
    };
    const InterruptGuard guard;
    const Gathered gathered = gather(kPlan, run, 1, &guard);
    EXPECT_EQ(gathered.end.exit_code, 130);
    ASSERT_EQ(gathered.rows.size(), 2U);
    EXPECT_EQ(gathered.rows[0].runs(), 3U);
    EXPECT_THAT(seeds(gathered.rows[1], 1), ElementsAre(5, 6));
}

}  // namespace
}  // namespace linefill::measure
