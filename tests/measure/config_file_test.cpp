// SPDX-License-Identifier: Apache-2.0
// A run's configuration written out and read back is the same run.
#include "measure/config_file.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/platform/dump.h"
#include "model/sim/error.h"

namespace linefill::measure {
namespace {

using ::testing::HasSubstr;

const DataDirs kDirs = {{LINEFILL_SOURCE_DIR "/platforms"}, {}};

RunConfig example() {
    RunConfig config;
    config.spec.platform = "xeon-snb-2s";
    config.spec.overrides = {"cache.llc.size=10MiB"};
    config.spec.kernel = "v4.7-rc7+prefetch-curr-exec-start";
    config.spec.moves = {"task_struct.pi_lock=1792"};
    config.spec.seed = 42;
    config.spec.draws = false;
    config.spec.quantum_ns = 500;
    config.spec.sampling = Sampling::kAmount;
    config.spec.sample_amount = "5ms";
    config.spec.events = {"cycles", "instructions:u"};
    config.spec.ablations = {"numa_distance", "mcs_queueing"};
    config.spec.scope = CountScope::kPerCore;
    config.spec.interval_ms = 20;
    config.workloads = {"pound_times --threads 2", "pound_times --threads 8"};
    config.repeats = 3;
    return config;
}

TEST(ConfigFileTest, WrittenAndReadBackItIsTheSameRun) {
    const RunConfig config = example();
    const std::string text = write_run_config(config, kDirs);
    const RunConfig back = read_run_config(text, "c.toml");
    EXPECT_EQ(back.workloads, config.workloads);
    EXPECT_EQ(back.repeats, 3U);
    EXPECT_EQ(back.spec.platform, "xeon-snb-2s");
    EXPECT_EQ(back.spec.kernel, config.spec.kernel);
    EXPECT_EQ(back.spec.moves, config.spec.moves);
    EXPECT_EQ(back.spec.seed, 42U);
    EXPECT_FALSE(back.spec.draws);
    EXPECT_EQ(back.spec.quantum_ns, 500U);
    EXPECT_EQ(back.spec.sampling, Sampling::kAmount);
    EXPECT_EQ(back.spec.sample_amount, "5ms");
    EXPECT_EQ(back.spec.events, config.spec.events);
    // Headers of results show them, though they are in the platform by now.
    EXPECT_EQ(back.spec.ablations, config.spec.ablations);
    EXPECT_EQ(back.spec.overrides, config.spec.overrides);
    EXPECT_EQ(back.spec.scope, CountScope::kPerCore);
    EXPECT_EQ(back.spec.interval_ms, 20.0);
    EXPECT_EQ(model::dump_platform(prepare_platform(back.spec, {})),
              model::dump_platform(prepare_platform(config.spec, kDirs)));
    EXPECT_EQ(write_run_config(back, {}), text);
}

TEST(ConfigFileTest, MistakesAreNamedWithTheirLine) {
    const std::string text = write_run_config(example(), kDirs);
    const auto complaint = [&](const std::string& from, const std::string& to) {
        std::string changed = text;
        changed.replace(changed.find(from), from.size(), to);
        try {
            (void)read_run_config(changed, "c.toml");
        } catch (const model::UserError& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    EXPECT_THAT(complaint("seed = 42", "sead = 42"), HasSubstr("did you mean \"seed\"?"));
    EXPECT_THAT(complaint("seed = 42", "seed = -1"), HasSubstr("c.toml:"));
    EXPECT_THAT(complaint("repeats = 3", "repeats = 0"), HasSubstr("run.repeats"));
    EXPECT_THAT(complaint("[platform]", "[plattform]"), HasSubstr("plattform"));
    EXPECT_THAT(complaint("[platform.core]", "[plattform.core]"), HasSubstr("plattform"));
    EXPECT_THAT(complaint("counted = \"core\"", "counted = \"cores\""), HasSubstr("run.counted"));
    EXPECT_THAT(complaint("sampling = \"5ms\"", "sampling = \"much\""), HasSubstr("sampling"));
    // The line is that of the whole file, not of its platform part.
    const std::string wrong = complaint("ways = 8", "ways = 0");
    std::size_t line = 1;
    for (std::size_t i = 0; i < text.find("ways = 8"); ++i) line += text[i] == '\n' ? 1 : 0;
    EXPECT_THAT(wrong, HasSubstr("c.toml:" + std::to_string(line) + ":"));
}

TEST(ConfigFileTest, SeveralInOneFileKeepTheirNamesAndLines) {
    RunConfig other = example();
    other.spec.kernel = "v3.18-rc5";
    other.own_platform = true;
    const std::string text =
        write_named_configs({{"baseline", example()}, {"patched1", other}}, kDirs);
    const std::vector<NamedConfig> back = read_named_configs(text, "c.toml", {});
    ASSERT_EQ(back.size(), 2U);
    EXPECT_EQ(back[0].name, "baseline");
    EXPECT_FALSE(back[0].config.own_platform);
    EXPECT_EQ(back[1].name, "patched1");
    EXPECT_EQ(back[1].config.spec.kernel, "v3.18-rc5");
    EXPECT_TRUE(back[1].config.own_platform);
    EXPECT_EQ(write_named_configs(back, {}), text);

    std::string wrong = text;
    const std::size_t at = wrong.rfind("seed = 42");
    wrong.replace(at, 9, "seed = -1");
    const auto line = 1 + std::count(wrong.begin(), wrong.begin() + static_cast<long>(at), '\n');
    try {
        (void)read_named_configs(wrong, "c.toml", {});
        FAIL();
    } catch (const model::UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr("c.toml:" + std::to_string(line) + ":"));
    }
}

}  // namespace
}  // namespace linefill::measure
