// SPDX-License-Identifier: Apache-2.0
// What issuing instructions costs, from the platform's figures.
#include "model/core/timing.h"

#include <gtest/gtest.h>

#include "tests/model/test_machine.h"

namespace linefill::model {
namespace {

constexpr Tick kCycle = 500 * kPicosecond;  // at 2 GHz

CoreTiming timing(std::vector<std::string> overrides) {
    overrides.emplace_back("core.cpi_kernel=1.5");
    overrides.emplace_back("core.cpi_user=1.0");
    overrides.emplace_back("core.smt_issue_share=0.625");
    return {test_platform(overrides, round_figures()), 2.0};
}

TEST(CoreTimingTest, BaseTimePassesAtTheRateOfTheMode) {
    const CoreTiming t = timing({});
    EXPECT_EQ(t.issue_kernel[2].base, 3 * kCycle);
    EXPECT_EQ(t.issue_user[2].base, 2 * kCycle);
    EXPECT_EQ(t.issue_kernel[0].base, 0);
}

TEST(CoreTimingTest, TheSiblingTakesWhatItsShareLeaves) {
    // 1 / 0.625 = 1.6 times as long.
    EXPECT_EQ(timing({}).issue_user[10].base_lost, 6 * kCycle);
}

TEST(CoreTimingTest, BehindALoadOnlyWhatDoesNotNeedItGoesOn) {
    const CoreTiming t = timing({"core.dependent_share=0.5"});
    EXPECT_EQ(t.issue_kernel[4].behind, 3 * kCycle);
    EXPECT_EQ(t.issue_kernel[4].deferred, 3 * kCycle);
}

TEST(CoreTimingTest, BehindALoadNothingGoesFasterThanTheWidthAllows) {
    // A tenth of 1.5 cycles would be more than four instructions a cycle.
    const CoreTiming t = timing({"core.dependent_share=0.9", "core.width=4"});
    EXPECT_EQ(t.issue_kernel[8].behind, 2 * kCycle);
}

TEST(CoreTimingTest, TheTableSaysWhatTheFormulaSays) {
    const CoreTiming t = timing({"core.dependent_share=0.7"});
    for (unsigned n = 0; n < CoreTiming::kIssues; ++n) {
        const CoreTiming::Issue formula = t.issue(t.instruction_kernel * n);
        EXPECT_EQ(t.issue_kernel[n].base, formula.base) << n;
        EXPECT_EQ(t.issue_kernel[n].behind_lost, formula.behind_lost) << n;
        EXPECT_EQ(formula.behind + formula.deferred, formula.base) << n;
    }
}

}  // namespace
}  // namespace linefill::model
