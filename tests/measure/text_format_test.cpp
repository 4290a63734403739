// SPDX-License-Identifier: Apache-2.0
// Numbers as text, against the C library's own printf in the C locale.
#include "measure/text_format.h"

#include <cstdio>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace linefill::measure {
namespace {

std::string printed(const char* format, int precision, double value) {
    char buffer[512];
    std::snprintf(buffer, sizeof buffer, format, precision, value);
    return buffer;
}

TEST(Numbers, AreThoseOfPrintf) {
    std::mt19937_64 random(3);
    for (int i = 0; i < 5000; ++i) {
        const double value = static_cast<double>(random() >> 11U) *
                             (i % 3 == 0 ? 1e-15 : 1.0 / 1024) * (i % 2 == 0 ? 1 : -1);
        for (const int precision : {0, 2, 6, 9}) {
            EXPECT_EQ(fixed(value, precision), printed("%.*f", precision, value));
        }
        EXPECT_EQ(significant(value, 6), printed("%.*g", 6, value));
    }
    EXPECT_EQ(fixed(0.5, 0), "0");
    EXPECT_EQ(fixed(2.675, 2), "2.67");
}

TEST(Numbers, AreGroupedByThousands) {
    EXPECT_EQ(grouped(0, 0), "0");
    EXPECT_EQ(grouped(999, 0), "999");
    EXPECT_EQ(grouped(1000, 0), "1,000");
    EXPECT_EQ(grouped(157361728394, 0), "157,361,728,394");
    EXPECT_EQ(grouped(55123.456, 2), "55,123.46");
    EXPECT_EQ(grouped(-1234.5, 1), "-1,234.5");
    EXPECT_EQ(grouped(-123, 0), "-123");
}

TEST(Numbers, PlainDigitsKeepTheAskedPrecisionWithoutExponent) {
    EXPECT_EQ(plain_digits(0.1229, 6), "0.122900");
    EXPECT_EQ(plain_digits(10581.44, 6), "10581.4");
    EXPECT_EQ(plain_digits(157361728394, 6), "157361728394");
    EXPECT_EQ(plain_digits(1e-12, 6), "0.000000000");
    EXPECT_EQ(plain_digits(0, 6), "0");
}

TEST(Numbers, NonFiniteHaveNames) {
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(fixed(infinity, 2), "inf");
    EXPECT_EQ(grouped(-infinity, 2), "-inf");
    EXPECT_EQ(significant(std::numeric_limits<double>::quiet_NaN(), 6), "nan");
    EXPECT_EQ(shortest(-std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(Numbers, AreReadWholeOrNotAtAll) {
    EXPECT_EQ(parse_number("3.48"), 3.48);
    EXPECT_EQ(parse_number("-1e3"), -1000);
    for (const char* bad : {"", " 1", "1 ", "1,5", "0x10", "nan", "inf", "1e999", "--1", "1.2.3"}) {
        EXPECT_EQ(parse_number(bad), std::nullopt) << bad;
    }
}

TEST(Text, IsSplitAlignedAndQuoted) {
    EXPECT_EQ(split("a,,b,", ','), (std::vector<std::string>{"a", "", "b", ""}));
    EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
    EXPECT_EQ(right_aligned("ab", 4), "  ab");
    EXPECT_EQ(left_aligned("abcde", 4), "abcde");
    EXPECT_EQ(csv_field("plain"), "plain");
    EXPECT_EQ(csv_field("a \"b\", c"), "\"a \"\"b\"\", c\"");
    EXPECT_EQ(json_string("a\"\\\n\x01"), "\"a\\\"\\\\\\u000a\\u0001\"");
}

TEST(Joined, PutsTheSeparatorBetweenWordsOnly) {
    EXPECT_EQ(joined({}, ", "), "");
    EXPECT_EQ(joined({"a"}, ", "), "a");
    EXPECT_EQ(joined({"a", "b", "c"}, ", "), "a, b, c");
}

}  // namespace
}  // namespace linefill::measure
