// SPDX-License-Identifier: Apache-2.0
// Pairing of runs, and what each format prints of a comparison.
#include "measure/comparison.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "measure/text_format.h"
#include "model/sim/error.h"
#include "tests/measure/helpers.h"

namespace linefill::measure {
namespace {

using testing::HasSubstr;
using testing::Not;

ComparisonTitle title() {
    return {"threads", "v4.7-rc7", {"v4.7-rc7+prefetch-curr-exec-start"}, {"linefill 0.1.0"}};
}

ComparisonRow elapsed_row(const std::string& threads, const std::vector<double>& before,
                          const std::vector<double>& after) {
    return compare_runs("pound_times", threads, describe_metric("elapsed"),
                        runs_with("elapsed", before), {runs_with("elapsed", after)});
}

ComparisonRow cycles_row(const std::string& threads, double before, double after) {
    std::vector<RunResult> baseline(3);
    std::vector<RunResult> patched(3);
    for (unsigned i = 0; i < 3; ++i) {
        baseline[i].seed = patched[i].seed = i;
        baseline[i].events["cycles"] = counted(before * (1 + 0.01 * i));
        patched[i].events["cycles"] = counted(after * (1 + 0.01 * i));
    }
    return compare_runs("pound_times", threads, describe_metric("cycles"), baseline, {patched});
}

ComparisonRow missing_row() {
    return compare_runs("pound_times", "2", describe_metric("LLC-loads"), runs_with("x", {1, 2}),
                        {runs_with("x", {1, 2})});
}

TEST(CompareRuns, PairsRunsBySeedWhateverTheirOrder) {
    std::vector<RunResult> before = runs_with("elapsed", {10, 20, 30});
    std::vector<RunResult> after = runs_with("elapsed", {9, 18.5, 27.5});
    std::swap(after[0], after[2]);
    const ComparisonRow row = compare_runs("w", "2", describe_metric("elapsed"), before, {after});
    EXPECT_EQ(row.patched.at(0)->side.samples, (std::vector<double>{9, 18.5, 27.5}));
    EXPECT_EQ(row.patched.at(0)->gain.pairs, 3U);
}

TEST(CompareRuns, LeavesOutRunsThatOneSideLost) {
    std::vector<RunResult> before = runs_with("elapsed", {10, 20, 30, 40});
    std::vector<RunResult> after = runs_with("elapsed", {9, 19, 29, 39});
    after.erase(after.begin() + 1);
    const ComparisonRow row = compare_runs("w", "2", describe_metric("elapsed"), before, {after});
    EXPECT_EQ(row.baseline->samples, (std::vector<double>{10, 30, 40}));
    EXPECT_EQ(row.patched.at(0)->side.samples, (std::vector<double>{9, 29, 39}));
}

TEST(CompareRuns, RefusesSidesThatCannotBePaired) {
    std::vector<RunResult> before = runs_with("elapsed", {10, 20});
    std::vector<RunResult> after = before;
    after[0].seed = 8;
    after[1].seed = 9;
    const MetricInfo elapsed = describe_metric("elapsed");
    EXPECT_THROW(static_cast<void>(compare_runs("w", "", elapsed, before, {after})),
                 std::invalid_argument);
    EXPECT_EQ(compare_runs("w", "", elapsed, before, {after}, Pairing::kByOrder)
                  .patched.at(0)
                  ->gain.pairs,
              2U);
    after[1].seed = 8;
    EXPECT_THROW(static_cast<void>(compare_runs("w", "", elapsed, after, {before})),
                 std::invalid_argument);
    EXPECT_THROW(static_cast<void>(compare_runs("w", "", elapsed, {}, {{}})),
                 std::invalid_argument);
}

TEST(CompareRuns, MetricWithoutValueLeavesTheSideEmpty) {
    const ComparisonRow row = missing_row();
    EXPECT_FALSE(row.baseline);
    EXPECT_FALSE(row.patched.at(0));
    EXPECT_EQ(verdict_text(row.patched.at(0)), "not available");
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const ComparisonRow broken = elapsed_row("2", {1, 2}, {1, nan});
    EXPECT_TRUE(broken.baseline);
    EXPECT_FALSE(broken.patched.at(0));
}

TEST(CompareRuns, OneRunShowsItsSamplingError) {
    std::vector<RunResult> before = runs_with("elapsed", {10});
    std::vector<RunResult> after = runs_with("elapsed", {5});
    const MetricInfo elapsed = describe_metric("elapsed");
    EXPECT_EQ(compare_runs("w", "", elapsed, before, {after}).baseline->error,
              Side::Error::kUnknown);
    before[0].sampling_rel_err["elapsed"] = after[0].sampling_rel_err["elapsed"] = 1;
    const ComparisonRow row = compare_runs("w", "", elapsed, before, {after});
    EXPECT_EQ(row.baseline->error, Side::Error::kOfSampling);
    EXPECT_EQ(row.baseline->err_pct, 1);
    EXPECT_EQ(row.patched.at(0)->gain.verdict, Verdict::kBetter);
}

TEST(ComparisonTable, HasABlockPerMetricAndALinePerSetting) {
    const std::string text =
        print_comparison("table", title(),
                         {elapsed_row("2", {3.48, 3.49, 3.47}, {3.06, 3.07, 3.05}),
                          cycles_row("2", 19699563964, 17358917517),
                          elapsed_row("110", {3.80, 3.81, 3.82}, {3.79, 3.82, 3.83}),
                          cycles_row("110", 338712691920, 340000000000)});
    EXPECT_EQ(text, R"(# linefill 0.1.0

pound_times: elapsed [s], lower is better
  before: v4.7-rc7
  after:  v4.7-rc7+prefetch-curr-exec-start

  threads        before                  after               gain  verdict
        2        3.4800 +- 0.17%        3.0600 +- 0.19%    12.07%  better
      110        3.8100 +- 0.15%        3.8133 +- 0.32%    -0.09%  within noise

pound_times: cycles [count], lower is better
  before: v4.7-rc7
  after:  v4.7-rc7+prefetch-curr-exec-start

  threads        before                  after               gain  verdict
        2   19896559604 +- 0.57%   17532506692 +- 0.57%    11.88%  better
      110  342099818839 +- 0.57%  343400000000 +- 0.57%    -0.38%  worse

Gain: positive is better (where neither direction is, a rise).
+-: standard error of the mean over 3 runs; verdict: paired by seed, Student's t at 95 %.
)");
}

TEST(ComparisonTable, FirstBlockStreamsAndNothingIsPrintedTwice) {
    const std::vector<ComparisonRow> rows = {elapsed_row("2", {3.4, 3.5}, {3.0, 3.1}),
                                             cycles_row("2", 100, 90),
                                             elapsed_row("5", {3.4, 3.5}, {3.0, 3.1})};
    const auto writer = make_comparison_writer("table", title());
    EXPECT_THAT(writer->begin(), HasSubstr("# linefill 0.1.0"));
    EXPECT_THAT(writer->row(rows[0]), HasSubstr("        2        3.4500 +- 1.45%"));
    EXPECT_EQ(writer->row(rows[1]), "");
    const std::string second = writer->row(rows[2]);
    EXPECT_THAT(second, HasSubstr("        5        3.4500 +- 1.45%"));
    EXPECT_THAT(second, Not(HasSubstr("before")));
    const std::string rest = writer->end("");
    EXPECT_THAT(rest, HasSubstr("cycles [count]"));
    EXPECT_THAT(rest, Not(HasSubstr("elapsed [s]")));
}

TEST(ComparisonFormats, AnExplanationEndsEachInItsOwnWay) {
    const auto end_of = [](const char* format, const std::string& explanation) {
        const auto writer = make_comparison_writer(format, title());
        std::string text = writer->begin() + writer->row(cycles_row("2", 100, 90));
        return text + writer->end(explanation);
    };
    const auto json = nlohmann::json::parse(end_of("json", "{\"kind\": \"field\"}"));
    EXPECT_EQ(json.at("explanation").at(0).at("kind"), "field");
    EXPECT_EQ(json.at("rows").size(), 1U);
    EXPECT_FALSE(nlohmann::json::parse(end_of("json", "")).contains("explanation"));
    for (const char* format : {"table", "mmtests", "csv", "markdown"}) {
        EXPECT_EQ(end_of(format, "why\n"), end_of(format, "") + "\nwhy\n") << format;
    }
}

TEST(ComparisonTable, SeveralVariantsAreColumnsAndWhatIsMissingSaysSo) {
    ComparisonTitle several = title();
    several.patched.emplace_back("v4.8");
    ComparisonRow row = elapsed_row("2", {10, 10}, {9, 9});
    row.patched.emplace_back();
    const std::string text = print_comparison("table", several, {row});
    EXPECT_THAT(text, HasSubstr("  after1: v4.7-rc7+prefetch-curr-exec-start\n  after2: v4.8\n"));
    EXPECT_THAT(text, HasSubstr("10.00%  better"));
    EXPECT_THAT(text, HasSubstr("n/a  not available\n"));
}

TEST(ComparisonTable, SingleRunsAreNotGivenAVerdict) {
    const std::string text = print_comparison("table", title(), {elapsed_row("2", {10}, {5})});
    EXPECT_THAT(text, HasSubstr("50.00%  within noise"));
    EXPECT_THAT(text, HasSubstr("A single run has no spread"));
    EXPECT_THAT(text, Not(HasSubstr("+-")));
}

TEST(ComparisonTable, LongNamesOfArgumentsKeepTheColumns) {
    ComparisonTitle wide = title();
    wide.parameter_name = "--set cache.llc.size";
    const std::vector<std::string> lines =
        split(print_comparison("table", wide, {elapsed_row("2", {10, 10}, {9, 9})}), '\n');
    EXPECT_EQ(lines.at(6).find("before") + 6, lines.at(7).find("10.000") + 6);
}

TEST(ComparisonCsv, HasExactlyTheColumnsOfTheContract) {
    EXPECT_EQ(print_comparison("csv", title(),
                               {cycles_row("2", 19699563964, 17358917517), missing_row(),
                                elapsed_row("", {10}, {5}), elapsed_row("5", {2, 2}, {2, 2})}),
              "workload,parameter,metric,unit,better,baseline,baseline_err_pct,patched,"
              "patched_err_pct,gain_pct,gain_lo_pct,gain_hi_pct,verdict\n"
              "pound_times,2,cycles,count,lower,1.98966e+10,0.571634,1.75325e+10,0.571634,11.8817,"
              "11.5895,12.174,better\n"
              "pound_times,2,LLC-loads,count,neither,,,,,,,,not available\n"
              "pound_times,,elapsed,s,lower,10,,5,,50,,,within noise\n"
              "pound_times,5,elapsed,s,lower,2,0,2,0,0,0,0,within noise\n");
}

TEST(ComparisonCsv, QuotesFieldsAndTellsSeveralVariantsApart) {
    ComparisonTitle several = title();
    several.patched.emplace_back("v4.8");
    ComparisonRow row = elapsed_row("2", {10, 10}, {9, 9});
    row.workload = "rt-app a,b.json";
    row.patched.push_back(row.patched.front());
    const std::vector<std::string> lines = split(print_comparison("csv", several, {row}), '\n');
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_THAT(lines[0], testing::EndsWith(",verdict,patched_name"));
    EXPECT_THAT(lines[1], testing::StartsWith("\"rt-app a,b.json\",2,elapsed,s,"));
    EXPECT_THAT(lines[1], testing::EndsWith(",better,v4.7-rc7+prefetch-curr-exec-start"));
    EXPECT_THAT(lines[2], testing::EndsWith(",better,v4.8"));
}

TEST(ComparisonJson, IsOneObjectWithFullNumbers) {
    const nlohmann::json json = nlohmann::json::parse(print_comparison(
        "json", title(),
        {elapsed_row("2", {0.1, 0.3}, {0.1, 0.2}), missing_row(), elapsed_row("8", {1}, {2})}));
    EXPECT_EQ(json.at("parameter_name"), "threads");
    EXPECT_EQ(json.at("simulated").at(0), "linefill 0.1.0");
    const auto& rows = json.at("rows");
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].at("baseline").at("samples").at(1).get<double>(), 0.3);
    EXPECT_EQ(rows[0].at("patched").at(0).at("verdict"), "within noise");
    EXPECT_TRUE(rows[1].at("baseline").is_null());
    EXPECT_TRUE(rows[1].at("patched").at(0).is_null());
    EXPECT_TRUE(rows[2].at("patched").at(0).at("gain_lo_pct").is_null());
    EXPECT_TRUE(nlohmann::json::parse(print_comparison("json", title(), {})).at("rows").empty());
}

TEST(ComparisonMarkdown, IsATableWhoseRowsHaveTheHeadingsColumns) {
    const std::string text = print_comparison(
        "markdown", title(), {elapsed_row("2", {3.48, 3.49}, {3.06, 3.07}), missing_row()});
    EXPECT_THAT(text,
                HasSubstr("| pound_times | 2 | elapsed [s] | 3.4850 ± 0.14 % | 3.0650 ± 0.16 % | "
                          "12.05 % | 12.05 … 12.05 % | better |\n"));
    EXPECT_THAT(text, HasSubstr("| n/a | n/a | n/a | n/a | not available |\n"));
    std::size_t bars = 0;
    for (const std::string& line : split(text, '\n')) {
        if (line.rfind('|', 0) == 0) {
            const std::size_t here = split(line, '|').size();
            EXPECT_TRUE(bars == 0 || bars == here) << line;
            bars = here;
        }
    }
}

TEST(ComparisonMmtests, PrintsATablePerMetricAndNamesTheRuleOfTheStars) {
    const std::string text =
        print_comparison("mmtests", title(),
                         {elapsed_row("2", {3.48, 3.50, 3.46, 3.47}, {3.06, 3.05, 3.08, 3.06}),
                          cycles_row("2", 100, 90), missing_row()});
    EXPECT_THAT(text,
                HasSubstr("Amean     Elapsed-2              3.48 (   0.00%)              3.06 "
                          "*  11.93%*\n"));
    EXPECT_THAT(text, HasSubstr("Amean     cycles-2"));
    EXPECT_THAT(text, HasSubstr("prefetch-curr-exec-start\n"));
    EXPECT_THAT(text, HasSubstr("Stars are MMTests' own rule"));
    EXPECT_THAT(text, HasSubstr("Not available: LLC-loads-2\n"));
    EXPECT_THAT(text, Not(HasSubstr("identical")));
    EXPECT_THAT(print_comparison("mmtests", title(), {elapsed_row("2", {2, 2}, {3, 3})}),
                HasSubstr("their runs are identical"));
}

TEST(ComparisonMmtests, SmallValuesHaveFourDecimals) {
    EXPECT_THAT(print_comparison("mmtests", title(),
                                 {elapsed_row("4", {0.1229, 0.1231}, {0.1240, 0.1242})}),
                HasSubstr("            0.1230 (   0.00%)"));
}

TEST(ComparisonFormats, AreKnownByNameAndOthersAreRefused) {
    const auto formats = comparison_formats();
    for (const char* name : {"table", "mmtests", "csv", "json", "markdown"}) {
        EXPECT_EQ(formats.count(name), 1U) << name;
    }
    try {
        static_cast<void>(make_comparison_writer("mmtest", title()));
        FAIL() << "an unknown format was taken";
    } catch (const model::UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr("\"mmtests\""));
        EXPECT_THAT(error.what(), HasSubstr("--format"));
    }
}

}  // namespace
}  // namespace linefill::measure
