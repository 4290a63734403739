// SPDX-License-Identifier: Apache-2.0
// A layout belongs to one configuration: what --config may change under it, and how it is refused.
#include <algorithm>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "kernel/layout/config_options.h"
#include "kernel/layout/layout.h"
#include "kernel/layout/pahole_print.h"
#include "model/sim/error.h"
#include "tests/kernel/layout/message_of.h"

namespace linefill::kernel {
namespace {

Layout base() { return Layout::shipped("v4.7.4-x86_64"); }

std::string refusal(const Layout& layout, const std::string& text) {
    return message_of([&] { layout.check_config({parse_config_override(text)}); });
}

std::string value_of(const Layout& layout, const std::string& name) {
    for (const auto& [option, value] : layout.config()) {
        if (option == name) {
            return value;
        }
    }
    return "unknown";
}

TEST(LayoutConfig, IsThatOfTheReference) {
    for (const char* name : {"SMP", "FAIR_GROUP_SCHED", "CFS_BANDWIDTH", "SCHEDSTATS", "NUMA",
                             "CGROUP_CPUACCT", "MEMCG", "NO_HZ_IDLE", "HIGH_RES_TIMERS"}) {
        EXPECT_EQ(value_of(base(), name), "y") << name;
    }
    for (const char* name : {"PREEMPT", "SCHED_AUTOGROUP", "LOCKDEP", "DEBUG_SPINLOCK",
                             "IRQ_TIME_ACCOUNTING", "PARAVIRT_SPINLOCKS", "RT_GROUP_SCHED"}) {
        EXPECT_EQ(value_of(base(), name), "n") << name;
    }
    EXPECT_EQ(value_of(base(), "HZ"), "250");
    EXPECT_EQ(value_of(base(), "NR_CPUS"), "64");
    EXPECT_EQ(value_of(Layout::shipped("v4.4.0-arm64"), "NUMA"), "n");
    EXPECT_EQ(value_of(Layout::shipped("v4.4.0-arm64"), "PREEMPT"), "y");
}

// The fields that tell an option agree with what the source line of the reference says about it.
TEST(LayoutConfig, FieldsAgreeWithTheSourceLine) {
    for (const std::string& name : Layout::shipped_names()) {
        const Layout layout = Layout::shipped(name);
        EXPECT_GE(layout.tables().config.size(), 10U) << name;
        for (const auto& [option, value] : layout.tables().config) {
            EXPECT_EQ(value_of(layout, option), value) << name << " " << option;
        }
    }
}

TEST(LayoutConfig, WhatMovesNoFieldPasses) {
    for (const char* text : {"HZ=100", "CONFIG_HZ=250", "HZ=300", "CONFIG_HZ=1000", "SCHEDSTATS=y",
                             "NR_CPUS=64", "NR_CPUS=1", "LOCKDEP=n", "SLUB=y", "CPUACCT=y"}) {
        EXPECT_EQ(refusal(base(), text), "no error") << text;
    }
}

TEST(LayoutConfig, WhatMovesFieldsIsRefusedWithTheChoice) {
    for (const char* text :
         {"SCHEDSTATS=n", "CONFIG_SCHEDSTATS=n", "FAIR_GROUP_SCHED=n", "NUMA=n", "SMP=n",
          "LOCKDEP=y", "DEBUG_SPINLOCK=y", "CPUACCT=n", "CGROUP_CPUACCT=n", "MEMCG=n",
          "CFS_BANDWIDTH=n", "NR_CPUS=65", "NR_CPUS=8192", "PROVE_LOCKING=y", "PREEMPT=y"}) {
        const std::string message = refusal(base(), text);
        EXPECT_NE(message.find("--layout FILE"), std::string::npos) << text << ": " << message;
        EXPECT_NE(message.find("--layout-of defconfig"), std::string::npos) << text;
    }
    EXPECT_EQ(refusal(base(), "SCHEDSTATS=n"),
              "this option moves fields, and layout v4.7.4-x86_64 was compiled with SCHEDSTATS=y "
              "(it has the field sched_entity.statistics): --config SCHEDSTATS = \"n\"; expected "
              "--layout FILE with the structures of that configuration, or --layout-of defconfig "
              "to keep the fields where they are");
}

TEST(LayoutConfig, UnknownNamesAndValuesAreRefused) {
    EXPECT_EQ(refusal(base(), "SCHEDSTAT=n"),
              "unknown kernel configuration option: --config = \"SCHEDSTAT\"; "
              "did you mean \"SCHEDSTATS\"?");
    EXPECT_NE(refusal(base(), "HZ=123").find("100, 250, 300 or 1000"), std::string::npos);
    EXPECT_NE(refusal(base(), "SCHEDSTATS=m").find("y or n"), std::string::npos);
    EXPECT_NE(refusal(base(), "NR_CPUS=0").find("1 to 8192"), std::string::npos);
    EXPECT_NE(refusal(base(), "NR_CPUS=8x").find("1 to 8192"), std::string::npos);
    EXPECT_NE(refusal(base(), "SLUB=n").find("not modelled"), std::string::npos);
    for (const char* text : {"HZ", "=250", "HZ=", "CONFIG_=y", ""}) {
        EXPECT_NE(message_of([&] { (void)parse_config_override(text); }).find("NAME=VALUE"),
                  std::string::npos)
            << text;
    }
}

TEST(LayoutConfig, OptionsAreSortedAndTheirFieldsAreNotMisspelt) {
    const auto& options = config_options();
    EXPECT_TRUE(std::is_sorted(
        options.begin(), options.end(),
        [](const ConfigOption& a, const ConfigOption& b) { return a.name < b.name; }));
    // A field that tells of an option that is usually on is there in a layout of the usual kind.
    for (const ConfigOption& option : options) {
        if (option.usual == "y" && !option.field.empty()) {
            EXPECT_TRUE(base().has(option.structure, option.field)) << option.name;
        }
        if (!option.structure.empty()) {
            EXPECT_TRUE(base().has(option.structure)) << option.name;
        }
    }
}

class LayoutResolve : public testing::Test {
protected:
    // Without statistics in the entity, as a kernel with SCHEDSTATS=n would print it.
    std::string write_file_without_schedstats() {
        std::string text;
        for (const char* name : {"sched_entity", "task_struct"}) {
            std::string one = print_pahole(base(), name, {.expand = false});
            const std::size_t begin = one.find("\tstruct sched_statistics");
            if (begin != std::string::npos) {
                one.erase(begin, one.find('\n', begin) + 1 - begin);
            }
            text += one;
        }
        // Cases run at the same time, each in a process of its own.
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        std::string path = testing::TempDir() + "/linefill_layout_" + test->name() + ".txt";
        std::ofstream(path) << text;
        return path;
    }
};

TEST_F(LayoutResolve, AFileOfThatConfigurationIsAccepted) {
    LayoutOptions options;
    options.config = {{"SCHEDSTATS", "n"}};
    EXPECT_THROW((void)Layout::resolve("v4.7-rc7", "x86_64", options), model::UserError);
    options.file = write_file_without_schedstats();
    const Layout layout = Layout::resolve("v4.7-rc7", "x86_64", options);
    EXPECT_FALSE(layout.has("task_struct", "se.statistics"));
    EXPECT_EQ(layout.offset("task_struct", "se.exec_start"), 192U);
    // And the other way round: the file contradicts the default.
    options.config = {{"SCHEDSTATS", "y"}};
    EXPECT_NE(message_of([&] {
                  (void)Layout::resolve("v4.7-rc7", "x86_64", options);
              }).find("it lacks the field sched_entity.statistics"),
              std::string::npos);
}

TEST_F(LayoutResolve, DefconfigKeepsTheFieldsInSpiteOfTheOption) {
    LayoutOptions options;
    options.config = {{"SCHEDSTATS", "n"}};
    options.layout_of = "defconfig";
    EXPECT_TRUE(Layout::resolve("v4.7-rc7", "x86_64", options).has("sched_entity", "statistics"));
    options.config = {{"SCHEDSTATS", "maybe"}};
    EXPECT_THROW((void)Layout::resolve("v4.7-rc7", "x86_64", options), model::UserError);
}

TEST_F(LayoutResolve, AnotherShippedLayoutCanBeNamed) {
    LayoutOptions options;
    options.layout_of = "v4.4.0-x86_64";
    EXPECT_EQ(Layout::resolve("v4.7-rc7", "x86_64", options).offset("task_struct", "pi_lock"),
              1676U);
    EXPECT_NE(message_of([&] {
                  (void)Layout::resolve("v4.7-rc7", "arm64", options);
              }).find("another architecture"),
              std::string::npos);
    options.layout_of = "v4.4.0-x86";
    EXPECT_NE(message_of([&] {
                  (void)Layout::resolve("v4.7-rc7", "x86_64", options);
              }).find("did you mean \"v4.4.0-x86_64\""),
              std::string::npos);
    options.layout_of = "defconf";
    EXPECT_NE(message_of([&] {
                  (void)Layout::resolve("v4.7-rc7", "x86_64", options);
              }).find("did you mean \"defconfig\""),
              std::string::npos);
}

TEST_F(LayoutResolve, AKernelWithoutALayoutTakesAFileAlone) {
    LayoutOptions options;
    EXPECT_THROW((void)Layout::resolve("v3.18-rc5", "arm64", options), model::UserError);
    options.file = write_file_without_schedstats();
    const Layout layout = Layout::resolve("v3.18-rc5", "arm64", options);
    EXPECT_EQ(layout.structs(), (std::vector<std::string>{"sched_entity", "task_struct"}));
}

TEST_F(LayoutResolve, AlignsComeBeforeMoves) {
    LayoutOptions options;
    options.aligns = {"task_struct.pi_lock=64"};
    options.moves = {"task_struct.pi_lock=1796"};
    EXPECT_EQ(Layout::resolve("v4.7-rc7", "x86_64", options).offset("task_struct", "pi_lock"),
              1796U);
}

TEST_F(LayoutResolve, AFileThatCannotBeReadIsNamed) {
    LayoutOptions options;
    options.file = testing::TempDir() + "/there is no such file";
    EXPECT_EQ(
        message_of([&] { (void)Layout::resolve("v4.7-rc7", "x86_64", options); }),
        options.file + ": cannot read the layout; expected a file of BTF, pahole output or CSV");
    options.file = testing::TempDir();
    EXPECT_NE(message_of([&] { (void)Layout::resolve("v4.7-rc7", "x86_64", options); }),
              "no error");
}

}  // namespace
}  // namespace linefill::kernel
