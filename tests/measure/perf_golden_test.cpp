// SPDX-License-Identifier: Apache-2.0
// The three forms of perf stat output, byte for byte as perf 6.1 itself printed them.
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "measure/perf_csv.h"
#include "measure/perf_json.h"
#include "measure/perf_text.h"
#include "measure/run_result_json.h"
#include "measure/text_format.h"
#include "tests/measure/helpers.h"

namespace linefill::measure {
namespace {

class PerfGolden : public testing::TestWithParam<const char*> {
protected:
    static std::string path(const std::string& ending) {
        return std::string(LINEFILL_SOURCE_DIR) + "/tests/measure/golden/perf61_" + GetParam() +
               ending;
    }

    static StatReport report() {
        std::vector<std::string> events;
        std::vector<RunResult> runs;
        for (const std::string& line : split(read_file(path(".runs")), '\n')) {
            if (events.empty()) {
                events = nlohmann::json::parse(line).at("events").get<std::vector<std::string>>();
            } else if (!line.empty()) {
                runs.push_back(run_result_from_json(line));
            }
        }
        return make_report("./pound_clock_gettime --threads 48", events, runs);
    }
};

TEST_P(PerfGolden, TextIsPerfs) { EXPECT_EQ(perf_text(report()), read_file(path(".txt"))); }

TEST_P(PerfGolden, CsvIsPerfs) { EXPECT_EQ(perf_csv(report(), ","), read_file(path(".csv"))); }

TEST_P(PerfGolden, JsonIsPerfs) { EXPECT_EQ(perf_json(report()), read_file(path(".json"))); }

INSTANTIATE_TEST_SUITE_P(Perf61, PerfGolden,
                         testing::Values("ddd_once", "ddd_repeated", "modifiers_equal_runs",
                                         "two_notes", "rate_units", "no_bases", "zero_clock",
                                         "zero_bases", "zero_elapsed", "uncounted_clock"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace linefill::measure
