// SPDX-License-Identifier: Apache-2.0
// Load tracking: the geometric series.
#include <cmath>

#include <gtest/gtest.h>

#include "kernel/sched/pelt_math.h"

namespace linefill::kernel {
namespace {

TEST(Pelt, ThirtyTwoPeriodsHalve) {
    EXPECT_NEAR(static_cast<double>(decay_load(1'000'000, 32)), 500'000, 1);
    EXPECT_NEAR(static_cast<double>(decay_load(1'000'000, 64)), 250'000, 1);
    EXPECT_EQ(decay_load(1'000'000, 0), 1'000'000U);
    EXPECT_EQ(decay_load(~std::uint64_t{0} >> 1, 32 * 63 + 1), 0U);
}

TEST(Pelt, EachPeriodDecaysByTheThirtySecondRootOfAHalf) {
    for (unsigned n = 1; n < 300; ++n) {
        const double exact = 1e9 * std::pow(0.5, n / 32.0);
        EXPECT_NEAR(static_cast<double>(decay_load(1'000'000'000, n)), exact, 1 + exact * 1e-9)
            << n;
    }
}

TEST(Pelt, ContributionsAreTheSeriesSums) {
    double sum = 0;
    for (unsigned n = 1; n <= 344; ++n) {
        sum += 1024 * std::pow(0.5, n / 32.0);
        // Integer tables round down a little each.
        EXPECT_NEAR(pelt_contribution(n), sum, 0.002 * sum + 2) << n;
    }
    EXPECT_EQ(pelt_contribution(0), 0U);
    EXPECT_EQ(pelt_contribution(1), 1002U);
    EXPECT_EQ(pelt_contribution(32), 23371U);
}

TEST(Pelt, SaturatesAtTheMaximumAfter345Periods) {
    EXPECT_EQ(pelt_contribution(345), 47742U);
    EXPECT_EQ(pelt_contribution(100'000), 47742U);
    PeltSums s;
    std::uint64_t now = 0;
    for (int i = 0; i < 345; ++i) {
        now += 1024 * 1024;
        pelt_accumulate(s, now, 1, true);
    }
    // The period that has just ended is decayed already; at the end of the next one the sum is full.
    pelt_accumulate(s, now + 1023 * 1024, 1, true);
    EXPECT_NEAR(static_cast<double>(s.load_sum), 47742, 60);
    EXPECT_NEAR(static_cast<double>(s.util_sum) / 1024, 47742, 60);
}

TEST(Pelt, UpdatesWithinAUnitWriteNothing) {
    PeltSums s;
    s.last_update_time = 1'000'000;
    const PeltSums before = s;
    EXPECT_EQ(pelt_accumulate(s, 1'000'000 + 1023, 1024, true), PeltUpdate::kNothing);
    EXPECT_EQ(s.last_update_time, before.last_update_time);
    EXPECT_EQ(s.load_sum, before.load_sum);
    EXPECT_EQ(pelt_accumulate(s, 1'000'000 + 1024, 1024, true), PeltUpdate::kPartial);
    EXPECT_EQ(s.load_sum, 1024U);
}

TEST(Pelt, AClockThatGoesBackOnlyResynchronises) {
    PeltSums s;
    s.last_update_time = 5'000'000;
    s.load_sum = 77;
    EXPECT_EQ(pelt_accumulate(s, 4'000'000, 1024, true), PeltUpdate::kResync);
    EXPECT_EQ(s.last_update_time, 4'000'000U);
    EXPECT_EQ(s.load_sum, 77U);
}

TEST(Pelt, AveragesChangeOnlyWhenAPeriodEnds) {
    PeltSums s;
    EXPECT_EQ(pelt_accumulate(s, 1000 * 1024, 1024, true), PeltUpdate::kPartial);
    EXPECT_EQ(pelt_accumulate(s, 1024 * 1024, 1024, true), PeltUpdate::kDecayed);
    EXPECT_EQ(s.period_contrib, 0U);
}

TEST(Pelt, OneLongStepEqualsManyShortOnes) {
    PeltSums once;
    PeltSums often;
    const std::uint64_t total = std::uint64_t{100} * 1024 * 1024 + 300 * 1024;
    pelt_accumulate(once, total, 1024, true);
    for (std::uint64_t now = 0; now < total; now += 97 * 1024)
        pelt_accumulate(often, now, 1024, true);
    pelt_accumulate(often, total, 1024, true);
    EXPECT_NEAR(static_cast<double>(once.load_sum), static_cast<double>(often.load_sum),
                0.004 * static_cast<double>(once.load_sum));
}

}  // namespace
}  // namespace linefill::kernel
