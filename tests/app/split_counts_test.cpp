// SPDX-License-Identifier: Apache-2.0
// stat -a, -A, --per-..., -I: the parts are those of the whole, to the last count.
#include <cmath>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/text_format.h"
#include "tests/app/command_runner.h"

namespace linefill::app {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

struct Case {
    std::string name;
    Words sampling;
    Words workload;
};

/// In the test's listed name, which must not hold addresses.
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

/// Sampled: windows, ticks and switches stand for more than themselves. In full: nothing does.
std::vector<Case> cases() {
    return {
        {"Sampled", {"--sample", "2400"}, {"pound_times", "--threads", "40", "--calls", "24000"}},
        {"InFull", {"--full"}, {"pound_clock_gettime", "--threads", "3", "--calls", "3000"}}};
}

class SplitCounts : public ::testing::TestWithParam<Case> {
protected:
    /// Rows of `-x ,` with the figures' own left out.
    [[nodiscard]] std::vector<std::vector<std::string>> rows(const Words& more) const {
        Words words = {"stat",
                       "-p",
                       "xeon-snb-2s",
                       "-k",
                       "v4.7-rc7",
                       "-x",
                       ",",
                       "-e",
                       "cycles,instructions,L1-dcache-loads:k,context-switches,page-faults"};
        words.insert(words.end(), GetParam().sampling.begin(), GetParam().sampling.end());
        words.insert(words.end(), more.begin(), more.end());
        words.emplace_back("--");
        words.insert(words.end(), GetParam().workload.begin(), GetParam().workload.end());
        const CommandResult result = run_linefill(words);
        EXPECT_EQ(result.exit_code, 0) << result.err;
        std::vector<std::vector<std::string>> rows;
        for (const std::string& line : measure::split(result.err, '\n')) {
            if (line.empty() || line[0] == '#' || line.find(",elapsed,") != std::string::npos) {
                continue;
            }
            rows.push_back(measure::split(line, ','));
        }
        return rows;
    }

    /// Sums of the counts by event; `fields` stand before the count.
    [[nodiscard]] std::map<std::string, double> sums(const Words& more, std::size_t fields) const {
        std::map<std::string, double> sums;
        for (const auto& row : rows(more)) sums[row.at(fields + 2)] += std::stod(row.at(fields));
        return sums;
    }
};

TEST_P(SplitCounts, IntervalsSumToTheWorkload) {
    const auto whole = sums({}, 0);
    EXPECT_GT(whole.at("cycles"), 0);
    EXPECT_GT(whole.at("context-switches"), 0);
    EXPECT_EQ(sums({"-I", "1"}, 1), whole);
}

TEST_P(SplitCounts, ThreadsSumToTheWorkload) {
    EXPECT_EQ(sums({"-a", "--per-thread"}, 1), sums({}, 0));
}

TEST_P(SplitCounts, EveryWayToSplitTheSystemSumsToIt) {
    const auto whole = sums({"-a"}, 0);
    EXPECT_EQ(sums({"-a", "-A"}, 1), whole);
    EXPECT_EQ(sums({"-a", "--per-core"}, 2), whole);
    EXPECT_EQ(sums({"-a", "--per-socket"}, 2), whole);
    EXPECT_EQ(sums({"-a", "-I", "1"}, 1), whole);
    EXPECT_EQ(sums({"-a", "-A", "-I", "1"}, 2), whole);
    // Idle CPUs wake, take interrupts, switch.
    for (const auto& [event, count] : sums({}, 0)) EXPECT_LE(count, whole.at(event)) << event;
    EXPECT_GT(whole.at("instructions"), sums({}, 0).at("instructions"));
}

INSTANTIATE_TEST_SUITE_P(Both, SplitCounts, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

/// Cycles of each interval.
std::vector<double> by_interval(const Words& options, const Words& workload) {
    Words words = {"stat", "-p", "xeon-snb-2s", "-k", "v4.7-rc7", "-x", ",", "-e", "cycles"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), workload.begin(), workload.end());
    std::vector<double> cycles;
    for (const std::string& line : measure::split(run_linefill(words).err, '\n')) {
        const std::vector<std::string> fields = measure::split(line, ',');
        if (fields.size() > 3 && fields[3] == "cycles") cycles.push_back(std::stod(fields[1]));
    }
    return cycles;
}

TEST(SplitCountsTest, WorkIsCountedWhenItWasDone) {
    // All threads run from beginning to end: no interval in between is idle or crowded.
    const std::vector<std::vector<double>> runs = {
        by_interval({"-I", "2", "--sample", "6000"},
                    {"pound_times", "--threads", "8", "--calls", "60000"}),
        by_interval({"-I", "1", "--full"},
                    {"pound_clock_gettime", "--threads", "3", "--calls", "16000"})};
    for (const std::vector<double>& cycles : runs) {
        ASSERT_GE(cycles.size(), 5U);
        const double middle = cycles.at(cycles.size() / 2);
        for (std::size_t i = 1; i + 2 < cycles.size(); ++i) {
            EXPECT_NEAR(cycles[i], middle, 0.1 * middle) << "interval " << i;
        }
        EXPECT_LE(cycles.back(), 1.1 * middle);
    }
}

TEST(SplitCountsTest, TheSystemsClocksRunOnAllCpus) {
    const CommandResult result =
        run_linefill({"stat", "-p", "xeon-snb-2s", "-k", "v4.7-rc7", "-a", "--", "pound_times",
                      "--threads", "2", "--calls", "600"});
    EXPECT_THAT(result.err, HasSubstr("Performance counter stats for 'system wide':"));
    EXPECT_THAT(result.err, HasSubstr(" msec cpu-clock                        #   32.000 CPUs"));
    EXPECT_THAT(result.err, HasSubstr("# linefill counted: the whole system\n"));
    EXPECT_EQ(result.err.find("seconds user"), std::string::npos);
}

TEST(SplitCountsTest, RunsAtIntervalsFollowEachOther) {
    const CommandResult result =
        run_linefill({"stat", "-p", "xeon-snb-2s", "-k", "v4.7-rc7", "-I", "1", "-r", "2", "-e",
                      "cycles", "--", "pound_times", "--threads", "2", "--calls", "600"});
    const std::size_t first = result.err.find("# linefill seed: 1\n");
    const std::size_t second = result.err.find("# linefill seed: 2\n");
    ASSERT_NE(first, std::string::npos);
    ASSERT_NE(second, std::string::npos);
    EXPECT_LT(first, second);
    EXPECT_EQ(result.err.find("+-"), std::string::npos);
    EXPECT_EQ(result.err.find("Performance counter stats"), std::string::npos);
}

TEST(SplitCountsTest, OfSeveralSplitsTheLastCounts) {
    const auto first_row = [](const Words& splits) {
        Words words = {"stat", "-p", "xeon-snb-2s", "-k", "v4.7-rc7", "-x", ",", "-a"};
        words.insert(words.end(), splits.begin(), splits.end());
        for (const char* word : {"--", "pound_times", "--threads", "2", "--calls", "600"}) {
            words.emplace_back(word);
        }
        const std::string text = run_linefill(words).err;
        return text.substr(text.find("\n\n") + 2, 5);
    };
    EXPECT_THAT(first_row({"--per-socket", "-A"}), HasSubstr("CPU0,"));
    EXPECT_THAT(first_row({"-A", "--per-socket"}), HasSubstr("S0,16"));
}

}  // namespace
}  // namespace linefill::app
