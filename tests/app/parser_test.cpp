// SPDX-License-Identifier: Apache-2.0
// Where options end, what belongs to the command and what to the workload, and the complaints.
#include "app/parser.h"

#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/sim/error.h"

namespace linefill::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ParserTest : public ::testing::Test {
protected:
    ParserTest() {
        parser_.text("-p,--platform", platform_, "NAME", "the machine");
        parser_.texts("--set", sets_, "KEY=VALUE", "changes a key");
        parser_.number("-r,--repeat", repeat_, 1, 1000, "N", "runs");
        parser_.counted_flag("-d,--detailed", detail_, "more events");
        parser_.flag("-j,--json-output", json_, "JSON");
        parser_.text("-x,--field-separator", separator_, "SEP", "CSV");
        parser_.choice("--format", format_, {"table", "csv"}, "form");
    }

    std::string complaint(const std::vector<std::string>& arguments) {
        try {
            parser_.parse(arguments);
        } catch (const model::UserError& error) {
            return error.what();
        }
        return "no complaint";
    }

    Parser parser_{"stat", "Counts.", "[options] -- WORKLOAD"};
    std::string platform_;
    std::vector<std::string> sets_;
    std::uint64_t repeat_ = 1;
    int detail_ = 0;
    bool json_ = false;
    std::optional<std::string> separator_;
    std::string format_ = "table";
};

TEST_F(ParserTest, OptionsEndAtTwoDashes) {
    const Words words = parser_.parse({"-p", "m", "-r", "10", "--", "prog", "-r", "3"});
    EXPECT_EQ(platform_, "m");
    EXPECT_EQ(repeat_, 10U);
    EXPECT_THAT(words.rest, ElementsAre("prog", "-r", "3"));
}

TEST_F(ParserTest, OptionsEndAtTheFirstWordThatIsNone) {
    const Words words = parser_.parse({"-j", "prog", "--set", "x", "--", "y"});
    EXPECT_TRUE(json_);
    EXPECT_THAT(sets_, IsEmpty());
    EXPECT_THAT(words.rest, ElementsAre("prog", "--set", "x", "--", "y"));
}

TEST_F(ParserTest, ShortOptionsMayBeJoinedAndCarryTheirValue) {
    const Words words = parser_.parse({"-ddd", "-r10", "-x,", "-jp", "m", "w"});
    EXPECT_EQ(detail_, 3);
    EXPECT_EQ(repeat_, 10U);
    EXPECT_EQ(separator_, ",");
    EXPECT_TRUE(json_);
    EXPECT_EQ(platform_, "m");
    EXPECT_THAT(words.rest, ElementsAre("w"));
}

TEST_F(ParserTest, AValueMayLookLikeAnOptionOrBeEmpty) {
    parser_.parse({"-x", "-", "-p", ""});
    EXPECT_EQ(separator_, "-");
    EXPECT_EQ(platform_, "");
    parser_.parse({"--platform=--x"});
    EXPECT_EQ(platform_, "--x");
}

TEST_F(ParserTest, RepeatedOptionsAddUpOrTheLastCounts) {
    parser_.parse({"--set", "a=1", "--set=b=2,3", "-r", "2", "-r", "5"});
    EXPECT_THAT(sets_, ElementsAre("a=1", "b=2,3"));
    EXPECT_EQ(repeat_, 5U);
}

TEST_F(ParserTest, SubjectsAreTakenWhileTheCommandKnowsThem) {
    parser_.subjects([](const std::string& word, const std::vector<std::string>& so_far) {
        return so_far.empty() && word == "fields";
    });
    const Words words = parser_.parse({"fields", "-p", "m", "fields", "-j"});
    EXPECT_THAT(words.subjects, ElementsAre("fields"));
    EXPECT_THAT(words.rest, ElementsAre("fields", "-j"));
    EXPECT_FALSE(json_);
}

TEST_F(ParserTest, AnUnknownOptionIsNamedWithTheNearest) {
    EXPECT_EQ(complaint({"--platfrom", "x"}),
              "unknown option: --platfrom; did you mean \"--platform\"?");
    EXPECT_EQ(complaint({"-q"}), "unknown option: -q = \"-q\"");
    EXPECT_EQ(complaint({"-dz"}), "unknown option: -z = \"-dz\"");
}

TEST_F(ParserTest, BadValuesAreNamedWithWhatWasExpected) {
    for (const char* bad : {"0", "-1", "1e9", "1001", "", "3x", " 3", "99999999999999999999999"}) {
        EXPECT_EQ(complaint({"-r", bad}), "not a number that fits: --repeat = \"" +
                                              std::string(bad) +
                                              "\"; expected a whole number from 1 to 1000");
    }
    EXPECT_EQ(
        complaint({"--format", "cvs"}),
        "unknown word: --format = \"cvs\"; expected one of table, csv; did you mean \"csv\"?");
    EXPECT_EQ(complaint({"-p"}), "an option without its value: -p");
    EXPECT_EQ(complaint({"--set"}), "an option without its value: --set");
    EXPECT_EQ(complaint({"-j=1"}), "unknown option: -= = \"-j=1\"");
    EXPECT_EQ(complaint({"--json-output=1"}),
              "an option that takes no value has one: --json-output=1");
}

TEST_F(ParserTest, HelpShowsUsageAndEveryOption) {
    try {
        parser_.parse({"--help"});
        FAIL() << "no help";
    } catch (const HelpRequested& help) {
        EXPECT_THAT(help.text, HasSubstr("Usage: linefill stat [options] -- WORKLOAD\n"));
        EXPECT_THAT(help.text, HasSubstr("--field-separator SEP"));
    }
}

}  // namespace
}  // namespace linefill::app
