// SPDX-License-Identifier: Apache-2.0
// The MMTests table against tables that MMTests' own code printed for the same samples.
#include "measure/mmtests.h"

#include <gtest/gtest.h>

#include "measure/text_format.h"

namespace linefill::measure {
namespace {

TEST(MmtestsTable, ReproducesTheLowerIsBetterTable) {
    const std::string table = mmtests_table(
        {"Elapsed-2", "Elapsed-100"},
        {{"4.7.0-rc7-vanilla", {{3.48, 3.50, 3.46, 3.47}, {3.88, 3.86, 3.90, 3.88}}},
         {"4.7.0-rc7-prefetch-v1", {{3.06, 3.05, 3.08, 3.06}, {3.89, 3.87, 3.92, 3.88}}}},
        Better::kLower);
    EXPECT_EQ(table,
              R"(                                         4.7.0-rc7                    4.7.0-rc7
                                           vanilla                  prefetch-v1
Min       Elapsed-2                3.46 (   0.00%)              3.05 (  11.85%)
Min       Elapsed-100              3.86 (   0.00%)              3.87 (  -0.26%)
Amean     Elapsed-2                3.48 (   0.00%)              3.06 *  11.93%*
Amean     Elapsed-100              3.88 (   0.00%)              3.89 (  -0.26%)
Stddev    Elapsed-2                0.02 (   0.00%)              0.01 (  26.32%)
Stddev    Elapsed-100              0.02 (   0.00%)              0.02 ( -32.29%)
CoeffVar  Elapsed-2                0.49 (   0.00%)              0.41 (  16.34%)
CoeffVar  Elapsed-100              0.42 (   0.00%)              0.56 ( -31.95%)
Max       Elapsed-2                3.50 (   0.00%)              3.08 (  12.00%)
Max       Elapsed-100              3.90 (   0.00%)              3.92 (  -0.51%)
BAmean.95 Elapsed-2                3.47 (   0.00%)              3.06 (  11.91%)
BAmean.95 Elapsed-100              3.87 (   0.00%)              3.88 (  -0.17%)
)");
}

TEST(MmtestsTable, ReproducesTheHarmonicMeansWhereHigherIsBetter) {
    const std::string table =
        mmtests_table({"tput-1", "tput-8"},
                      {{"4.7.0-vanilla", {{1000, 1010, 990}, {7000, 7100, 6900}}},
                       {"4.7.0-patched", {{1100, 1110, 1090}, {6500, 6600, 6550}}}},
                      Better::kHigher);
    const std::vector<std::string> lines = split(table, '\n');
    ASSERT_EQ(lines.size(), 15U);
    EXPECT_EQ(lines[4],
              "Hmean     tput-1            999.93 (   0.00%)           1099.94 *  10.00%*");
    EXPECT_EQ(lines[5],
              "Hmean     tput-8           6999.05 (   0.00%)           6549.75 *  -6.42%*");
    EXPECT_EQ(lines[6].substr(0, 9), "HStddev  ");
    EXPECT_EQ(lines[8].substr(0, 9), "HCoeffVar");
    EXPECT_EQ(lines[12].substr(0, 9), "BHmean.95");
}

TEST(MmtestsTable, ChangeWithoutSpreadHasNoStarInAnyUnit) {
    for (const double unit : {1.0, 1000.0}) {
        const std::string table =
            mmtests_table({"x"}, {{"a-b", {{2 * unit, 2 * unit}}}, {"a-c", {{3 * unit, 3 * unit}}}},
                          Better::kLower);
        EXPECT_EQ(table.find('*'), std::string::npos);
        EXPECT_NE(table.find("( -50.00%)"), std::string::npos);
    }
}

TEST(MmtestsTable, StarsNeedBandsThatDoNotMeet) {
    const auto stars = [](double shift) {
        return mmtests_table({"x"}, {{"a-b", {{10, 12}}}, {"a-c", {{10 + shift, 12 + shift}}}},
                             Better::kLower)
                   .find('*') != std::string::npos;
    };
    // Deviation sqrt(2) on both sides: the bands part at 2 x 1.96 x 1.4142 = 5.5437.
    EXPECT_FALSE(stars(5.54));
    EXPECT_TRUE(stars(5.55));
    EXPECT_FALSE(stars(-5.54));
    EXPECT_TRUE(stars(-5.55));
}

TEST(MmtestsTable, KeepsItsCornerCases) {
    const auto percent_of_min = [](double base, double value, Better better) {
        const std::string table =
            mmtests_table({"x"}, {{"a-b", {{base}}}, {"a-c", {{value}}}}, better);
        const std::string line = split(table, '\n').at(2);
        return line.substr(line.size() - 9, 7);
    };
    EXPECT_EQ(percent_of_min(0, 0, Better::kLower), "   0.00");
    EXPECT_EQ(percent_of_min(5, 0, Better::kLower), " 100.00");
    EXPECT_EQ(percent_of_min(5, 0, Better::kHigher), "   0.00");
    EXPECT_EQ(percent_of_min(0, 5, Better::kLower), " -99.00");
    EXPECT_EQ(percent_of_min(0, 5, Better::kHigher), " 100.00");
}

TEST(MmtestsTable, SingleSampleHasNoDeviation) {
    const std::string table =
        mmtests_table({"x"}, {{"a-b", {{2}}}, {"a-c", {{3}}}}, Better::kLower);
    EXPECT_NE(split(table, '\n').at(4).find("nan"), std::string::npos);
    EXPECT_EQ(table.find('*'), std::string::npos);
}

TEST(MmtestsTable, BestMeanDropsTheWorstTwentieth) {
    std::vector<double> samples(20, 1.0);
    samples[7] = 100;
    const std::string table = mmtests_table({"x"}, {{"a-b", {samples}}}, Better::kLower);
    EXPECT_EQ(split(table, '\n').at(7), "BAmean.95 x              1.00 (   0.00%)");
}

TEST(MmtestsTable, HeadingKeepsReleaseCandidatesWhole) {
    const auto heading = [](const std::string& name) {
        const std::vector<std::string> lines =
            split(mmtests_table({"x"}, {{name, {{1, 2}}}}, Better::kLower), '\n');
        const auto trimmed = [](const std::string& line) {
            return line.substr(line.find_first_not_of(' '));
        };
        return trimmed(lines.at(0)) + "|" + trimmed(lines.at(1));
    };
    EXPECT_EQ(heading("v4.7-rc7-vanilla"), "v4.7-rc7|vanilla");
    EXPECT_EQ(heading("v4.8-prefetch-v1"), "v4.8|prefetch-v1");
    EXPECT_EQ(heading("v4.7-rc10-x"), "v4.7-rc10|x");
    EXPECT_EQ(heading("v4.7-rcu-x"), "v4.7|rcu-x");
}

TEST(MmtestsSeriesName, AlwaysHasADashBetweenKernelAndVariant) {
    EXPECT_EQ(mmtests_series_name("v4.7-rc7"), "v4.7-rc7-vanilla");
    EXPECT_EQ(mmtests_series_name("v4.7-rc7+a-b+c"), "v4.7-rc7-a-b+c");
    EXPECT_EQ(mmtests_series_name("v4.8~a"), "v4.8-~a");
    EXPECT_EQ(mmtests_series_name("v4.8 cache.llc.size=10MiB"), "v4.8-cache.llc.size=10MiB");
}

}  // namespace
}  // namespace linefill::measure
