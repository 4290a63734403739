// SPDX-License-Identifier: Apache-2.0
// What crosses from a worker process must arrive unchanged, or not at all.
#include "measure/run_result_json.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/measure/helpers.h"

namespace linefill::measure {
namespace {

RunResult sample_run() {
    RunResult run;
    run.seed = std::numeric_limits<std::uint64_t>::max();
    run.events = {{"cycles", counted(157361728394.33, 0.1, 1.0 / 3)},
                  {"L1-dcache-loads:u", unsupported()}};
    run.elapsed_s = 3.4812345670000001;
    run.user_s = 5e-324;
    run.sys_s = 1.7976931348623157e308;
    run.metrics = {{"throughput", -0.0}, {"latency-\"odd\"", 1e22}};
    run.sampling_rel_err = {{"cycles", 0.42}};
    run.parts = {{2, 0.3, 0.1, 7, "S0-D0-C7", 2, {{"cycles", {123, true, 2.5, 1e6}}}},
                 {3, 0.35, 0.1, 7, "a \"name\"", 0, {{"branches", {0, false, 100, 0}}}}};
    return run;
}

std::string error_of(const std::string& text) {
    try {
        static_cast<void>(run_result_from_json(text));
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "no error";
}

TEST(RunResultJson, ReadsBackEqual) {
    const RunResult run = sample_run();
    const std::string text = to_json(run);
    EXPECT_EQ(text.find('\n'), std::string::npos);
    const RunResult back = run_result_from_json(text);
    EXPECT_EQ(back, run);
    EXPECT_TRUE(std::signbit(back.metrics.at("throughput")));
}

TEST(RunResultJson, AnyDoubleKeepsItsBits) {
    std::mt19937_64 random(7);
    for (int i = 0; i < 20000; ++i) {
        RunResult run;
        const std::uint64_t bits = random();
        run.elapsed_s = std::bit_cast<double>(bits);
        const double back = run_result_from_json(to_json(run)).elapsed_s;
        if (std::isnan(run.elapsed_s)) {
            EXPECT_TRUE(std::isnan(back));
        } else {
            EXPECT_EQ(std::bit_cast<std::uint64_t>(back), bits);
        }
    }
}

TEST(RunResultJson, KeepsWhatJsonHasNoNumberFor) {
    RunResult run;
    run.metrics = {{"a", std::numeric_limits<double>::infinity()},
                   {"b", -std::numeric_limits<double>::infinity()},
                   {"c", std::numeric_limits<double>::quiet_NaN()}};
    const RunResult back = run_result_from_json(to_json(run));
    EXPECT_EQ(back.metrics.at("a"), run.metrics.at("a"));
    EXPECT_EQ(back.metrics.at("b"), run.metrics.at("b"));
    EXPECT_TRUE(std::isnan(back.metrics.at("c")));
}

TEST(RunResultJson, RefusesTextThatWasCutOff) {
    const std::string text = to_json(sample_run());
    for (std::size_t length = 0; length < text.size(); ++length) {
        EXPECT_NE(error_of(text.substr(0, length)), "no error") << length;
    }
}

TEST(RunResultJson, NamesTheKeyThatIsWrong) {
    const std::string text = to_json(RunResult());
    const auto with = [&text](const std::string& from, const std::string& to) {
        std::string changed = text;
        changed.replace(changed.find(from), from.size(), to);
        return error_of(changed);
    };
    EXPECT_THAT(with("\"elapsed_s\":0.0", "\"elapsed_s\":\"x\""), testing::HasSubstr("elapsed_s"));
    EXPECT_THAT(with("\"elapsed_s\":0.0", "\"elapsed_s\":null"), testing::HasSubstr("elapsed_s"));
    EXPECT_THAT(with(",\"user_s\":0.0", ""), testing::HasSubstr("user_s"));
    EXPECT_THAT(with("\"seed\":0", "\"seed\":-1"), testing::HasSubstr("seed"));
    EXPECT_THAT(with("\"events\":{}", "\"events\":[]"), testing::HasSubstr("events"));
    EXPECT_THAT(with("\"events\":{}", "\"events\":{\"cycles\":1}"), testing::HasSubstr("cycles"));
    EXPECT_EQ(with("\"seed\":0", "\"seed\":0"), "no error");
}

}  // namespace
}  // namespace linefill::measure
