// SPDX-License-Identifier: Apache-2.0
// The reports of an invented recording, byte for byte, and what must hold in them.
#include "measure/report/render.h"

#include <cmath>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "kernel/layout/layout.h"
#include "measure/report/shorten_pahole.h"
#include "measure/report/sums.h"
#include "measure/text_format.h"
#include "model/sim/error.h"
#include "tests/measure/report/sample.h"

namespace linefill::measure {
namespace {

using testing::HasSubstr;
using testing::Not;

ReportOptions csv() {
    ReportOptions options;
    options.format = "csv";
    return options;
}

/// Fields of the lines of a CSV text, without the heading.
std::vector<std::vector<std::string>> rows(const std::string& text) {
    std::vector<std::vector<std::string>> result;
    for (const std::string& line : split(text, '\n')) {
        if (!line.empty()) result.push_back(split(line, ','));
    }
    result.erase(result.begin());
    return result;
}

double value(const std::string& text) { return parse_number(text).value_or(NAN); }

struct Case {
    ReportKind kind;
    const char* name;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Reports : public testing::TestWithParam<Case> {};

TEST_P(Reports, TextIsAsEver) {
    expect_golden(std::string(GetParam().name) + ".txt",
                  render_report(GetParam().kind, sample_result(), {}));
}

TEST_P(Reports, CsvIsAsEver) {
    expect_golden(std::string(GetParam().name) + ".csv",
                  render_report(GetParam().kind, sample_result(), csv()));
}

TEST_P(Reports, CsvLinesHaveOneLength) {
    const std::string text = render_report(GetParam().kind, sample_result(), csv());
    const std::size_t columns = split(split(text, '\n').front(), ',').size();
    for (const auto& row : rows(text)) EXPECT_EQ(row.size(), columns);
}

TEST_P(Reports, JsonSaysWhatCsvSays) {
    ReportOptions options;
    options.format = "json";
    const auto json =
        nlohmann::json::parse(render_report(GetParam().kind, sample_result(), options));
    const std::string text = render_report(GetParam().kind, sample_result(), csv());
    const std::vector<std::string> names = split(split(text, '\n').front(), ',');
    const auto lines = rows(text);
    ASSERT_EQ(json.size(), lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        ASSERT_EQ(json[i].size(), names.size());
        for (std::size_t c = 0; c < names.size(); ++c) {
            const nlohmann::json& member = json[i].at(names[c]);
            if (member.is_number()) {
                EXPECT_DOUBLE_EQ(member.get<double>(), value(lines[i][c]));
            }
            if (member.is_null()) {
                EXPECT_EQ(lines[i][c], "");
            }
        }
    }
}

TEST_P(Reports, AnEmptyRecordingIsNoError) {
    EXPECT_FALSE(render_report(GetParam().kind, AttributionResult(), {}).empty());
    EXPECT_FALSE(render_report(GetParam().kind, AttributionResult(), csv()).empty());
}

TEST_P(Reports, ALimitCutsRows) {
    ReportOptions one = csv();
    one.limit = 1;
    EXPECT_LT(render_report(GetParam().kind, sample_result(), one).size(),
              render_report(GetParam().kind, sample_result(), csv()).size());
}

INSTANTIATE_TEST_SUITE_P(All, Reports,
                         testing::Values(Case{ReportKind::kCpi, "cpi"},
                                         Case{ReportKind::kFunctions, "functions"},
                                         Case{ReportKind::kFields, "fields"},
                                         Case{ReportKind::kC2c, "c2c"},
                                         Case{ReportKind::kLocks, "locks"}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(ReportCpi, ComponentsSumToTheCycles) {
    double components = 0;
    double functions = 0;
    for (const auto& row : rows(render_cpi(sample_result(), csv()))) {
        if (!row[0].empty()) {
            functions += value(row[2]);
        } else if (row[1] != "sum" && row[1] != "cycles") {
            components += value(row[2]);
        }
    }
    EXPECT_DOUBLE_EQ(components, 2000);
    EXPECT_DOUBLE_EQ(functions, 2000);
    EXPECT_THAT(render_cpi(sample_result(), {}), HasSubstr("counted by 0.0000 %.\n"));
}

TEST(ReportCpi, SaysWhenTimeIsMissing) {
    AttributionResult r = sample_result();
    r.cycles *= 1.002;
    EXPECT_THAT(render_cpi(r, {}), HasSubstr("by 0.1996 %: more than rounding explains"));
}

TEST(ReportFunctions, SelfTimesSumToTheCyclesAndCallersToSelfTimes) {
    double self = 0;
    double by_caller = 0;
    for (const auto& row : rows(render_functions(sample_result(), csv()))) {
        (row[1].empty() ? self : by_caller) += value(row[2]);
    }
    EXPECT_DOUBLE_EQ(self, 2000);
    EXPECT_DOUBLE_EQ(by_caller, 2000);
}

TEST(ReportFunctions, WhatCalleesCostIsExactOnlyWhileTheyHaveOneCaller) {
    std::map<std::string, std::vector<std::string>> totals;
    for (const auto& row : rows(render_functions(sample_result(), csv()))) {
        if (row[1].empty()) totals[row[0]] = row;
    }
    // Its one callee calls nobody.
    EXPECT_EQ(totals.at("task_sched_runtime")[4], "1600");
    EXPECT_EQ(totals.at("task_sched_runtime")[5], "exact");
    // 1040 of the callee's 1100 are on its behalf; of the slow path's 500 nobody knows.
    EXPECT_EQ(totals.at("thread_group_cputime")[4], "1140");
    EXPECT_EQ(totals.at("thread_group_cputime")[5], "at least");
}

TEST(ReportFields, IsPaholeTextWithOneColumnMore) {
    const std::string text = render_fields(sample_result(), {});
    const std::size_t begin = text.find("struct task_struct {");
    const std::size_t end = text.find("};\n", begin);
    const kernel::Layout layout =
        kernel::Layout::parse(text.substr(begin, end + 3 - begin), "report");
    EXPECT_EQ(layout.offset("task_struct", "se.exec_start"), 64U);
    EXPECT_EQ(layout.offset("task_struct", "pi_lock"), 88U);
    EXPECT_EQ(layout.size_of("task_struct"), 96U);
}

TEST(ReportFields, MembersWithoutAccessHaveAnEmptyColumn) {
    for (const std::string& line : split(render_fields(sample_result(), {}), '\n')) {
        if (line.find("vruntime;") == line.npos && line.find("on_cpu;") == line.npos) continue;
        EXPECT_EQ(line.substr(line.size() - 2), "*/") << line;
    }
}

TEST(ReportFields, StructuresComeByWhatTheyCost) {
    const std::string text = render_fields(sample_result(), {});
    EXPECT_LT(text.find("task_struct: 700.0 cycles waited per unit, 54.5 % of all waits"),
              text.find("mcs_spinlock: 500.0 cycles"));
    EXPECT_LT(text.find("mcs_spinlock: 500.0 cycles"), text.find("rq: 75.0 cycles"));
}

TEST(ReportFields, FieldsOutsideTheLayoutAreListedBelow) {
    AttributionResult r = sample_patched();
    EXPECT_THAT(render_fields(r, {}), HasSubstr("not in the layout"));
    EXPECT_THAT(render_fields(r, {}), HasSubstr("\nrq.curr"));
    EXPECT_THAT(render_fields(r, {}), HasSubstr("prefetched 1.00"));
}

TEST(ReportFields, OneStructureOnRequest) {
    ReportOptions options;
    options.structures = {"rq"};
    const std::string text = render_fields(sample_result(), options);
    EXPECT_THAT(text, HasSubstr("struct rq {"));
    EXPECT_THAT(text, Not(HasSubstr("struct task_struct {")));
    options.structures = {"task_strukt"};
    try {
        static_cast<void>(render_fields(sample_result(), options));
        FAIL() << "accepted";
    } catch (const model::UserError& e) {
        EXPECT_THAT(e.what(), HasSubstr("task_strukt"));
        EXPECT_THAT(e.what(), HasSubstr("task_struct"));
    }
}

TEST(ReportFields, HeatIsReadsWritesMissesRemoteWritersCycles) {
    std::optional<std::vector<std::string>> found;
    for (const auto& row : rows(render_fields(sample_result(), csv()))) {
        if (row[1] == "se.exec_start") found = row;
    }
    // 3 accesses a unit, 1000 of 3000 miss, all of them supplied or given up by others; 3 writers.
    EXPECT_EQ(*found, (std::vector<std::string>{"task_struct", "se.exec_start", "64", "8", "1", "2",
                                                "1", "0", "1", "33.3333", "100", "3", "700"}));
}

TEST(ShortenPahole, KeepsWhatIsHotAndTheFrameAroundIt) {
    std::string text = "struct big {\n\t/*  offset size */  loads\n";
    for (int i = 0; i < 60; ++i) {
        text += "\tu64 m" + std::to_string(i) + ";  /* " + std::to_string(8 * i) + " 8 */" +
                (i == 30 ? "  1.00" : "") + "\n";
        if (i == 10 || i == 20) {
            text += "\tstruct {\n";
            for (int j = 0; j < 9; ++j) {
                text += "\t\tu8 s" + std::to_string(j) + "; /* 1 1 */" +
                        (i == 20 && j == 4 ? "  2.00\n" : "\n");
            }
            text += "\t} in" + std::to_string(i) + "; /* 1 9 */\n";
        }
    }
    text += "\n\t/* size: 480, cachelines: 8, members: 62 */\n\t/* padding: 1 */\n};\n";
    EXPECT_EQ(shorten_pahole(text),
              "struct big {\n\t/*  offset size */  loads\n"
              "\t/* ... 31 members without access ... */\n"
              "\tstruct {\n\t/* ... 4 members without access ... */\n"
              "\t\tu8 s4; /* 1 1 */  2.00\n"
              "\t/* ... 4 members without access ... */\n\t} in20; /* 1 9 */\n"
              "\t/* ... 9 members without access ... */\n"
              "\tu64 m30;  /* 240 8 */  1.00\n"
              "\t/* ... 29 members without access ... */\n\n"
              "\t/* size: 480, cachelines: 8, members: 62 */\n\t/* padding: 1 */\n};\n");
}

TEST(ShortenPahole, LeavesShortTextsAlone) {
    const std::string text = sample_result().pahole.at("task_struct");
    EXPECT_EQ(shorten_pahole(text), text);
}

TEST(ReportC2c, NamesTheFieldAtEachOffset) {
    const std::string text = render_c2c(sample_result(), {});
    EXPECT_THAT(text, HasSubstr("0x401000  task_struct line 1"));
    EXPECT_THAT(text, HasSubstr("task_struct.se.exec_start"));
    EXPECT_THAT(text, HasSubstr("HITM of lines not in these tables"));
}

TEST(ReportC2c, ShareOfALineIsOfAllMovesThoseLeftOutToo) {
    // 1300 of 1300 + 1 + 99.
    EXPECT_THAT(render_c2c(sample_result(), {}), HasSubstr("92.86"));
}

TEST(ReportLocks, SaysWhereWaitingHappens) {
    EXPECT_THAT(render_locks(sample_result(), {}),
                HasSubstr("Waiting happens at task_struct.pi_lock: 99.3 % of 181.2 ns waited per "
                          "unit; next rq.lock, 0.7 %.\n"));
    AttributionResult r = sample_result();
    for (auto& [name, lock] : r.locks) lock.wait_ns = 0;
    EXPECT_THAT(render_locks(r, {}), HasSubstr("Nobody waited for a lock.\n"));
}

TEST(ReportLocks, MeansAreOfWhatTheyAreMeansOf) {
    for (const auto& row : rows(render_locks(sample_result(), csv()))) {
        if (row[0] != "task_struct.pi_lock") continue;
        EXPECT_EQ(row[4], "64");      // contended %
        EXPECT_EQ(row[7], "281.25");  // wait, of the 640 contended
        EXPECT_EQ(row[9], "200");     // acquire, of all 1000
        EXPECT_EQ(row[10], "310");
    }
}

}  // namespace
}  // namespace linefill::measure
