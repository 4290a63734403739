// SPDX-License-Identifier: Apache-2.0
// Against tables of Student's distribution, a case worked out by hand, and drawn samples.
#include "measure/statistics.h"

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace linefill::measure {
namespace {

TEST(Welford, GivesMeanDeviationAndPerfsRelativeError) {
    const std::vector<double> values = {2, 4, 4, 4, 5, 5, 7, 9};
    const Welford welford = summarise(values);
    EXPECT_EQ(welford.count(), 8U);
    EXPECT_DOUBLE_EQ(welford.mean(), 5);
    EXPECT_DOUBLE_EQ(welford.deviation(), std::sqrt(32.0 / 7));
    EXPECT_DOUBLE_EQ(welford.standard_error(), std::sqrt(32.0 / 7 / 8));
    EXPECT_DOUBLE_EQ(welford.relative_error_pct(), 100 * std::sqrt(32.0 / 7 / 8) / 5);
}

TEST(Welford, KeepsSmallSpreadOfLargeNumbers) {
    const std::vector<double> values = {1e15 + 1, 1e15 + 2, 1e15 + 3};
    EXPECT_DOUBLE_EQ(summarise(values).deviation(), 1);
}

TEST(Welford, HasNoSpreadBelowTwoValuesAndNoneOfEqualOnes) {
    EXPECT_EQ(Welford().mean(), 0);
    EXPECT_EQ(Welford().relative_error_pct(), 0);
    EXPECT_EQ(summarise(std::vector<double>{7}).standard_error(), 0);
    EXPECT_EQ(summarise(std::vector<double>(10, 0.1)).standard_error(), 0);
    EXPECT_EQ(summarise(std::vector<double>{-1, 1}).relative_error_pct(), 0);
}

TEST(StudentQuantile, MatchesPrintedTables) {
    EXPECT_NEAR(student_quantile_95(1), 12.7062, 5e-5);
    EXPECT_NEAR(student_quantile_95(2), 4.3027, 5e-5);
    EXPECT_NEAR(student_quantile_95(9), 2.2622, 5e-5);
    EXPECT_NEAR(student_quantile_95(30), 2.0423, 5e-5);
    EXPECT_THROW(static_cast<void>(student_quantile_95(0)), std::invalid_argument);
}

TEST(PairedGain, MatchesACaseWorkedOutByHand) {
    const std::vector<double> before = {10, 12, 11};
    const std::vector<double> after = {9, 10.5, 9.9};
    // Differences 1.0 1.5 1.1: mean 1.2, deviation 0.264575, t(2) = 4.302653, half width 0.657242.
    const Gain gain = paired_gain(before, after, Better::kLower);
    EXPECT_EQ(gain.pairs, 3U);
    EXPECT_NEAR(gain.pct, 10.909091, 1e-6);
    EXPECT_NEAR(gain.lo_pct, 100 * (1.2 - 0.657242) / 11, 1e-4);
    EXPECT_NEAR(gain.hi_pct, 100 * (1.2 + 0.657242) / 11, 1e-4);
    EXPECT_EQ(gain.verdict, Verdict::kBetter);
}

TEST(PairedGain, SignFollowsTheGoodDirection) {
    const std::vector<double> low = {10, 10.1, 9.9};
    const std::vector<double> high = {12, 12.1, 11.95};
    EXPECT_EQ(paired_gain(low, high, Better::kLower).verdict, Verdict::kWorse);
    EXPECT_LT(paired_gain(low, high, Better::kLower).hi_pct, 0);
    EXPECT_EQ(paired_gain(low, high, Better::kHigher).verdict, Verdict::kBetter);
    EXPECT_GT(paired_gain(low, high, Better::kHigher).lo_pct, 0);
    EXPECT_EQ(paired_gain(low, high, Better::kNeither).verdict, Verdict::kChanged);
    EXPECT_GT(paired_gain(low, high, Better::kNeither).pct, 0);
    EXPECT_LT(paired_gain(high, low, Better::kNeither).pct, 0);
}

TEST(PairedGain, CommonNoiseOfAPairCancels) {
    // Runs differ by 30 %, the sides by 1 % in every pair: an unpaired test would see nothing.
    const std::vector<double> before = {100, 130, 85, 115, 95};
    std::vector<double> after;
    for (const double value : before) {
        after.push_back(value * 0.99);
    }
    EXPECT_EQ(paired_gain(before, after, Better::kLower).verdict, Verdict::kBetter);
}

TEST(PairedGain, ZeroSpreadIsTakenAsItIs) {
    const std::vector<double> two(5, 2.0);
    const std::vector<double> little_more(5, 2.0000001);
    const Gain worse = paired_gain(two, little_more, Better::kLower);
    EXPECT_EQ(worse.verdict, Verdict::kWorse);
    EXPECT_EQ(worse.lo_pct, worse.pct);
    EXPECT_EQ(worse.hi_pct, worse.pct);
    const Gain equal = paired_gain(two, two, Better::kLower);
    EXPECT_EQ(equal.verdict, Verdict::kWithinNoise);
    EXPECT_EQ(equal.pct, 0);
    EXPECT_EQ(equal.lo_pct, 0);
    EXPECT_EQ(equal.hi_pct, 0);
}

TEST(PairedGain, OneRunHasNoIntervalAndProvesNothing) {
    const std::vector<double> before = {100};
    const std::vector<double> after = {50};
    const Gain gain = paired_gain(before, after, Better::kLower);
    EXPECT_DOUBLE_EQ(gain.pct, 50);
    EXPECT_TRUE(std::isnan(gain.lo_pct));
    EXPECT_TRUE(std::isnan(gain.hi_pct));
    EXPECT_EQ(gain.verdict, Verdict::kWithinNoise);
}

TEST(PairedGain, OneSampledRunIsJudgedByItsSamplingError) {
    const std::vector<double> before = {100};
    const std::vector<double> after = {90};
    // 1.96 x sqrt(3^2 + (4 x 0.9)^2) = 9.185 points around 10.
    const Gain gain = paired_gain(before, after, Better::kLower, 3, 4);
    EXPECT_NEAR(gain.lo_pct, 10 - 9.1848, 1e-3);
    EXPECT_NEAR(gain.hi_pct, 10 + 9.1848, 1e-3);
    EXPECT_EQ(gain.verdict, Verdict::kBetter);
    EXPECT_EQ(paired_gain(before, after, Better::kLower, 4, 4).verdict, Verdict::kWithinNoise);
}

TEST(PairedGain, BaselineOfZeroHasNoRelativeGain) {
    const std::vector<double> none(3, 0.0);
    const std::vector<double> some = {5, 6, 7};
    const Gain gain = paired_gain(none, some, Better::kLower);
    EXPECT_TRUE(std::isnan(gain.pct));
    EXPECT_TRUE(std::isnan(gain.lo_pct));
    EXPECT_EQ(gain.verdict, Verdict::kWorse);
    EXPECT_EQ(paired_gain(none, none, Better::kLower).pct, 0);
    EXPECT_EQ(paired_gain(none, none, Better::kLower).verdict, Verdict::kWithinNoise);
}

TEST(PairedGain, RefusesWhatIsNoSetOfPairs) {
    const std::vector<double> one = {1};
    const std::vector<double> two = {1, 2};
    const std::vector<double> bad = {1, std::numeric_limits<double>::quiet_NaN()};
    const std::vector<double> none;
    EXPECT_THROW(static_cast<void>(paired_gain(none, none, Better::kLower)), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(paired_gain(one, two, Better::kLower)), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(paired_gain(bad, two, Better::kLower)), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(paired_gain(two, bad, Better::kLower)), std::invalid_argument);
}

// The promise of 95 %: sides drawn from one distribution are found different in 5 % of comparisons.
TEST(PairedGain, SameAgainstSameIsWithinNoiseInNinetyFivePercent) {
    std::mt19937_64 random(12345);
    const auto normal = [&random] {
        double sum = -6;
        for (int i = 0; i < 12; ++i) {
            sum += static_cast<double>(random() >> 11U) * 0x1p-53;
        }
        return sum;
    };
    int within = 0;
    constexpr int kComparisons = 4000;
    for (int comparison = 0; comparison < kComparisons; ++comparison) {
        std::vector<double> before;
        std::vector<double> after;
        for (int run = 0; run < 10; ++run) {
            before.push_back(100 + normal());
            after.push_back(100 + normal());
        }
        within += paired_gain(before, after, Better::kLower).verdict == Verdict::kWithinNoise;
    }
    EXPECT_NEAR(100.0 * within / kComparisons, 95, 1);
}

TEST(GainPct, IsPositiveForBetter) {
    EXPECT_DOUBLE_EQ(gain_pct(3.48, 3.06, Better::kLower), 100 * (3.48 - 3.06) / 3.48);
    EXPECT_DOUBLE_EQ(gain_pct(100, 110, Better::kHigher), 10);
    EXPECT_EQ(gain_pct(0, 0, Better::kLower), 0);
    EXPECT_TRUE(std::isnan(gain_pct(0, 1, Better::kLower)));
}

TEST(Better, WordsReadBack) {
    for (const Better better : {Better::kLower, Better::kHigher, Better::kNeither}) {
        EXPECT_EQ(better_from_string(to_string(better)), better);
    }
    EXPECT_EQ(better_from_string("Lower"), std::nullopt);
    EXPECT_EQ(better_from_string(""), std::nullopt);
}

}  // namespace
}  // namespace linefill::measure
