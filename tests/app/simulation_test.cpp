// SPDX-License-Identifier: Apache-2.0
// Commands that simulate, end to end and small: same bytes however they are run, nothing lost.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/command_runner.h"

namespace linefill::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

const Words kWorkload = {"--", "pound_clock_gettime", "--threads", "3", "--calls", "600"};

Words operator+(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

const Words kStat = {"stat", "-p", "xeon-snb-2s", "-k", "v4.7-rc7"};
const Words kCompare = {"compare",
                        "-p",
                        "xeon-snb-2s",
                        "--baseline",
                        "v4.7-rc7",
                        "--patched",
                        "+prefetch-curr-exec-start"};

/// Files of measurements: their heading, and one row under it.
const std::string kHeading =
    "group,role,platform,kernel,apply,config,boot,workload,metric,unit,better,value,err_pct,"
    "source\n";
const std::string kMeasured =
    kHeading +
    "g,baseline,xeon-snb-2s,v4.7-rc7,,,,pound_times --threads 2 --calls 600,cycles,count,lower,"
    "1000000,1.5,s\n";

CommandResult good(const Words& words, const CommandOptions& options = {}) {
    CommandResult result = run_linefill(words, options);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result;
}

std::size_t lines_of(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(SimulationTest, StatPrintsWhatPerfPrintsAndWhatWasSimulated) {
    const CommandResult result = good(kStat + Words{"-r", "3", "-ddd"} + kWorkload);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, StartsWith("# linefill "));
    for (const char* part :
         {"# linefill platform: xeon-snb-2s\n", "# linefill kernel: v4.7-rc7\n",
          "# linefill seed: 1 to 3\n",
          "\n Performance counter stats for 'pound_clock_gettime --threads 3 --calls 600'",
          "' (3 runs):", " cycles ", " L1-dcache-load-misses ", "<not supported>",
          "seconds time elapsed"}) {
        EXPECT_THAT(result.err, HasSubstr(part));
    }
}

TEST(SimulationTest, TheSameBytesWhateverTheHostDoes) {
    CommandOptions elsewhere;
    elsewhere.directory = "/";
    elsewhere.environment = {"LC_ALL=de_DE.UTF-8", "LANG=de_DE.UTF-8", "TZ=Asia/Tokyo",
                             "PADDING=" + std::string(5000, 'x')};
    const Words words = kStat + Words{"-r", "4", "-d"};
    const std::string once = good(words + Words{"--jobs", "1"} + kWorkload).err;
    EXPECT_EQ(good(words + Words{"--jobs", "1"} + kWorkload).err, once);
    EXPECT_EQ(good(words + Words{"--jobs", "2"} + kWorkload).err, once);
    EXPECT_EQ(good(words + Words{"--jobs", "3"} + kWorkload, elsewhere).err, once);
    const std::string table = good(kCompare + Words{"-r", "3", "--jobs", "1"} + kWorkload).out;
    EXPECT_EQ(good(kCompare + Words{"-r", "3", "--jobs", "2"} + kWorkload, elsewhere).out, table);
}

TEST(SimulationTest, SeedsMakeTheSpreadAndWithoutDrawsThereIsNone) {
    const Words csv = {"-x", ",", "-e", "cycles,L1-dcache-loads", "--full"};
    EXPECT_THAT(good(kStat + csv + Words{"-r", "3"} + kWorkload).err, Not(HasSubstr(",0.00%,")));
    const std::string fixed = good(kStat + csv + Words{"-r", "3", "--no-draws"} + kWorkload).err;
    EXPECT_THAT(fixed, HasSubstr(",,cycles,0.00%,"));
    EXPECT_THAT(fixed, HasSubstr("# linefill draws: off\n"));
}

TEST(SimulationTest, RunsOfOneCommandAreThoseOfSeveral) {
    const Words csv = {"-x", ",", "-e", "cycles"};
    const auto value_of = [&](const Words& more) {
        const std::string text = good(kStat + csv + more + kWorkload).err;
        return text.substr(text.find("\n\n") + 2);
    };
    const std::string second = value_of({"--seed", "2"});
    EXPECT_NE(value_of({"--seed", "1"}), second);
    EXPECT_EQ(value_of({"--seed", "2", "-r", "1"}), second);
}

TEST(SimulationTest, AFileThatFillsUpLosesNoResult) {
    const CommandResult result = run_linefill(kStat + Words{"-o", "/dev/full"} + kWorkload);
    EXPECT_EQ(result.exit_code, 4);
    EXPECT_THAT(result.out, HasSubstr("Performance counter stats"));
    EXPECT_THAT(result.err, HasSubstr("/dev/full: cannot be written"));
    const CommandResult table =
        run_linefill(kCompare + Words{"-r", "2", "-o", "/dev/full"} + kWorkload);
    EXPECT_EQ(table.exit_code, 4);
    EXPECT_THAT(table.out, HasSubstr("elapsed"));
}

TEST(SimulationTest, AnInterruptPrintsTheRunsThatAreFinished) {
    CommandOptions interrupt;
    interrupt.interrupt_when = " 3 of 5000 runs finished";
    const CommandResult result = run_linefill(
        kStat + Words{"-r", "5000", "--jobs", "1", "--log-level", "debug"} + kWorkload, interrupt);
    EXPECT_EQ(result.exit_code, 130);
    EXPECT_THAT(result.err, HasSubstr("Performance counter stats"));
    EXPECT_THAT(result.err, HasSubstr("linefill: interrupted; "));
    const CommandResult table = run_linefill(
        kCompare + Words{"-r", "5000", "--jobs", "1", "--log-level", "debug"} + kWorkload,
        {"", {}, "", " 5 of 10000 runs finished", 1});
    EXPECT_EQ(table.exit_code, 130);
    EXPECT_THAT(table.out, HasSubstr("cycles"));
}

TEST(SimulationTest, AnInterruptThatComesTwiceAtOnceIsOne) {
    // As timeout(1) sends it, to the command and to its group.
    CommandOptions interrupt;
    interrupt.interrupt_when = " 3 of 5000 runs finished";
    interrupt.interrupts = 2;
    const CommandResult result = run_linefill(
        kStat + Words{"-r", "5000", "--jobs", "1", "--log-level", "debug"} + kWorkload, interrupt);
    EXPECT_EQ(result.exit_code, 130);
    EXPECT_THAT(result.err, HasSubstr("Performance counter stats"));
}

TEST(SimulationTest, AnInterruptedValidationPrintsWhatIsPredicted) {
    const TemporaryFolder folder;
    std::string rows = kHeading;
    for (const char* threads : {"2", "3"}) {
        rows += "g" + std::string(threads) +
                ",baseline,xeon-snb-2s,v4.7-rc7,,,,pound_times "
                "--threads " +
                threads + " --calls 600,cycles,count,lower,1000000,1.5,s\n";
    }
    CommandOptions interrupt;
    interrupt.interrupt_when = " 3 of 4000 runs finished";
    const CommandResult result = run_linefill({"validate", folder.file("m.csv", rows), "-r", "2000",
                                               "--jobs", "1", "--log-level", "debug"},
                                              interrupt);
    EXPECT_EQ(result.exit_code, 130);
    EXPECT_THAT(result.out, HasSubstr("g2"));
    EXPECT_THAT(result.out, HasSubstr("not finished"));
    EXPECT_THAT(result.err, HasSubstr("linefill: interrupted; "));
}

TEST(SimulationTest, FilesHoldWhatTheStreamWouldAndJsonHasItsMetaFile) {
    const TemporaryFolder folder;
    const std::string text_file = folder.path() + "/out.txt";
    const CommandResult text = good(kStat + Words{"-o", text_file} + kWorkload);
    EXPECT_EQ(text.err, "");
    EXPECT_EQ(read_file(text_file), good(kStat + kWorkload).err);
    const std::string json_file = folder.path() + "/out.json";
    good(kStat + Words{"-j", "-o", json_file} + kWorkload);
    EXPECT_THAT(read_file(json_file), StartsWith("{\"counter-value\" : \""));
    EXPECT_THAT(read_file(json_file + ".meta.json"), HasSubstr("v4.7-rc7"));
}

/// Runs `words` with --dump-config, and `again` with --load-config of what it wrote: both must print
/// the same bytes, from another folder too.
void expect_same_from_config(const Words& words, const Words& workload, const Words& again) {
    const TemporaryFolder folder;
    const std::string file = folder.path() + "/run.toml";
    const CommandResult first = good(words + Words{"--dump-config", file} + workload);
    CommandOptions elsewhere;
    elsewhere.directory = "/";
    const CommandResult second = good(again + Words{"--load-config", file}, elsewhere);
    EXPECT_EQ(second.out, first.out);
    EXPECT_EQ(second.err, first.err);
    EXPECT_GT(first.out.size() + first.err.size(), 200U);
    // What was loaded is written as it was.
    const std::string copy = folder.path() + "/copy.toml";
    good(again + Words{"--load-config", file, "--dump-config", copy});
    EXPECT_EQ(read_file(copy), read_file(file));
}

const Words kChanged = {"--seed",        "9",         "--set", "cache.llc.size=10MiB", "--ablate",
                        "numa_distance", "--quantum", "500ns"};

TEST(SimulationTest, ADumpedConfigurationCountsTheSame) {
    expect_same_from_config(kStat + kChanged + Words{"-r", "2", "-d"}, kWorkload, {"stat"});
    expect_same_from_config(kStat + Words{"-a", "--per-socket", "-I", "1", "-x", ","}, kWorkload,
                            {"stat", "-x", ","});
}

TEST(SimulationTest, ADumpedConfigurationReportsTheSame) {
    const Words locks = {"report", "locks"};
    expect_same_from_config(
        locks + Words{"-p", "xeon-snb-2s", "-k", "v4.7-rc7", "-r", "2"} + kChanged, kWorkload,
        locks);
}

TEST(SimulationTest, ADumpedConfigurationComparesTheSame) {
    const Words lists = {"--", "pound_times", "--threads", "2,3", "--calls", "600"};
    expect_same_from_config(kCompare + kChanged + Words{"-r", "2", "--explain"}, lists,
                            {"compare", "--explain"});
    expect_same_from_config(
        {"compare", "-p", "xeon-snb-2s", "-k", "v4.7-rc7", "-r", "2", "--baseline-set",
         "cache.llc.size=20MiB", "--patched-set", "cache.llc.size=10MiB", "-e", "cycles,elapsed"},
        kWorkload, {"compare"});
    const std::string file = LINEFILL_SOURCE_DIR "/platforms/xeon-snb-2s.toml";
    expect_same_from_config({"compare", "-p", "xeon-snb-2s", "-k", "v4.7-rc7", "-r", "2",
                             "--patched-platform", file, "--format", "json"},
                            kWorkload, {"compare", "--format", "json"});
    // A side against itself.
    expect_same_from_config({"compare", "-p", "xeon-snb-2s", "-k", "v4.7-rc7", "-r", "2"},
                            kWorkload, {"compare"});
}

TEST(SimulationTest, ADumpedConfigurationProbesAndValidatesTheSame) {
    expect_same_from_config(
        {"probe", "tlb", "-p", "xeon-snb-2s", "--set", "tlb.stlb.entries=256", "--seed", "3"}, {},
        {"probe", "tlb"});
    const TemporaryFolder folder;
    const std::string file = folder.file("m.csv", kMeasured);
    expect_same_from_config(Words{"validate", file, "-r", "2"} + kChanged, {}, {"validate", file});
}

TEST(SimulationTest, ListsMakeRowsAndEachPlatformItsOwn) {
    const Words csv = kCompare + Words{"-r",          "2",         "--format", "csv",     "--",
                                       "pound_times", "--threads", "2,3",      "--calls", "600"};
    const std::string table = good(csv).out;
    EXPECT_THAT(table, StartsWith("workload,parameter,metric,unit,better,baseline,"));
    EXPECT_EQ(lines_of(table), 1U + 2U * 3U);
    EXPECT_THAT(table, HasSubstr("pound_times --calls 600,2,elapsed,s,lower,"));
    EXPECT_THAT(table, HasSubstr("pound_times --calls 600,3,L1-dcache-miss-ratio,%,lower,"));
    const std::string stat =
        good(kStat + Words{"--", "pound_times", "--threads", "2,3", "--calls", "600"}).err;
    EXPECT_THAT(stat, HasSubstr("'pound_times --threads 2 --calls 600'"));
    EXPECT_THAT(stat, HasSubstr("'pound_times --threads 3 --calls 600'"));
}

TEST(SimulationTest, AMachineChangeIsComparedLikeAPatch) {
    const CommandResult result =
        good(Words{"compare", "-p", "xeon-snb-2s", "-k", "v4.7-rc7", "-r", "2", "--baseline-set",
                   "cache.llc.size=20MiB", "--patched-set", "cache.llc.size=10MiB"} +
             kWorkload);
    EXPECT_THAT(result.out, HasSubstr("cache.llc.size=10MiB"));
    EXPECT_THAT(result.out, HasSubstr("cache.llc.size=20MiB"));
}

TEST(SimulationTest, ASideAgainstItselfIsExactlyTheSame) {
    const std::string csv =
        good(Words{"compare", "-p", "xeon-snb-2s", "-k", "v4.7-rc7", "-r", "3", "--format", "csv"} +
             kWorkload)
            .out;
    EXPECT_THAT(csv, HasSubstr(",0,0,0,within noise\n"));
}

TEST(SimulationTest, VerboseTellsOfTheHostOnStderrOnly) {
    const CommandResult result = good(kCompare + Words{"-r", "2", "--verbose"} + kWorkload);
    EXPECT_THAT(result.err, HasSubstr("million modelled accesses per CPU second"));
    EXPECT_THAT(result.err, HasSubstr("MiB"));
    EXPECT_EQ(result.out, good(kCompare + Words{"-r", "2"} + kWorkload).out);
}

TEST(SimulationTest, TheLogGoesWhereItIsTold) {
    const TemporaryFolder folder;
    const std::string log = folder.path() + "/log";
    const CommandResult result = good(
        kStat + Words{"-o", folder.path() + "/out", "--log-level", "debug", "--log-file", log} +
        kWorkload);
    EXPECT_EQ(result.err, "");
    EXPECT_THAT(read_file(log), HasSubstr("1 of 1 runs finished"));
}

TEST(SimulationTest, ValidatePrintsPredictionsAndSkips) {
    const TemporaryFolder folder;
    const std::string file = folder.file(
        "m.csv",
        kMeasured +
            "g,patched,xeon-snb-2s,v4.7-rc7,prefetch-curr-exec-start,,,pound_times --threads 2 "
            "--calls 600,cycles,count,lower,900000,1.5,s\n"
            "n,baseline,xeon-hsw-2s,v4.5-rc1,,,,tbench --clients 1,throughput,MB/s,higher,1,,s\n");
    const std::string csv = good({"validate", file, "-r", "2", "--format", "csv"}).out;
    EXPECT_THAT(csv, StartsWith("group,workload,metric,unit,better,baseline_predicted,"));
    EXPECT_THAT(csv, HasSubstr(",ok\n"));
    EXPECT_THAT(csv, HasSubstr("skipped: "));
    EXPECT_EQ(lines_of(csv), 3U);
    EXPECT_THAT(good({"validate", file, "-r", "2"}).out, HasSubstr("g"));
}

TEST(SimulationTest, ProbesAreRunInProcessesOfTheirOwn) {
    const CommandResult result = good({"probe", "tlb", "-p", "xeon-snb-2s", "--format", "csv"});
    EXPECT_THAT(result.out, StartsWith("platform,what,parameter,"));
    EXPECT_GT(lines_of(result.out), 2U);
}

}  // namespace
}  // namespace linefill::app
