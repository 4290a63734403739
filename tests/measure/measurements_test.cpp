// SPDX-License-Identifier: Apache-2.0
// Measurement files: what is read, and the message for each way of being malformed.
#include "measure/measurements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/csv_reader.h"
#include "model/sim/error.h"

namespace linefill::measure {
namespace {

using model::UserError;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kHeader =
    "group,role,platform,kernel,apply,config,boot,workload,metric,unit,better,value,err_pct,"
    "source\n";

std::string row(const std::string& role, const std::string& value, const std::string& err = "") {
    return "g," + role + ",xeon-snb-2s,v4.7-rc7,,,,pound --threads 2,cycles,count,lower," + value +
           ',' + err + ",s\n";
}

std::string error_of(const std::string& text) {
    try {
        static_cast<void>(parse_measurements(text, "m.csv"));
    } catch (const UserError& error) {
        return error.what();
    }
    return "no error";
}

TEST(ReadCsv, TakesQuotesLineEndsAndEmptyLines) {
    const auto records = read_csv(
        "\xef\xbb\xbf"
        "a,\"b,\"\"c\"\"\"\r\n\r\n\"two\nlines\",\nlast",
        "f");
    ASSERT_EQ(records.size(), 3U);
    EXPECT_THAT(records[0].fields, ElementsAre("a", "b,\"c\""));
    EXPECT_EQ(records[0].line, 1);
    EXPECT_THAT(records[1].fields, ElementsAre("two\nlines", ""));
    EXPECT_EQ(records[1].line, 3);
    EXPECT_THAT(records[2].fields, ElementsAre("last"));
    EXPECT_EQ(records[2].line, 5);
    EXPECT_TRUE(read_csv("", "f").empty());
}

TEST(ReadCsv, NamesTheLineOfABrokenQuote) {
    const auto message = [](std::string_view text) -> std::string {
        try {
            static_cast<void>(read_csv(text, "f.csv"));
        } catch (const UserError& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_THAT(message("a\nb,\"c\nd\n"), HasSubstr("f.csv:2: quote that is never closed"));
    EXPECT_THAT(message("a\nb,c\"d\n"), HasSubstr("f.csv:2: quote inside"));
    EXPECT_THAT(message("a\n\"b\"c\n"), HasSubstr("f.csv:2: stray"));
    EXPECT_THAT(message(std::string_view("a\0b", 3)), HasSubstr("f.csv:1: NUL"));
}

TEST(ParseMeasurements, ReadsEveryFieldAndPairsRowsByRole) {
    const Measurements file = parse_measurements(
        std::string(kHeader) +
            "hrtick,patched,i7-3770,v4.8,a+b,HZ=100,maxcpus=1 sched_feat=HRTICK,cpu-hogs --tasks 4,"
            "switch-interval-mean,ms,lower,1.50,2.5,x.txt\n" +
            row("baseline", "19699563964", "1.19") +
            "hrtick,baseline,i7-3770,v4.8,,HZ=100,,cpu-hogs --tasks 4,switch-interval-mean,ms,"
            "lower,10,,x.txt\n",
        "m.csv");
    ASSERT_EQ(file.rows.size(), 3U);
    const Measurement& first = file.rows[0];
    EXPECT_EQ(first.line, 2);
    EXPECT_EQ(first.group, "hrtick");
    EXPECT_EQ(first.role, Measurement::Role::kPatched);
    EXPECT_EQ(first.platform, "i7-3770");
    EXPECT_EQ(first.kernel, "v4.8");
    EXPECT_THAT(first.apply, ElementsAre("a", "b"));
    EXPECT_THAT(first.config, ElementsAre("HZ=100"));
    EXPECT_THAT(first.boot, ElementsAre("maxcpus=1", "sched_feat=HRTICK"));
    EXPECT_EQ(first.workload, "cpu-hogs --tasks 4");
    EXPECT_EQ(first.unit, "ms");
    EXPECT_EQ(first.better, Better::kLower);
    EXPECT_EQ(first.value, 1.5);
    EXPECT_EQ(first.err_pct, 2.5);
    EXPECT_DOUBLE_EQ(first.relative_error(), 0.025);
    EXPECT_EQ(first.source, "x.txt");
    EXPECT_DOUBLE_EQ(first.rounding, 0.005);
    EXPECT_EQ(file.rows[2].err_pct, std::nullopt);
    EXPECT_DOUBLE_EQ(file.rows[2].relative_error(), 0.05);

    ASSERT_EQ(file.groups.size(), 2U);
    EXPECT_EQ(file.groups[0].name, "hrtick");
    EXPECT_EQ(file.groups[0].baseline, 2U);
    EXPECT_EQ(file.groups[0].patched, 0U);
    EXPECT_EQ(file.groups[1].baseline, 1U);
    EXPECT_EQ(file.groups[1].patched, std::nullopt);
}

TEST(ParseMeasurements, NamesFileLineColumnAndValue) {
    const std::string head = kHeader;
    EXPECT_THAT(error_of(head + row("baseline", "1") + row("patched", "1,5")),
                AllOf(HasSubstr("m.csv:3:"), HasSubstr("number of fields"), HasSubstr("15")));
    EXPECT_THAT(error_of(head + row("baseline", "12x")),
                AllOf(HasSubstr("m.csv:2:"), HasSubstr("value"), HasSubstr("12x")));
    for (const char* bad : {"", "nan", "inf", "-inf", "1e999", " 1", "0x1p3", "1 000"}) {
        EXPECT_THAT(error_of(head + row("baseline", bad)), HasSubstr("not a number")) << bad;
    }
    EXPECT_THAT(error_of(head + row("baseline", "1", "-2")),
                AllOf(HasSubstr("err_pct"), HasSubstr("-2")));
    EXPECT_THAT(error_of(head + row("baseline", "1", "nan")), HasSubstr("err_pct"));
    EXPECT_THAT(error_of(head + row("basline", "1")),
                AllOf(HasSubstr("role"), HasSubstr("did you mean \"baseline\"")));
    std::string wrong = row("baseline", "1");
    wrong.replace(wrong.find("lower"), 5, "less");
    EXPECT_THAT(error_of(head + wrong), AllOf(HasSubstr("better"), HasSubstr("less"),
                                              HasSubstr("lower, higher or neither")));
}

TEST(ParseMeasurements, RefusesEmptyNames) {
    for (const std::string name : {"xeon-snb-2s", "v4.7-rc7", "pound --threads 2", "cycles", "g"}) {
        std::string text = row("baseline", "1");
        text.replace(text.find(name), name.size(), "");
        EXPECT_THAT(error_of(kHeader + text), HasSubstr("empty field")) << name;
    }
    std::string text = row("baseline", "1");
    text.replace(text.find(",,,,"), 4, ",a++b,,,");
    EXPECT_THAT(error_of(kHeader + text), AllOf(HasSubstr("apply"), HasSubstr("a++b")));
}

TEST(ParseMeasurements, RefusesAWrongHeader) {
    EXPECT_THAT(error_of(""), HasSubstr("empty"));
    EXPECT_THAT(error_of(kHeader), HasSubstr("no measurements"));
    EXPECT_THAT(error_of("group,role,platform\n"),
                AllOf(HasSubstr("missing"), HasSubstr("kernel")));
    std::string swapped = kHeader;
    swapped.replace(swapped.find("metric,unit"), 11, "unit,metric");
    EXPECT_THAT(error_of(swapped), AllOf(HasSubstr("column 9"), HasSubstr("expected metric")));
    std::string longer = kHeader;
    longer.insert(longer.size() - 1, ",extra");
    EXPECT_THAT(error_of(longer), AllOf(HasSubstr("column 15"), HasSubstr("extra")));
    EXPECT_THAT(error_of(row("baseline", "1")), HasSubstr("m.csv:1: wrong column"));
}

TEST(ParseMeasurements, RefusesGroupsThatAreNoPair) {
    const std::string head = kHeader;
    EXPECT_THAT(error_of(head + row("baseline", "1") + row("baseline", "2")),
                AllOf(HasSubstr("m.csv:3:"), HasSubstr("group g"), HasSubstr("line 2")));
    std::string other = row("patched", "1");
    other.replace(other.find("count"), 5, "s");
    EXPECT_THAT(error_of(head + row("baseline", "1") + other),
                AllOf(HasSubstr("m.csv:3:"), HasSubstr("unit"), HasSubstr("count")));
    other = row("patched", "1");
    other.replace(other.find("threads 2"), 9, "threads 5");
    EXPECT_THAT(error_of(head + row("baseline", "1") + other), HasSubstr("workload"));
}

}  // namespace
}  // namespace linefill::measure
