// SPDX-License-Identifier: Apache-2.0
// Comparisons put together from patches, scenarios and options; their rows from made-up results.
#include "measure/compare_run.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/sim/error.h"

namespace linefill::measure {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const DataDirs kDirs = {{LINEFILL_SOURCE_DIR "/platforms"}, {LINEFILL_SOURCE_DIR "/scenarios"}};

TEST(CompareRunTest, APatchBringsItsScenario) {
    const CompareDraft draft = draft_of_patch("6075620b0590", "", kDirs);
    EXPECT_THAT(draft.platforms, ElementsAre("xeon-snb-2s"));
    EXPECT_EQ(draft.baseline, "v4.7-rc7");
    EXPECT_THAT(draft.patched, ElementsAre("v4.7-rc7+prefetch-curr-exec-start"));
    EXPECT_EQ(draft.commands.size(), 10U);
    EXPECT_EQ(draft.repeats, 10U);
    const CompareDraft range =
        draft_of_patch("prefetch-curr-exec-start^..prefetch-curr-exec-start", "", kDirs);
    EXPECT_EQ(range.baseline, draft.baseline);
    EXPECT_EQ(range.patched, draft.patched);
}

TEST(CompareRunTest, AScenarioIsFoundByItsFileNameFromAnywhere) {
    const CompareDraft draft = draft_of_scenario("poundtime.toml", kDirs);
    EXPECT_THAT(draft.patched, ElementsAre("v4.7-rc7+prefetch-curr-exec-start"));
    EXPECT_THROW((void)draft_of_scenario("no/poundtime.toml", kDirs), model::UserError);
}

TEST(CompareRunTest, APatchedKernelMayBeRelative) {
    EXPECT_EQ(patched_kernel("v4.7-rc7", "+a~b"), "v4.7-rc7+a~b");
    EXPECT_EQ(patched_kernel("v4.7-rc7", "~b"), "v4.7-rc7~b");
    EXPECT_EQ(patched_kernel("v4.7-rc7", "v4.8"), "v4.8");
}

TEST(CompareRunTest, ListsMakeRowsPlatformByPlatform) {
    const auto rows = rows_of({"pound_times --threads 2,21 --calls 4200"}, {"a", "b"}, {});
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[1].workload, "pound_times --calls 4200 on a");
    EXPECT_EQ(rows[1].parameter, "21");
    EXPECT_EQ(rows[1].flag, "--threads");
    EXPECT_EQ(rows[3].platform, "b");
    EXPECT_THAT(rows[3].words, ElementsAre("pound_times", "--threads", "21", "--calls", "4200"));
    ASSERT_EQ(rows[0].metrics.size(), 3U);
    EXPECT_EQ(rows[0].metrics[0].name, "elapsed");
    EXPECT_EQ(rows[0].metrics[2].unit, "%");
    EXPECT_THROW((void)rows_of({"pound_times --threads 2"}, {"a"}, {"cylces"}), model::UserError);
}

TEST(CompareRunTest, SidesAreNamedByWhatDiffers) {
    std::vector<CompareSide> kernels(2);
    kernels[0].spec.kernel = "v1";
    kernels[1].spec.kernel = "v1+p";
    kernels[1].spec.overrides = {"a=1"};
    name_sides(kernels);
    EXPECT_EQ(kernels[0].name, "v1");
    EXPECT_EQ(kernels[1].name, "v1+p");

    std::vector<CompareSide> sets(2);
    sets[0].spec.kernel = sets[1].spec.kernel = "v1";
    sets[0].spec.overrides = {"cache.llc.size=20MiB"};
    sets[1].spec.overrides = {"cache.llc.size=10MiB"};
    name_sides(sets);
    EXPECT_THAT(sets[0].name, HasSubstr("20MiB"));
    EXPECT_THAT(sets[1].name, HasSubstr("10MiB"));
    EXPECT_THAT(sets[1].name, HasSubstr("v1"));
}

ComparePlan small_plan() {
    ComparePlan plan;
    plan.sides = {{"before", {}}, {"after", {}}};
    plan.sides[0].spec.kernel = "v4.7-rc7";
    plan.sides[1].spec.kernel = "v4.7-rc7+prefetch-curr-exec-start";
    plan.sides[0].spec.seed = plan.sides[1].spec.seed = 7;
    plan.rows = rows_of({"pound_times --threads 2,8"}, {"xeon-snb-2s"}, {"elapsed", "cycles"});
    plan.repeats = 3;
    return plan;
}

TEST(CompareRunTest, EverySideOfARowHasTheSameWorkloadSeedAndEvents) {
    const RowPlan runs = small_plan().runs();
    ASSERT_EQ(runs.rows.size(), 2U);
    EXPECT_EQ(runs.repeats, 3U);
    for (const auto& row : runs.rows) {
        ASSERT_EQ(row.size(), 2U);
        EXPECT_EQ(row[0].seed, row[1].seed);
        EXPECT_EQ(row[0].workload, row[1].workload);
        EXPECT_THAT(row[1].events, ElementsAre("elapsed", "cycles"));
        EXPECT_EQ(row[1].platform, "xeon-snb-2s");
    }
    EXPECT_NO_THROW(check(small_plan(), kDirs));
}

TEST(CompareRunTest, AMistakeOnOneSideIsFoundBeforeAnythingRuns) {
    ComparePlan plan = small_plan();
    plan.sides[1].spec.overrides = {"cache.llc.ways=0"};
    EXPECT_THROW(check(plan, kDirs), model::UserError);
    plan = small_plan();
    plan.sides[1].spec.kernel = "v4.7-rc7~prefetch-curr-exec-start";
    EXPECT_THROW(check(plan, kDirs), model::UserError);
}

TEST(CompareRunTest, RowsOfTheTableComeFromPairs) {
    RowOutcome outcome;
    outcome.row = 1;
    outcome.sides.resize(2);
    for (std::uint64_t seed = 7; seed < 10; ++seed) {
        for (std::size_t side = 0; side < 2; ++side) {
            RunOutcome run;
            run.result.seed = seed;
            run.result.elapsed_s = side == 0 ? 4.0 : 3.0;
            outcome.sides[side].push_back(run);
        }
    }
    const auto rows = comparison_rows(small_plan(), outcome);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].parameter, "8");
    ASSERT_TRUE(rows[0].patched.at(0).has_value());
    EXPECT_DOUBLE_EQ(rows[0].patched[0]->gain.pct, 25);
    // Nobody counted cycles.
    EXPECT_FALSE(rows[1].baseline.has_value());
}

TEST(CompareRunTest, TheTitleSaysWhatWasSimulated) {
    ComparePlan plan = small_plan();
    plan.sides[1].spec.overrides = {"cache.llc.size=10MiB"};
    const ComparisonTitle title = plan.title();
    EXPECT_EQ(title.parameter_name, "threads");
    EXPECT_EQ(title.baseline, "before");
    EXPECT_THAT(title.patched, ElementsAre("after"));
    ASSERT_EQ(title.header.size(), 4U);
    EXPECT_THAT(title.header[1], HasSubstr("platform xeon-snb-2s, kernel v4.7-rc7"));
    EXPECT_THAT(title.header[2], HasSubstr("set cache.llc.size=10MiB"));
    EXPECT_EQ(title.header[3], "linefill seed: 7 to 9");
}

}  // namespace
}  // namespace linefill::measure
