// SPDX-License-Identifier: Apache-2.0
// What moved between two invented recordings, and that nothing is swept under the rug.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "measure/report/render.h"
#include "tests/measure/report/sample.h"

namespace linefill::measure {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string explained(const AttributionResult& before, const AttributionResult& after) {
    ExplainInput input;
    input.workload = "pound_clock_gettime --threads 48";
    input.baseline_name = "v4.7-rc7";
    input.patched_name = "v4.7-rc7+p";
    input.baseline = std::make_shared<AttributionResult>(before);
    input.patched = std::make_shared<AttributionResult>(after);
    return explain(input);
}

TEST(Explain, IsAsEver) {
    expect_golden("explain.txt", explained(sample_result(), sample_patched()));
}

std::string explained_as(ExplainFormat format) {
    ExplainInput input;
    input.workload = "w";
    input.baseline_name = "before";
    input.patched_name = "after";
    input.baseline = std::make_shared<AttributionResult>(sample_result());
    input.patched = std::make_shared<AttributionResult>(sample_patched());
    return explain(input, format);
}

TEST(Explain, DataHaveEveryRowAndSumToTheChange) {
    const auto json = nlohmann::json::parse("[" + explained_as(ExplainFormat::kJson) + "]");
    double rows = 0;
    double counted = 0;
    double unexplained = 0;
    for (const auto& row : json) {
        EXPECT_EQ(row.at("workload"), "w");
        const double change = row.at("cycles_change").get<double>();
        (row.at("kind") == "cycles"        ? counted
         : row.at("kind") == "unexplained" ? unexplained
                                           : rows) += change;
        if (row.at("name") == "task_struct.se.exec_start") {
            EXPECT_EQ(row.at("kind"), "field");
            EXPECT_EQ(row.at("line_baseline"), 1);
            EXPECT_EQ(row.at("access_baseline"), "load");
            EXPECT_EQ(row.at("access_patched"), "load+prefetch");
            EXPECT_EQ(row.at("source_baseline"), "other socket, modified");
            EXPECT_EQ(row.at("misses_patched"), 0.2);
            EXPECT_EQ(row.at("cycles_change"), -520);
        }
    }
    EXPECT_NEAR(counted, -500, 1e-9);
    EXPECT_NEAR(rows + unexplained, counted, 0.01);
    const std::string csv = explained_as(ExplainFormat::kCsv);
    const std::string csv_rows = explained_as(ExplainFormat::kCsvRows);
    EXPECT_EQ(csv.substr(csv.find('\n') + 1), csv_rows);
    EXPECT_EQ(static_cast<std::size_t>(std::count(csv_rows.begin(), csv_rows.end(), '\n')),
              json.size());
}

TEST(Explain, MarkdownSaysTheSameAsText) {
    const std::string text = explained_as(ExplainFormat::kMarkdown);
    EXPECT_THAT(text, testing::StartsWith("### Why w moved, before -> after\n\n500.0 cycles"));
    EXPECT_THAT(text, HasSubstr("| what | line | access |"));
    EXPECT_THAT(text, HasSubstr("| task_struct.se.exec_start | 1 |"));
    EXPECT_THAT(text, HasSubstr("left unexplained: 0.00 cycles per unit"));
}

TEST(Explain, BeginsWithASentence) {
    EXPECT_THAT(explained(sample_result(), sample_patched()),
                HasSubstr("\n500.0 cycles per unit of work less (2000.0 -> 1500.0, -25.00 %): "
                          "520.0 of them no longer waited for task_struct.se.exec_start (line 1), "
                          "60.0 no longer spent polling mcs_spinlock.locked; against that, 50.0 "
                          "more in task_sched_runtime (base), 30.0 waited in addition for rq.curr "
                          "(line 1).\n"));
}

TEST(Explain, ShowsWhereTheDataCameFromBeforeAndAfter) {
    const std::string text = explained(sample_result(), sample_patched());
    EXPECT_THAT(text, HasSubstr("other socket, modified -> LLC"));
    // The prefetch's own misses are no longer the load's.
    EXPECT_THAT(text, HasSubstr("load -> load+prefetch"));
    EXPECT_THAT(text, HasSubstr("1.000 -> 0.200"));
}

TEST(Explain, TheShareUnexplainedIsWhatNoRowHas) {
    // Rows moved by -500 of -500.
    EXPECT_THAT(explained(sample_result(), sample_patched()),
                HasSubstr("left unexplained: 0.00 cycles per unit, 0.00 % of the change\n"));
    AttributionResult after = sample_patched();
    after.cycles += 100000;  // 100 a unit that nothing was attributed to
    EXPECT_THAT(explained(sample_result(), after),
                HasSubstr("left unexplained: +100.00 cycles per unit, 25.00 % of the change\n"));
    // What is missing on both sides alike is no part of the change.
    AttributionResult before = sample_result();
    before.cycles += 100000;
    EXPECT_THAT(explained(before, after), HasSubstr(" 0.00 % of the change\n"));
}

TEST(Explain, UnitsOfTheSidesMayDiffer) {
    AttributionResult after = sample_result();
    after += sample_result();
    const std::string text = explained(sample_result(), after);
    EXPECT_THAT(text, HasSubstr("did not move (2000.0 -> 2000.0)"));
    EXPECT_THAT(text, HasSubstr("left unexplained: 0.00 cycles per unit\n"));
}

TEST(Explain, SmallRowsAreCountedTogether) {
    AttributionResult before = sample_result();
    AttributionResult after = sample_result();
    for (int i = 0; i < 40; ++i) {
        after.time_cycles[{"f" + std::to_string(i), "g", "", "base"}] = 1000.0 * (i + 1);
        after.cycles += 1000.0 * (i + 1);
    }
    const std::string text = explained(before, after);
    // 40 new ones and the old that did not move; the 15 largest are shown. 1 + ... + 25 = 325.
    EXPECT_THAT(text, HasSubstr("smaller rows together"));
    EXPECT_THAT(text, HasSubstr("+325.0"));
    EXPECT_THAT(text, HasSubstr("f25: base"));
    EXPECT_THAT(text, Not(HasSubstr("f24: base")));
    EXPECT_THAT(text, HasSubstr(" 0.00 % of the change"));
}

TEST(Explain, ALineThatAFieldMovedToShows) {
    AttributionResult after = sample_patched();
    after.places["task_struct.se.exec_start"] = {192, 8};
    EXPECT_THAT(explained(sample_result(), after), HasSubstr("(line 1 -> 3)"));
}

TEST(Explain, LocksAreNamedThoughTheirWaitIsSpentOnQueueNodes) {
    EXPECT_THAT(explained(sample_result(), sample_patched()), HasSubstr("task_struct.pi_lock"));
    EXPECT_THAT(explained(sample_result(), sample_patched()), HasSubstr("180.0 -> 150.0"));
    AttributionResult quiet = sample_result();
    quiet.locks.clear();
    EXPECT_THAT(explained(quiet, quiet), HasSubstr("Nobody waited for a lock.\n"));
}

}  // namespace
}  // namespace linefill::measure
