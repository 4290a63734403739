// SPDX-License-Identifier: Apache-2.0
// Numbers with units: what they come to, what is none, and that writing and reading agree.
#include "model/platform/units.h"

#include <gtest/gtest.h>

namespace linefill::model {
namespace {

TEST(UnitsTest, SizesComeToWholeBytes) {
    EXPECT_EQ(parse_size("64B"), 64U);
    EXPECT_EQ(parse_size("32KiB"), 32U * 1024);
    EXPECT_EQ(parse_size("2.5MiB"), 2621440U);
    EXPECT_EQ(parse_size("32 GiB"), std::uint64_t{32} << 30U);
    EXPECT_EQ(parse_size("1TiB"), std::uint64_t{1} << 40U);
    for (const char* text :
         {"", "B", "32", "32KB", "32kib", "0.3B", "-1B", "1e3B", "32KiBx", "KiB32", "9999999999TiB",
          " 32KiB", ".5KiB", "5.KiB", "0x10B", "+5B", "nanB"}) {
        EXPECT_FALSE(parse_size(text)) << text;
    }
}

TEST(UnitsTest, LatenciesAreCyclesOrTimeRoundedOnce) {
    EXPECT_EQ(parse_latency("4cycles"), (Latency{4, 0, true}));
    EXPECT_EQ(parse_latency("1cycle"), (Latency{1, 0, true}));
    EXPECT_EQ(parse_latency("114ns"), (Latency{0, 114, false}));
    EXPECT_EQ(parse_latency("0.8us"), (Latency{0, 800, false}));
    EXPECT_EQ(parse_latency("1.1us"), (Latency{0, 1100, false}));
    EXPECT_EQ(parse_latency("2.3us"), (Latency{0, 2300, false}));
    EXPECT_EQ(parse_latency("250ps"), (Latency{0, 0.25, false}));
    EXPECT_EQ(parse_latency("3ms"), (Latency{0, 3e6, false}));
    EXPECT_EQ(parse_latency("-3ns"), (Latency{0, -3, false}));
    for (const char* text : {"", "4", "4cycle s", "4s", "4NS", "ns", "4,5ns", "infns", "--4ns"}) {
        EXPECT_FALSE(parse_latency(text)) << text;
    }
}

TEST(UnitsTest, ClocksAndBandwidths) {
    EXPECT_EQ(parse_clock("2.8GHz"), 2.8);
    EXPECT_EQ(parse_clock("2800MHz"), 2.8);
    EXPECT_FALSE(parse_clock("2.8"));
    EXPECT_FALSE(parse_clock("2.8ghz"));
    EXPECT_EQ(parse_bandwidth("44GB/s"), 44);
    EXPECT_EQ(parse_bandwidth("500MB/s"), 0.5);
    EXPECT_FALSE(parse_bandwidth("44GB"));
}

TEST(UnitsTest, PlainNumbers) {
    EXPECT_EQ(parse_number("-1.5"), -1.5);
    EXPECT_EQ(parse_count("0"), 0U);
    EXPECT_FALSE(parse_number("1e3"));
    EXPECT_FALSE(parse_number("1 "));
    EXPECT_FALSE(parse_count("-1"));
    EXPECT_FALSE(parse_count("1.0"));
    EXPECT_FALSE(parse_count(""));
    EXPECT_FALSE(parse_count("18446744073709551616"));
}

TEST(UnitsTest, WhatIsWrittenReadsBackExactly) {
    for (const double value : {0.1, 1.0 / 3, 15.4, 2.6, 1e-9, 123456789.125, 0.0}) {
        EXPECT_EQ(parse_number(format_number(value)), value);
        EXPECT_EQ(parse_clock(format_clock(value)), value);
        EXPECT_EQ(parse_bandwidth(format_bandwidth(value)), value);
        EXPECT_EQ(parse_latency(format_latency({0, value, false})), (Latency{0, value, false}));
        EXPECT_EQ(parse_latency(format_latency({value, 0, true})), (Latency{value, 0, true}));
    }
    for (const std::uint64_t bytes :
         {0ULL, 1ULL, 64ULL, 1023ULL, 1025ULL, 20ULL << 20, 3ULL << 41}) {
        EXPECT_EQ(parse_size(format_size(bytes)), bytes);
    }
    EXPECT_EQ(format_size(20U << 20U), "20MiB");
    EXPECT_EQ(format_size(1536), "1536B");
}

TEST(UnitsTest, CyclesScaleWithTheClockAndTimeDoesNot) {
    EXPECT_DOUBLE_EQ((Latency{40, 0, true}).to_ns(2.5), 16);
    EXPECT_DOUBLE_EQ((Latency{0, 16, false}).to_ns(2.5), 16);
}

}  // namespace
}  // namespace linefill::model
