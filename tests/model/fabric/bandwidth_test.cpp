// SPDX-License-Identifier: Apache-2.0
// Bandwidth: what it lets through per time, whatever the order of the reservations; links.
#include "model/fabric/bandwidth.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "model/fabric/link.h"

namespace linefill::model {
namespace {

TEST(BandwidthMeterTest, AnUnloadedOneDelaysNothing) {
    BandwidthMeter m(25);
    for (Tick at = 0; at < kMillisecond; at += kMicrosecond) EXPECT_EQ(m.reserve(at, 80), at);
    EXPECT_EQ(m.queued(), 0);
}

TEST(BandwidthMeterTest, NoLimitDelaysNothing) {
    BandwidthMeter m(0);
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(m.reserve(5, 64), 5);
}

TEST(BandwidthMeterTest, TwoHundredLinesAtOnceTakeAsLongAsTheBandwidthSays) {
    for (const double gbs : {10.0, 25.0, 44.0}) {
        BandwidthMeter m(gbs);
        Tick last = 0;
        constexpr int kLines = 200;
        for (int i = 0; i < kLines; ++i) last = std::max(last, m.reserve(0, 64));
        const double ns = kLines * 64 / gbs;
        EXPECT_NEAR(ns_from_ticks(last), ns, 64 + 0.05 * ns) << gbs << " GB/s";
    }
}

TEST(BandwidthMeterTest, AnEarlierMessageDoesNotWaitForALaterOneThatReservedFirst) {
    BandwidthMeter m(1);  // one line per 64 ns
    EXPECT_EQ(m.reserve(1000 * kNanosecond, 64), 1000 * kNanosecond);
    EXPECT_EQ(m.reserve(100 * kNanosecond, 64), 100 * kNanosecond);
}

TEST(LinkTest, AMessageArrivesAfterTheLatency) {
    Link link(20 * kNanosecond, 25);
    EXPECT_EQ(link.send(7, Link::kHeaderBytes), 7 + 20 * kNanosecond);
    EXPECT_EQ(link.messages(), 1U);
    EXPECT_EQ(link.queued(), 0);
}

TEST(LinkTest, AFullOneQueues) {
    Link link(20 * kNanosecond, 25);
    Tick last = 0;
    for (int i = 0; i < 500; ++i) last = std::max(last, link.send(0, Link::kDataBytes));
    EXPECT_NEAR(ns_from_ticks(last), 500 * 80 / 25.0 + 20, 80);
    EXPECT_GT(link.queued(), 0);
}

}  // namespace
}  // namespace linefill::model
