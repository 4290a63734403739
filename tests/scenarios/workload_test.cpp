// SPDX-License-Identifier: Apache-2.0
// The commands of workloads: what is accepted, what they come to, what is said of bad ones.
#include "scenarios/workload.h"

#include <gmock/gmock.h>

#include "kernel/version.h"
#include "model/sim/error.h"

namespace linefill::scenarios {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string complaint(const std::string& command) {
    try {
        (void)expand_rows(split_command(command));
    } catch (const model::UserError& e) {
        return e.what();
    }
    return "accepted";
}

std::vector<std::string> rows(const std::string& command) {
    std::vector<std::string> lines;
    for (const auto& w : expand_rows(split_command(command))) lines.push_back(w->command_line());
    return lines;
}

TEST(WorkloadRegistry, ListsTheProgramsByName) {
    std::vector<std::string> names;
    for (const WorkloadKind* k : WorkloadRegistry::instance().kinds()) names.push_back(k->name());
    EXPECT_THAT(names, ElementsAre("pound_clock_gettime", "pound_times"));
}

TEST(WorkloadRegistry, NamesTheNearestToAnUnknownOne) {
    EXPECT_THAT(complaint("pound_clock_getime --threads 2"),
                AllOf(HasSubstr("unknown workload"), HasSubstr("pound_clock_gettime\"?")));
}

TEST(WorkloadRegistry, TellsPlannedWorkloadsFromUnknownOnes) {
    for (const std::string& name : WorkloadRegistry::planned()) {
        EXPECT_THROW((void)expand_rows({name, "--anything"}), kernel::NotBuiltYet) << name;
    }
    try {
        (void)expand_rows({"hackbanch"});
        FAIL();
    } catch (const kernel::NotBuiltYet&) {
        FAIL() << "an unknown name is not a planned one";
    } catch (const model::UserError& e) {
        EXPECT_THAT(e.what(), HasSubstr("hackbench"));
    }
}

TEST(WorkloadArguments, TakesAListAsRowsInTheOrderGiven) {
    EXPECT_THAT(rows("pound_times --threads 21,2"),
                ElementsAre("pound_times --threads 21", "pound_times --threads 2"));
    EXPECT_THAT(rows("pound_times --calls 9000 --threads=8"),
                ElementsAre("pound_times --threads 8 --calls 9000"));
}

TEST(WorkloadArguments, ReportsTheRowsParameter) {
    EXPECT_EQ(parse_workload({"pound_times", "--threads", "21"})->parameter(), "21");
    EXPECT_EQ(WorkloadRegistry::instance().find("pound_times").row_flag(), "--threads");
}

TEST(WorkloadArguments, ARunTakesNoList) {
    EXPECT_THROW((void)parse_workload({"pound_times", "--threads", "2,21"}), model::UserError);
}

TEST(WorkloadArguments, DividesTheCallsOverTheThreads) {
    // 5,000,000 / 48 is 104,166 and a rest that nobody does.
    EXPECT_EQ(parse_workload({"pound_times", "--threads", "48"})->plan().units, 48U * 104'166);
    EXPECT_EQ(parse_workload({"pound_times", "--threads", "2"})->plan().units, 5'000'000U);
    EXPECT_EQ(parse_workload({"pound_times", "--threads", "3", "--calls", "10"})->plan().units, 9U);
}

struct BadCommand {
    const char* command;
    const char* says;
};
void PrintTo(const BadCommand& c, std::ostream* out) { *out << c.command; }

class BadWorkloadArguments : public testing::TestWithParam<BadCommand> {};

TEST_P(BadWorkloadArguments, GetAMessageThatNamesThem) {
    EXPECT_THAT(complaint(GetParam().command), HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadWorkloadArguments,
    testing::Values(
        BadCommand{"pound_times --threads 0", "--threads = \"0\"; expected a whole number from 1"},
        BadCommand{"pound_times --threads -1",
                   "--threads = \"-1\"; expected a whole number from 1"},
        BadCommand{"pound_times --threads 1e9", "--threads = \"1e9\"; expected a whole number"},
        BadCommand{"pound_times --threads 4097", "from 1 to 4096"},
        BadCommand{"pound_times --threads 2,,3", "expected a whole number"},
        BadCommand{"pound_times --threads 2,", "expected a whole number"},
        BadCommand{"pound_times --threads 2,2", "given twice"},
        BadCommand{"pound_times --threads", "without a value"},
        BadCommand{"pound_times --threads 99999999999999999999", "expected a whole number"},
        BadCommand{"pound_times --threads \"\"", "expected a whole number"},
        BadCommand{"pound_times", "missing argument"},
        BadCommand{"pound_times --thread 2", "did you mean \"--threads\"?"},
        BadCommand{"pound_times 48", "unexpected word"},
        BadCommand{"pound_times --threads 2 --threads 3", "given twice"},
        BadCommand{"pound_times --threads 8 --calls 5", "fewer calls than threads"},
        BadCommand{"pound_times --threads 8 --calls 100,200", "expected a whole number"},
        BadCommand{"", "no workload given"}, BadCommand{"pound_times '--threads 2", "quote"}));

TEST(SplitCommand, KeepsQuotedWordsTogether) {
    EXPECT_THAT(split_command("  a 'b c'  \"d\"e\t'' "), ElementsAre("a", "b c", "de", ""));
    EXPECT_TRUE(split_command("").empty());
}

}  // namespace
}  // namespace linefill::scenarios
