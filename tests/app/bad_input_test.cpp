// SPDX-License-Identifier: Apache-2.0
// Every kind of wrong input ends with one line on stderr and exit code 2, before anything runs.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/command_runner.h"

namespace linefill::app {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

/// `stat` with a good machine, kernel and workload, and `more` options.
Words stat_with(const Words& more, const Words& workload = {"pound_times", "--threads", "2"}) {
    Words words = {"stat", "-p", "xeon-snb-2s", "-k", "v4.7-rc7"};
    words.insert(words.end(), more.begin(), more.end());
    words.emplace_back("--");
    words.insert(words.end(), workload.begin(), workload.end());
    return words;
}

void expect_refused(const Words& words, const std::vector<std::string>& parts) {
    const CommandResult result = run_linefill(words);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, ::testing::StartsWith("linefill: error: "));
    // One line.
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
    for (const std::string& part : parts) EXPECT_THAT(result.err, HasSubstr(part));
}

TEST(BadInputTest, Commands) {
    expect_refused({}, {"no command"});
    expect_refused({"stats"}, {"unknown command", "did you mean \"stat\"?"});
    expect_refused({"--frobnicate"}, {"unknown option", "--frobnicate"});
    for (const char* later : {"trace", "sweep", "sensitivity", "results", "replay", "platform"}) {
        expect_refused({later}, {"not built yet: linefill " + std::string(later)});
    }
    expect_refused({"report", "sched", "--", "x"}, {"not built yet: linefill report sched"});
    expect_refused({"report", "latency"}, {"not built yet: linefill report latency"});
    expect_refused({"report", "feilds"}, {"did you mean \"fields\"?"});
}

TEST(BadInputTest, UnknownNames) {
    expect_refused(
        {"stat", "-p", "xeon-sbn-2s", "-k", "v4.7-rc7", "--", "pound_times", "--threads", "2"},
        {"xeon-sbn-2s", "did you mean \"xeon-snb-2s\"?"});
    expect_refused(
        {"stat", "-p", "xeon-snb-2s", "-k", "v4.7-rc8", "--", "pound_times", "--threads", "2"},
        {"v4.7-rc8", "v4.7-rc7"});
    expect_refused({"stat", "-p", "xeon-snb-2s", "-k", "v4.7-rc7+prefetch-cur", "--", "pound_times",
                    "--threads", "2"},
                   {"prefetch-cur", "did you mean \"prefetch-curr-exec-start\"?"});
    expect_refused(stat_with({"-e", "cylces"}), {"cylces", "did you mean \"cycles\"?"});
    expect_refused(stat_with({"-e", "cycles:x"}), {"cycles:x"});
    expect_refused(stat_with({"--set", "cache.llc.sice=10MiB"}),
                   {"cache.llc.sice", "did you mean \"cache.llc.size\"?"});
    expect_refused(stat_with({"--ablate", "in_order"}), {"--ablate", "inorder_drain"});
    expect_refused(stat_with({}, {"pound_time"}), {"did you mean \"pound_times\"?"});
    expect_refused(stat_with({"--platfrom", "x"}), {"--platfrom", "--platform"});
    expect_refused({"compare", "6075620b059f"}, {"6075620b059f"});
    expect_refused({"probe", "latnecy", "-p", "xeon-snb-2s"}, {"did you mean \"latency\"?"});
    expect_refused({"show", "patch", "no-pending"}, {"did you mean \"no-pending-runtime\"?"});
    expect_refused({"list", "platform"}, {"did you mean \"platforms\"?"});
}

TEST(BadInputTest, MissingParts) {
    expect_refused({"stat", "-k", "v4.7-rc7", "--", "pound_times", "--threads", "2"},
                   {"no platform given", "xeon-snb-2s"});
    expect_refused({"stat", "-p", "xeon-snb-2s", "--", "pound_times", "--threads", "2"},
                   {"no kernel given", "v4.7-rc7"});
    expect_refused({"stat", "-p", "xeon-snb-2s", "-k", "v4.7-rc7"},
                   {"no workload given", "pound_clock_gettime"});
    expect_refused(stat_with({}, {"pound_times"}), {"--threads"});
}

TEST(BadInputTest, ANumberForThePlatformGetsAHint) {
    expect_refused({"stat", "-p", "1234", "-k", "v4.7-rc7", "--", "pound_times"},
                   {"not a process id", "1234"});
}

TEST(BadInputTest, NumbersOutOfBounds) {
    for (const char* threads : {"0", "-1", "1e9", "1000000000", "", "2,0", "2,,3"}) {
        expect_refused(stat_with({}, {"pound_times", "--threads", threads}), {"--threads"});
    }
    expect_refused(stat_with({"-r", "0"}), {"--repeat"});
    expect_refused(stat_with({"--jobs", "0"}), {"--jobs"});
    expect_refused(stat_with({"--seed", "-1"}), {"--seed"});
    expect_refused(stat_with({"--sample", "0"}), {"--sample"});
    expect_refused(stat_with({"--sample", "5parsecs"}), {"--sample"});
    expect_refused(stat_with({"--quantum", "fast"}), {"--quantum"});
    expect_refused(stat_with({"--full", "--sample", "100"}), {"--full", "--sample"});
}

TEST(BadInputTest, CountsAreSplitOnlyOfTheWholeSystem) {
    for (const char* split : {"--no-aggr", "--per-socket", "--per-core", "--per-thread"}) {
        expect_refused(stat_with({split}), {split, "-a"});
    }
    for (const char* ms : {"0", "-5", "x", "1.5", ""}) {
        expect_refused(stat_with({"-I", ms}), {"--interval-print"});
    }
}

TEST(BadInputTest, OptionsForOneSideAreNamedAsTheyWereTyped) {
    const auto refuse = [](const Words& more, const std::string& name, const std::string& part) {
        Words words = {"compare", "-p", "xeon-snb-2s", "--baseline", "v4.7-rc7"};
        words.insert(words.end(), more.begin(), more.end());
        for (const char* word : {"--", "pound_times", "--threads", "2"}) words.emplace_back(word);
        expect_refused(words, {": " + name, part});
    };
    refuse({"--baseline-set", "cache.llc.size=banana"}, "--baseline-set cache.llc.size", "banana");
    refuse({"--patched-set", "cache.llc.sice=1MiB"}, "--patched-set cache.llc.sice", "size");
    refuse({"--patched-set", "cache.llc.size"}, "--patched-set", "KEY=VALUE");
    refuse({"--patched-quantum", "fast"}, "--patched-quantum", "fast");
    refuse({"--baseline-ablate", "none"}, "--baseline-ablate", "none");
    refuse({"--baseline-config", "NO_SUCH=y"}, "--baseline-config", "NO_SUCH");
    refuse({"--patched-boot", "no_such=1"}, "--patched-boot", "no_such");
    refuse({"--patched-layout-of", "v9.9"}, "--patched-layout-of", "v9.9");
    refuse({"--patched-move", "rq.no_field=8"}, "--patched-move", "no_field");
    refuse({"--baseline-align", "rq.lock=3"}, "--baseline-align", "rq.lock");
    refuse({"--baseline-platform", "a,b"}, "--baseline-platform", "a,b");
    refuse({"--patched-platform", "xeon-sbn-2s"}, "--patched-platform", "xeon-snb-2s");
    // What is wrong for both sides is the common option's fault.
    refuse({"--set", "cache.llc.size=banana", "--patched-set", "cache.llc.ways=8"},
           "--set cache.llc.size", "banana");
}

TEST(BadInputTest, ValuesOfPlatformKeys) {
    expect_refused(stat_with({"--set", "cache.l1d.ways=0"}), {"cache.l1d.ways"});
    expect_refused(stat_with({"--set", "cache.l1d.size=33000B"}), {"cache.l1d.size"});
    expect_refused(stat_with({"--set", "memory.latency=50"}), {"memory.latency"});
    expect_refused(stat_with({"--set", "memory.latency"}), {"--set"});
}

TEST(BadInputTest, PatchesThatDoNotFit) {
    const auto stat_of = [](const std::string& kernel) {
        return Words{"stat", "-p",          "xeon-snb-2s", "-k", kernel,
                     "--",   "pound_times", "--threads",   "2"};
    };
    expect_refused(stat_of("v4.7-rc7+update-curr-on-clock-read"), {"update-curr-on-clock-read"});
    expect_refused(stat_of("v4.7-rc7~prefetch-curr-exec-start"), {"prefetch-curr-exec-start"});
    expect_refused(stat_of("v3.18-rc5+prefetch-curr-exec-start"), {"update-curr-on-clock-read"});
    expect_refused(stat_of("v4.7-rc7+"), {"v4.7-rc7+"});
    expect_refused(stat_with({"--config", "SCHEDSTATS=n"}), {"SCHEDSTATS", "--layout"});
    expect_refused(stat_with({"--config", "NO_SUCH=y"}), {"NO_SUCH"});
    expect_refused(stat_with({"--move", "rq.no_field=8"}), {"no_field"});
}

TEST(BadInputTest, FilesThatCannotBeUsed) {
    const TemporaryFolder folder;
    expect_refused(stat_with({"-o", folder.path() + "/none/out.txt"}), {"/none/out.txt"});
    expect_refused(stat_with({"-o", folder.path()}), {folder.path()});
    // Folders on the way are made; a folder is no file.
    expect_refused(stat_with({"--log-file", folder.path()}), {"--log-file"});
    expect_refused({"validate", folder.path() + "/none.csv"}, {"none.csv"});
    expect_refused({"validate", folder.path()}, {folder.path()});
    expect_refused({"compare", folder.path() + "/none.toml"}, {"none.toml"});
    expect_refused({"stat", "-p", folder.path() + "/none.toml", "-k", "v4.7-rc7", "--",
                    "pound_times", "--threads", "2"},
                   {"none.toml"});
    const std::string truncated = folder.file("cut.toml", "name = \"x\"\n[topology\n");
    expect_refused(
        {"stat", "-p", truncated, "-k", "v4.7-rc7", "--", "pound_times", "--threads", "2"},
        {"cut.toml:2"});
    const std::string twice = folder.file("twice.toml", "name = \"x\"\nname = \"y\"\n");
    expect_refused({"check", twice}, {"twice.toml:2"});
}

TEST(BadInputTest, MeasurementsOfUnknownThings) {
    const TemporaryFolder folder;
    const std::string head =
        "group,role,platform,kernel,apply,config,boot,workload,metric,unit,better,value,err_pct,"
        "source\n";
    const auto refuse = [&](const std::string& row, const std::string& part) {
        const std::string file = folder.file("m.csv", head + row + "\n");
        expect_refused({"validate", file}, {"m.csv:2", part});
    };
    refuse("g,baseline,xeon-snb-3s,v4.7-rc7,,,,pound_times --threads 2,cycles,count,lower,1,,s",
           "xeon-snb-3s");
    refuse("g,baseline,xeon-snb-2s,v4.9,,,,pound_times --threads 2,cycles,count,lower,1,,s",
           "v4.9");
    refuse("g,baseline,xeon-snb-2s,v4.7-rc7,,,,pound_timer --threads 2,cycles,count,lower,1,,s",
           "pound_timer");
    refuse("g,baseline,xeon-snb-2s,v4.7-rc7,,,,pound_times --threads 2,cycels,count,lower,1,,s",
           "cycels");
    refuse("g,baseline,xeon-snb-2s,v4.7-rc7,,,,pound_times --threads 2,cycles,ms,lower,1,,s", "ms");
    // An unknown name counts even in a row that would be skipped for another reason.
    refuse(
        "g,baseline,xeon-hsw-3s,v4.5-rc1,,,,netperf --test "
        "TCP_STREAM,throughput,Mbit/s,higher,1,,s",
        "xeon-hsw-3s");
}

TEST(BadInputTest, OptionsOfCompareThatContradict) {
    expect_refused({"compare", "6075620b0590", "--patched", "v4.7-rc7"}, {"--patched"});
    expect_refused({"compare", "-p", "xeon-snb-2s", "-k", "v4.7-rc7", "--baseline", "v4.7-rc7",
                    "--", "pound_times", "--threads", "2"},
                   {"--baseline", "--kernel"});
    expect_refused({"compare", "6075620b0590", "--format", "tabel"}, {"did you mean \"table\"?"});
    expect_refused({"compare", "pounttime.toml"}, {"pounttime.toml"});
    expect_refused({"compare"}, {"no kernel given"});
    expect_refused(stat_with({"-j", "-x", ","}), {"-j and -x"});
}

TEST(BadInputTest, ConfigurationsOfOtherCommands) {
    const TemporaryFolder folder;
    const std::string one = folder.path() + "/one.toml";
    const std::string two = folder.path() + "/two.toml";
    const Words workload = {"--", "pound_times", "--threads", "2", "--calls", "60"};
    const auto dump = [&](Words words, const std::string& file) {
        for (const char* word : {"-p", "xeon-snb-2s", "-k", "v4.7-rc7", "-r", "1"}) {
            words.emplace_back(word);
        }
        words.insert(words.end(), {"--dump-config", file});
        words.insert(words.end(), workload.begin(), workload.end());
        EXPECT_EQ(run_linefill(words).exit_code, 0);
    };
    dump({"stat"}, one);
    dump({"compare"}, two);
    const std::string what = "not a configuration of this command";
    expect_refused({"compare", "--load-config", one}, {"one.toml", what, "[baseline.run]"});
    expect_refused({"stat", "--load-config", two}, {"two.toml", what, "[run]"});
    expect_refused({"report", "cpi", "--load-config", two}, {what});
    expect_refused({"probe", "tlb", "--load-config", two}, {what});
    const std::string csv = folder.file("m.csv", "");
    expect_refused({"validate", csv, "--load-config", two}, {what, "[common.run]"});
    expect_refused({"compare", "--load-config", two, "-p", "xeon-snb-2s"}, {"--platform"});
    expect_refused({"compare", "--load-config", two, "6075620b0590"}, {"patch or scenario"});
    expect_refused({"stat", "--load-config", folder.path() + "/none.toml"}, {"none.toml"});
    expect_refused({"stat", "--load-config", "/dev/zero"}, {"too large", "64 MiB"});
    expect_refused(stat_with({"--dump-config", folder.path() + "/no/where.toml"}), {"where.toml"});
}

TEST(BadInputTest, NewPatches) {
    const TemporaryFolder folder;
    const auto refuse = [&](const std::string& name, const std::string& from) {
        expect_refused({"new", "patch", name, "--from", from, "--tree", folder.path()}, {});
    };
    refuse("Bad_Name", "v4.7-rc7");
    refuse("9lives", "v4.7-rc7");
    refuse("../escape", "v4.7-rc7");
    refuse("no-pending-runtime", "v4.7-rc7");
    refuse("fine-name", "v9.9");
    expect_refused({"new", "patch", "fine-name"}, {"--from"});
    expect_refused({"new", "platform", "x"}, {"platform"});
}

}  // namespace
}  // namespace linefill::app
