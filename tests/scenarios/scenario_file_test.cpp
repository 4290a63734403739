// SPDX-License-Identifier: Apache-2.0
// Scenario files: what they hold, and the message that each mistake gets.
#include "scenarios/scenario_file.h"

#include <gmock/gmock.h>

#include "model/sim/error.h"

namespace linefill::scenarios {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kGood = R"(title = "two rows"
platform = "xeon-snb-2s"
workload = "pound_times"
parameter = "--threads"
values = [2, 48]
baseline = "v4.7-rc7"
patched = ["+prefetch-curr-exec-start", "v4.8"]
)";

std::string with(const std::string& line) { return std::string(kGood) + line + "\n"; }

std::string without(const std::string& key) {
    std::string text;
    std::istringstream in(kGood);
    for (std::string line; std::getline(in, line);) {
        if (line.rfind(key + " ", 0) != 0) text += line + "\n";
    }
    return text;
}

std::string complaint(const std::string& text) {
    try {
        (void)parse_scenario(text, "my.toml");
    } catch (const model::UserError& e) {
        return e.what();
    }
    return "accepted";
}

TEST(ScenarioFile, HoldsWhatACompareNeeds) {
    const Scenario s =
        parse_scenario(with("repeats = 3\nset = \"cache.llc.size=10MiB\""), "a/my.toml");
    EXPECT_EQ(s.name, "my");
    EXPECT_EQ(s.title, "two rows");
    EXPECT_THAT(s.platforms, ElementsAre("xeon-snb-2s"));
    EXPECT_THAT(s.values, ElementsAre(2, 48));
    EXPECT_EQ(s.repeats, 3U);
    EXPECT_THAT(s.set, ElementsAre("cache.llc.size=10MiB"));
    // "+patch" is short for the baseline with it.
    EXPECT_THAT(s.patched, ElementsAre("v4.7-rc7+prefetch-curr-exec-start", "v4.8"));
    EXPECT_THAT(scenario_commands(s),
                ElementsAre("pound_times --threads 2", "pound_times --threads 48"));
}

TEST(ScenarioFile, RepeatsTenTimesUnlessTold) {
    EXPECT_EQ(parse_scenario(kGood, "my.toml").repeats, 10U);
}

TEST(ScenarioFile, UnknownKeysAreErrorsWithTheirLine) {
    EXPECT_THAT(complaint(with("repeat = 3")),
                AllOf(HasSubstr("my.toml:8:"), HasSubstr("repeat"), HasSubstr("\"repeats\"?")));
    EXPECT_THAT(complaint(with("[machine]\nx = 1")), HasSubstr("my.toml:8:"));
}

TEST(ScenarioFile, MissingKeysAreNamed) {
    for (const char* key : {"platform", "workload", "baseline", "patched", "values", "parameter"}) {
        EXPECT_THAT(complaint(without(key)), AllOf(HasSubstr("missing"), HasSubstr(key))) << key;
    }
}

TEST(ScenarioFile, WrongValuesAreErrorsWithTheirLine) {
    EXPECT_THAT(complaint(with("repeats = 0")), HasSubstr("my.toml:8:"));
    EXPECT_THAT(complaint(with("repeats = \"3\"")), HasSubstr("my.toml:8:"));
    EXPECT_THAT(complaint(with("metrics = []")), HasSubstr("my.toml:8:"));
    EXPECT_THAT(complaint(with("metrics = [\"cycles\", 3]")), HasSubstr("my.toml:8:"));
    EXPECT_THAT(complaint(without("values") + "values = [2, 0]"), HasSubstr("my.toml:7:"));
    EXPECT_THAT(complaint(without("values") + "values = [2, 9999]"),
                AllOf(HasSubstr("my.toml:7:"), HasSubstr("--threads")));
    EXPECT_THAT(complaint(without("workload") + "workload = \"pound_time\""),
                AllOf(HasSubstr("my.toml:7:"), HasSubstr("\"pound_times\"?")));
    EXPECT_THAT(complaint(without("parameter") + "parameter = \"--thread\""),
                HasSubstr("\"--threads\"?"));
}

TEST(ScenarioFile, BrokenTomlIsAnErrorWithItsLine) {
    EXPECT_THAT(complaint("title = \"x\"\nplatform = \"xeon"), HasSubstr("my.toml:2:"));
    EXPECT_THAT(complaint(with("title = \"again\"")), HasSubstr("my.toml:8:"));
    EXPECT_THAT(complaint(""), HasSubstr("missing"));
}

TEST(ScenarioFile, TheShippedOnesAreGood) {
    const std::vector<std::string> dirs{"scenarios"};
    EXPECT_THAT(scenario_names(dirs), testing::Contains("poundtime"));
    const Scenario s = load_scenario("poundtime", dirs);
    EXPECT_THAT(s.values, ElementsAre(2, 5, 8, 12, 21, 30, 48, 79, 110, 128));
    EXPECT_EQ(s.baseline, "v4.7-rc7");
    EXPECT_THAT(s.patched, ElementsAre("v4.7-rc7+prefetch-curr-exec-start"));
}

TEST(ScenarioFile, UnknownNamesAndFilesAreErrors) {
    try {
        (void)load_scenario("poundtim", {"scenarios"});
        FAIL();
    } catch (const model::UserError& e) {
        EXPECT_THAT(e.what(), HasSubstr("\"poundtime\"?"));
    }
    EXPECT_THROW((void)load_scenario("./no-such.toml", {}), model::UserError);
    EXPECT_THROW((void)load_scenario("scenarios/", {}), model::UserError);
}

}  // namespace
}  // namespace linefill::scenarios
