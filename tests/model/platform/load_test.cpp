// SPDX-License-Identifier: Apache-2.0
// Finding platform files, --set, and the resolved configuration.
#include "model/platform/load.h"

#include <cstdio>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/platform/dump.h"
#include "model/platform/provenance.h"
#include "tests/model/platform/platform_text.h"

namespace linefill::model {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

Platform with(const std::string& override_text) {
    return load_platform("xeon-snb-2s", {platforms_dir()}, {parse_override(override_text)});
}

std::string load_refusal(const std::string& name) {
    try {
        (void)load_platform(name, {"/nonexistent", platforms_dir()});
    } catch (const UserError& error) {
        return error.what();
    }
    return {};
}

TEST(LoadTest, APlatformIsFoundByNameAndByPath) {
    const Platform by_name = load_platform("xeon-snb-2s", {"/nonexistent", platforms_dir()});
    const Platform by_path = load_platform(platforms_dir() + "/xeon-snb-2s.toml", {});
    EXPECT_EQ(by_name.name, "xeon-snb-2s");
    EXPECT_EQ(by_name, by_path);
}

TEST(LoadTest, AnUnknownPlatformGetsTheNearestName) {
    EXPECT_THAT(load_refusal("xeon-snb-2"),
                AllOf(HasSubstr("unknown platform"), HasSubstr("\"xeon-snb-2\""),
                      HasSubstr("did you mean \"xeon-snb-2s\"?")));
    EXPECT_THAT(load_refusal(""), HasSubstr("unknown platform"));
    EXPECT_THAT(load_refusal("no/such.toml"), StartsWith("no/such.toml: cannot open"));
    EXPECT_THAT(load_refusal(platforms_dir() + "/"), HasSubstr("it is a directory"));
    EXPECT_THAT(load_refusal("/dev/zero"), HasSubstr("platform file too large"));
}

TEST(LoadTest, PlatformNamesAreSortedAndUnique) {
    const auto names = platform_names({platforms_dir(), "/nonexistent", platforms_dir()});
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
    EXPECT_EQ(std::count(names.begin(), names.end(), "xeon-snb-2s"), 1);
}

TEST(OverrideTest, ReplacesValuesOfEveryKind) {
    EXPECT_EQ(with("cache.llc.size=10MiB").llc.size, 10U << 20U);
    EXPECT_EQ(with("core.window=84").core.window, 84U);
    EXPECT_EQ(with("core.cpi_kernel=1.5").core.cpi_kernel, 1.5);
    EXPECT_EQ(with("cache.llc.policy=lru").llc.policy, "lru");
    EXPECT_FALSE(with("ablation.inflight_hold=false").mechanisms.inflight_hold);
    EXPECT_TRUE(with("pmu.count_upgrades=true").pmu.count_upgrades);
    EXPECT_EQ(with("clock.turbo=3.1GHz,2600MHz").clock.turbo_ghz, (std::vector<double>{3.1, 2.6}));
    EXPECT_EQ(with("clock.turbo=2GHz").clock.turbo_ghz, std::vector<double>{2.0});
    EXPECT_EQ(with("memory.latency=0.06us").memory.latency, (Latency{0, 60, false}));
    EXPECT_EQ(with("memory.latency=170cycles").memory.latency, (Latency{170, 0, true}));
    EXPECT_EQ(with("link.socket.bandwidth=500MB/s").link.bandwidth_gbs, 0.5);
    EXPECT_EQ(with("idle_state.C1.exit=1us").idle_states.at(0).exit, (Latency{0, 1000, false}));
    EXPECT_EQ(with("pmu.events.LLC-loads=llc_data_read + llc_rfo").pmu.events.at("LLC-loads"),
              "llc_data_read + llc_rfo");
    EXPECT_EQ(with("provenance.targets.rmw_same_socket=30ns").targets.at("rmw_same_socket"),
              (Latency{0, 30, false}));
    EXPECT_EQ(with("name=mine").name, "mine");
}

TEST(OverrideTest, ChangesNothingElse) {
    Platform changed = with("cache.llc.size=10MiB");
    const Platform plain = load_platform("xeon-snb-2s", {platforms_dir()});
    changed.llc.size = plain.llc.size;
    changed.provenance = plain.provenance;
    EXPECT_EQ(changed, plain);
}

TEST(OverrideTest, TheLastOfSeveralCounts) {
    const Platform p =
        parse_platform(shipped_text(), "my.toml", {{"core.window", "84"}, {"core.window", "42"}});
    EXPECT_EQ(p.core.window, 42U);
}

TEST(OverrideTest, AnOverriddenFigureNoLongerHasTheFilesSource) {
    const Platform p = with("core.window=84");
    const Provenance* entry = provenance_of(p, "core.window");
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->source, "command line, --set");
    EXPECT_EQ(entry->tag, "assumed");
    EXPECT_THAT(entry->reason, HasSubstr("LLVM"));
}

TEST(OverrideTest, ErrorsNameTheOptionInsteadOfTheFile) {
    EXPECT_THAT(refusal_of_set("core.window=0"),
                StartsWith("value out of bounds: --set core.window = \"0\"; expected a whole "
                           "number from 1"));
    EXPECT_THAT(refusal_of(shipped_text(), {parse_override("core.window=0", "--patched-set")}),
                StartsWith("value out of bounds: --patched-set core.window = \"0\""));
    EXPECT_EQ(refusal_of_set("core.windw=84"),
              "unknown key: --set core.windw = \"84\"; did you mean \"core.window\"?");
    EXPECT_THAT(refusal_of_set("cache.l1d.latency=4"), StartsWith("latency without a unit: --set"));
    EXPECT_THAT(refusal_of_set("cache.llc=3"),
                StartsWith("a value where a section belongs: --set"));
    EXPECT_THAT(refusal_of_set("idle_state.C9.exit=1us"), StartsWith("unknown key: --set"));
    EXPECT_THAT(refusal_of_set("clock.turbo="), StartsWith("value cannot be read: --set"));
    EXPECT_THAT(refusal_of_set("clock.turbo=3GHz,,2GHz"), StartsWith("value cannot be read"));
    EXPECT_THAT(refusal_of_set("core.window=1e2"), StartsWith("value of the wrong type"));
    EXPECT_THAT(refusal_of_set("core.window=99999999999999999999"),
                StartsWith("value out of bounds"));
}

TEST(OverrideTest, TheBlameForAMisfitGoesToWhatWasSet) {
    EXPECT_EQ(refusal_of_set("cache.llc.ways=7"),
              "size does not divide into sets: --set cache.llc.ways = \"7\"; expected "
              "cache.llc.size (20MiB) to be a multiple of ways x line (7 x 64B)");
    EXPECT_THAT(refusal_of_set("cache.l2.size=32MiB"),
                StartsWith("inclusive cache smaller than what it includes: --set cache.l2.size"));
}

TEST(OverrideTest, NeedsAKeyAndAnEqualsSign) {
    for (const char* text : {"", "core.window", "=84"}) {
        EXPECT_THROW((void)parse_override(text), UserError) << text;
    }
    const Override one = parse_override("name=a=b");
    EXPECT_EQ(one.key, "name");
    EXPECT_EQ(one.value, "a=b");
}

TEST(OverrideTest, AnySetCountIsPossible) {
    EXPECT_EQ(with("cache.llc.size=30MiB").llc.sets(), 24576U);
}

TEST(DumpTest, ReadsBackToTheSamePlatform) {
    const Platform plain = load_platform("xeon-snb-2s", {platforms_dir()});
    EXPECT_EQ(parse_platform(dump_platform(plain), "dump"), plain);
}

TEST(DumpTest, ReadsBackWithOverridesOfEveryKind) {
    for (const char* text :
         {"cache.llc.size=10MiB", "cache.l1i.size=33KiB", "clock.turbo=2.7GHz", "core.window=1",
          "memory.latency=0.1ps", "memory.latency=123.456us", "core.pause=1cycle",
          "core.cpi_user=1.0000001", "ablation.numa_distance=false", "topology.sockets=1",
          "topology.cluster=0", "link.socket.bandwidth=7MB/s", "idle_state.C7.residency=1ms",
          "title=a \"quoted\" \\ title\nwith\ttabs \x7f and \xc3\xa9", "pmu.events.branches=loads",
          "provenance.\"core.window\".reason=why \"not\"", "provenance.targets.load_l1d=5cycles"}) {
        const Platform p = with(text);
        EXPECT_EQ(parse_platform(dump_platform(p), "dump"), p) << text;
    }
}

TEST(DumpTest, EveryKeyHasAValueADescriptionAndAnExpectation) {
    const Platform p = load_platform("xeon-snb-2s", {platforms_dir()});
    const auto rows = describe_platform(p);
    EXPECT_GT(rows.size(), 150U);
    for (const auto& row : rows) {
        EXPECT_NE(row.value, "") << row.key;
        EXPECT_NE(row.doc, "") << row.key;
        EXPECT_NE(row.expected, "") << row.key;
        EXPECT_EQ(row.is_figure, !row.source.empty()) << row.key;
        EXPECT_EQ(row.is_figure, !row.range.empty()) << row.key;
        EXPECT_EQ(row.is_figure, !row.tag.empty()) << row.key;
    }
}

TEST(DumpTest, EveryShownValueCanBeSet) {
    const Platform plain = load_platform("xeon-snb-2s", {platforms_dir()});
    for (const auto& row : describe_platform(plain)) {
        Platform again = with(row.key + "=" + row.value);
        again.provenance = plain.provenance;
        EXPECT_EQ(again, plain) << row.key;
    }
}

}  // namespace
}  // namespace linefill::model
