// SPDX-License-Identifier: Apache-2.0
// The estimate of a run's counts from its windows, on figures that can be worked out by hand.
#include "scenarios/sampling/estimate.h"

#include <cmath>

#include <gtest/gtest.h>

namespace linefill::scenarios {
namespace {

using model::Event;

constexpr auto kLoads = static_cast<std::size_t>(Event::kLoads);

WindowSample window(std::int64_t loads, double units, double stands_for, bool tail = false) {
    WindowSample w;
    w.counted.kernel[Event::kLoads] = loads;
    w.units = units;
    w.stands_for = stands_for;
    w.running = 4;
    w.tail = tail;
    return w;
}

RatedSample rated(std::int64_t loads, double units, double whole) {
    RatedSample s;
    s.counted.kernel[Event::kLoads] = loads;
    s.units = units;
    s.whole = whole;
    return s;
}

TEST(Estimate, ScalesEachBucketByWhatItGrowsWith) {
    SplitCounters once;
    once.user[Event::kLoads] = 7;
    // 10 loads a unit for 100 units, 20 for 300; 5 an interrupt, 40 of them; 8 a switch, 3 of them.
    const Estimate e = estimate({window(100, 10, 100), window(400, 20, 300)}, rated(10, 2, 40),
                                rated(8, 1, 3), once);
    EXPECT_EQ(e.counts.kernel[Event::kLoads], 1000 + 6000 + 200 + 24);
    EXPECT_EQ(e.counts.user[Event::kLoads], 7);
    const BucketResult& work = e.buckets[static_cast<std::size_t>(Bucket::kWork)];
    EXPECT_EQ(work.raw.kernel[Event::kLoads], 500);
    EXPECT_EQ(work.counted, 30);
    EXPECT_EQ(work.whole, 400);
    EXPECT_EQ(e.running, 4);
}

TEST(Estimate, ErrorComesFromTheSpreadOfTheWindows) {
    // Per unit 9, 10, 11: standard deviation 1. Each stands for 100 units that were not measured.
    const Estimate e =
        estimate({window(90, 10, 110), window(100, 10, 110), window(110, 10, 110)}, {}, {}, {});
    EXPECT_EQ(e.counts.kernel[Event::kLoads], 3300);
    // 2 % of the scaled part on top, for what windows have wrong in common.
    EXPECT_NEAR(e.error[kLoads], std::hypot(std::sqrt(3.0) * 100, 0.02 * 3000) / 3300, 1e-12);
    EXPECT_NEAR(e.error_kernel[kLoads], e.error[kLoads], 1e-12);
    EXPECT_EQ(e.error_user[kLoads], 0);
}

TEST(Estimate, WhatWasMeasuredItselfHasNoError) {
    const Estimate full = estimate({window(123, 10, 10)}, {}, {}, {});
    EXPECT_EQ(full.counts.kernel[Event::kLoads], 123);
    EXPECT_EQ(full.error[kLoads], 0);
    const Estimate all = estimate({window(90, 10, 10), window(110, 10, 10)}, {}, {}, {});
    EXPECT_EQ(all.error[kLoads], 0);
}

TEST(Estimate, TailWindowsDoNotCountAsSpread) {
    // Fewer threads make cheaper calls: that is no noise.
    const Estimate e = estimate(
        {window(100, 10, 110), window(100, 10, 110), window(10, 10, 60, true)}, {}, {}, {});
    EXPECT_EQ(e.counts.kernel[Event::kLoads], 1100 + 1100 + 60);
    EXPECT_NEAR(e.error[kLoads], 0.02 * (1000 + 1000 + 50) / 2260, 1e-12);
}

TEST(Estimate, OneWindowAloneIsUnsure) {
    const Estimate e = estimate({window(100, 10, 110)}, {}, {}, {});
    EXPECT_NEAR(e.error[kLoads], 0.05 * 1000 / 1100, 1e-12);
}

TEST(Estimate, LeavesOutAWindowInWhichNothingWasMeasured) {
    const Estimate e = estimate({window(0, 0, 50), window(100, 10, 100)}, {}, {}, {});
    EXPECT_EQ(e.counts.kernel[Event::kLoads], 1000);
}

}  // namespace
}  // namespace linefill::scenarios
