// SPDX-License-Identifier: Apache-2.0
// What the commands that simulate nothing print.
#include <filesystem>
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

std::string output_of(const std::vector<std::string>& words, const CommandOptions& options = {}) {
    const CommandResult result = run_linefill(words, options);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return result.out;
}

TEST(CommandTest, HelpNamesEveryCommandAndExitCode) {
    const std::string help = output_of({"--help"});
    for (const char* command : {"compare", "stat", "report", "trace", "probe", "validate", "sweep",
                                "replay", "list", "show", "check", "new"}) {
        EXPECT_THAT(help, HasSubstr(std::string("\n  ") + command + " "));
    }
    EXPECT_THAT(help, HasSubstr("130 interrupted"));
    EXPECT_THAT(output_of({"--version"}), StartsWith("linefill "));
    for (const char* command :
         {"compare", "stat", "report", "probe", "validate", "list", "show", "check", "new"}) {
        EXPECT_THAT(output_of({command, "--help"}),
                    HasSubstr(std::string("Usage: linefill ") + command + " "));
    }
}

TEST(CommandTest, ListsHoldWhatTheIssueNames) {
    EXPECT_THAT(output_of({"list", "platforms"}), HasSubstr("xeon-snb-2s"));
    const std::string kernels = output_of({"list", "kernels"});
    EXPECT_THAT(kernels, HasSubstr("v3.18-rc5"));
    EXPECT_THAT(kernels, HasSubstr("v4.7-rc7"));
    const std::string patches = output_of({"list", "patches"});
    for (const char* patch :
         {"update-curr-on-clock-read", "prefetch-curr-exec-start", "no-pending-runtime"}) {
        EXPECT_THAT(patches, HasSubstr(patch));
    }
    EXPECT_THAT(output_of({"list", "workloads"}), HasSubstr("pound_clock_gettime --threads N"));
    EXPECT_THAT(output_of({"list", "scenarios"}), HasSubstr("poundtime.toml"));
    EXPECT_THAT(output_of({"list", "events", "-p", "xeon-snb-2s"}), HasSubstr("l1d_fill"));
    EXPECT_THAT(output_of({"list", "formats"}), HasSubstr("mmtests"));
}

TEST(CommandTest, DataIsFoundFromAnyFolderAndEnvironment) {
    CommandOptions elsewhere;
    elsewhere.directory = "/";
    elsewhere.environment = {"LC_ALL=de_DE.UTF-8", "HOME=/nowhere", "TZ=Asia/Tokyo"};
    for (const char* what : {"platforms", "scenarios"}) {
        EXPECT_EQ(output_of({"list", what}), output_of({"list", what}, elsewhere));
    }
}

TEST(CommandTest, ShowExplainsWhatItIsAskedFor) {
    const std::string platform = output_of({"show", "platform", "xeon-snb-2s"});
    EXPECT_THAT(platform, HasSubstr("cache.l1d.size = 32KiB"));
    EXPECT_THAT(platform, HasSubstr("[measured]"));
    EXPECT_THAT(output_of({"show", "platform", "xeon-snb-2s", "--set", "cache.llc.size=10MiB"}),
                HasSubstr("cache.llc.size = 10MiB"));
    EXPECT_THAT(output_of({"show", "kernel", "v4.7-rc7+prefetch-curr-exec-start"}),
                HasSubstr("prefetch-curr-exec-start"));
    EXPECT_THAT(output_of({"show", "patch", "6075620b0590"}),
                StartsWith("prefetch-curr-exec-start"));
    EXPECT_THAT(output_of({"show", "workload", "pound_times"}), HasSubstr("--threads"));
    EXPECT_THAT(output_of({"show", "event", "L1-dcache-load-misses"}), HasSubstr("l1d_fill"));
    EXPECT_THAT(output_of({"show", "layout", "sched_entity", "-k", "v4.7-rc7"}),
                HasSubstr("exec_start"));
}

TEST(CommandTest, APlatformWrittenOutIsAPlatformFile) {
    const TemporaryFolder folder;
    const std::string text = output_of({"show", "platform", "xeon-snb-2s", "--format", "toml"});
    const std::string file = folder.file("mine.toml", text);
    EXPECT_EQ(output_of({"show", "platform", file, "--format", "toml"}), text);
    EXPECT_THAT(output_of({"check", file}), HasSubstr("platform xeon-snb-2s"));
}

TEST(CommandTest, CheckKnowsEveryKindOfFile) {
    EXPECT_THAT(output_of({"check", "platforms/xeon-snb-2s.toml", "scenarios/poundtime.toml"}),
                HasSubstr("scenario, 10 rows"));
}

TEST(CommandTest, CheckGoesOnAfterABadFile) {
    const TemporaryFolder folder;
    const std::string bad = folder.file("bad.toml", "name = \n");
    const CommandResult result = run_linefill({"check", bad, "platforms/xeon-snb-2s.toml"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("bad.toml:1"));
    EXPECT_THAT(result.out, HasSubstr("platform xeon-snb-2s"));
}

TEST(CommandTest, ANewPatchIsTwoFilesAndNeverOverwritesOne) {
    const TemporaryFolder folder;
    const std::vector<std::string> words = {"new",      "patch",  "my-first-patch", "--from",
                                            "v4.7-rc7", "--tree", folder.path()};
    EXPECT_THAT(output_of(words), HasSubstr("my_first_patch"));
    const std::string patch = folder.path() + "/kernel/patches/my_first_patch.cpp";
    EXPECT_THAT(read_file(patch), HasSubstr("my-first-patch"));
    EXPECT_THAT(read_file(folder.path() + "/tests/kernel/patches/my_first_patch_test.cpp"),
                HasSubstr("TEST("));
    const std::string before = read_file(patch);
    const CommandResult again = run_linefill(words);
    EXPECT_EQ(again.exit_code, 2);
    EXPECT_THAT(again.err, HasSubstr("exists already"));
    EXPECT_EQ(read_file(patch), before);
}

TEST(CommandTest, AStandardOutputThatIsFullIsNoticed) {
    CommandOptions full;
    full.stdout_file = "/dev/full";
    const CommandResult result = run_linefill({"list", "patches"}, full);
    EXPECT_EQ(result.exit_code, 4);
    EXPECT_THAT(result.err, HasSubstr("standard output cannot be written"));
}

TEST(CommandTest, ValidateSkipsWhatIsPlannedAndNotBuilt) {
    const TemporaryFolder folder;
    const std::string file = folder.file(
        "m.csv",
        "group,role,platform,kernel,apply,config,boot,workload,metric,unit,better,value,err_pct,"
        "source\n"
        "tbench/1,baseline,xeon-hsw-2s,v4.5-rc1,,,,tbench --clients "
        "1,throughput,MB/s,higher,500,,s\n"
        "tbench/1,patched,xeon-hsw-2s,v4.5-rc1,schedstats-runtime,,,tbench --clients 1,throughput,"
        "MB/s,higher,522,,s\n");
    const std::string csv = output_of({"validate", file, "--format", "csv"});
    EXPECT_THAT(csv, HasSubstr("tbench/1,"));
    EXPECT_THAT(csv, HasSubstr("skipped: "));
    EXPECT_THAT(output_of({"validate", file}), Not(HasSubstr("Mbit")));
}

}  // namespace
}  // namespace linefill::app
