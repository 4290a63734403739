// SPDX-License-Identifier: Apache-2.0
// Latencies that are drawn around their mean.
#include "model/fabric/spread.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "model/fabric/link.h"

namespace linefill::model {
namespace {

TEST(Spread, NoWidthIsAlwaysTheMean) {
    Random random(1, "test");
    Spread none;
    Spread zero(0, random);
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(none.around(1234), 1234);
        EXPECT_EQ(zero.around(1234), 1234);
    }
}

TEST(Spread, DrawsAreEvenOverTheWidthAndKeepTheMean) {
    Random random(7, "test");
    Spread spread(1000, random);
    constexpr int kDraws = 100'000;
    Tick low = 1 << 30;
    Tick high = 0;
    double sum = 0;
    int below = 0;
    for (int i = 0; i < kDraws; ++i) {
        const Tick t = spread.around(5000);
        low = std::min(low, t);
        high = std::max(high, t);
        sum += static_cast<double>(t);
        below += t < 4750 ? 1 : 0;
    }
    EXPECT_EQ(low, 4500);
    EXPECT_EQ(high, 5499);
    // Standard error of the mean of an even distribution: 1000 / sqrt(12 x 100000) = 0.9.
    EXPECT_NEAR(sum / kDraws, 4999.5, 4);
    EXPECT_NEAR(below, 0.25 * kDraws, 600);
}

TEST(Spread, AMessageOverALinkTakesADrawOfIt) {
    Random random(3, "test");
    Link link(20'000, 0, Spread(8'000, random));
    Tick low = 1 << 30;
    Tick high = 0;
    for (int i = 0; i < 1000; ++i) {
        const Tick took = link.send(1'000'000, Link::kHeaderBytes) - 1'000'000;
        low = std::min(low, took);
        high = std::max(high, took);
    }
    EXPECT_GE(low, 16'000);
    EXPECT_LT(low, 16'200);
    EXPECT_LT(high, 24'000);
    EXPECT_GT(high, 23'800);
}

}  // namespace
}  // namespace linefill::model
