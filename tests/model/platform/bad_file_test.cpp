// SPDX-License-Identifier: Apache-2.0
// Platform files that are wrong, each in one way: refused with file, line, key, value, what was
// expected and the nearest known name.
#include <ostream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model/platform/platform_text.h"

namespace linefill::model {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

struct BadValue {
    const char* section;
    const char* from;
    const char* to;
    const char* problem;
    const char* key_and_value;
    const char* expected;
};

void PrintTo(const BadValue& bad, std::ostream* out) { *out << bad.key_and_value; }

class BadValueTest : public testing::TestWithParam<BadValue> {};

TEST_P(BadValueTest, IsRefusedWithPlaceKeyValueAndExpectation) {
    const BadValue& bad = GetParam();
    const std::string text = edited(bad.section, bad.from, bad.to);
    EXPECT_THAT(refusal_of(text), AllOf(StartsWith(place_of(text, bad.section, bad.to)),
                                        HasSubstr(std::string(" ") + bad.problem + ":"),
                                        HasSubstr(bad.key_and_value), HasSubstr(bad.expected)));
}

INSTANTIATE_TEST_SUITE_P(
    Values, BadValueTest,
    testing::Values(
        BadValue{"[cache.l1d]", "ways = 8", "ways = 0", "value out of bounds",
                 "cache.l1d.ways = \"0\"", "a whole number from 1"},
        BadValue{"[cache.l1d]", "\"32KiB\"", "\"33000B\"", "size does not divide into sets",
                 "cache.l1d.size = \"33000B\"", "a multiple of ways x line (8 x 64B)"},
        BadValue{"[cache.llc]", "slices = 8", "slices = 7", "sets do not divide over the slices",
                 "cache.llc.slices = \"7\"", "to divide the 16384 sets"},
        BadValue{"[cache.l2]", "\"12cycles\"", "\"12\"", "latency without a unit",
                 "cache.l2.latency = \"12\"", "cycles, ps, ns, us, ms"},
        BadValue{"[cache.l2]", "\"12cycles\"", "12", "latency without a unit",
                 "cache.l2.latency = \"12\"", "cycles, ps, ns, us, ms"},
        BadValue{"[cache.l2]", "\"12cycles\"", "\"12 parsecs\"", "value cannot be read",
                 "cache.l2.latency = \"12 parsecs\"", "such as 4cycles"},
        BadValue{"[cache.l2]", "\"256KiB\"", "262144", "size without a unit",
                 "cache.l2.size = \"262144\"", "B, KiB, MiB"},
        BadValue{"[cache.l2]", "\"256KiB\"", "\"256KB\"", "value cannot be read",
                 "cache.l2.size = \"256KB\"", "B, KiB, MiB"},
        BadValue{"[cache.l2]", "\"256KiB\"", "\"-256KiB\"", "value cannot be read",
                 "cache.l2.size = \"-256KiB\"", "from 64B"},
        BadValue{"[clock]", "\"2.6GHz\"", "2.6", "clock without a unit", "clock.base = \"2.6\"",
                 "GHz, MHz"},
        BadValue{"[clock]", "turbo = [", "turbo = [3.5, ", "value of the wrong type",
                 "clock.turbo = \"a list\"", "a list of clocks"},
        BadValue{"[clock]", "turbo = [\"3GHz\"", "turbo = [\"2GHz\"",
                 "clock rises with the number of active cores", "clock.turbo = \"2GHz,3GHz,",
                 "none above the one before"},
        BadValue{"[memory]", "\"44GB/s\"", "44", "bandwidth without a unit",
                 "memory.bandwidth = \"44\"", "GB/s"},
        BadValue{"[core]", "window = 168", "window = 0", "value out of bounds",
                 "core.window = \"0\"", "from 1"},
        BadValue{"[core]", "window = 168", "window = \"168\"", "value of the wrong type",
                 "core.window = \"168\"", "a whole number"},
        BadValue{"[core]", "window = 168", "window = 168.5", "value of the wrong type",
                 "core.window = \"168.5\"", "a whole number"},
        BadValue{"[core]", "smt_issue_share = 0.6", "smt_issue_share = 0.4", "value out of bounds",
                 "core.smt_issue_share = \"0.4\"", "from 0.5 to 1"},
        BadValue{"[core]", "smt_issue_share = 0.6", "smt_issue_share = nan",
                 "value of the wrong type", "core.smt_issue_share = \"nan\"", "a number"},
        BadValue{"[link.socket]", "spread = \"13ns\"", "spread = \"49ns\"",
                 "spread wider than twice its mean", "link.socket.spread = \"49ns\"",
                 "at most twice link.socket.latency"},
        BadValue{"[core]", "cpi_kernel = 1.35", "cpi_kernel = 0.2",
                 "fewer cycles per instruction than the issue width allows",
                 "core.cpi_kernel = \"0.2\"", "1 / core.width (0.25)"},
        BadValue{"[core]", "\"33cycles\"", "\"-33cycles\"", "value out of bounds",
                 "core.mfence = \"-33cycles\"", "from 0"},
        BadValue{"[cache.llc]", "\"20MiB\"", "\"160KiB\"",
                 "inclusive cache smaller than what it includes", "cache.llc.size = \"160KiB\"",
                 "at least cache.l2.size (256KiB)"},
        BadValue{"[cache.llc]", "\"40cycles\"", "\"11cycles\"",
                 "level faster than the one above it", "cache.llc.latency = \"11cycles\"",
                 "at least cache.l2.latency (12cycles)"},
        BadValue{"[cache.l1d]", "\"tree-plru\"", "\"tree-plur\"", "unknown name",
                 "cache.l1d.policy = \"tree-plur\"", "did you mean \"tree-plru\"?"},
        BadValue{"[cache.llc]", "\"mru-n\"", "\"tree-plru\"",
                 "tree-plru needs a power-of-two number of ways up to 32",
                 "cache.llc.policy = \"tree-plru\"",
                 "cache.llc.ways (20) to suit cache.llc.policy (tree-plru)"},
        BadValue{"[tlb.stlb]", "entries = 512", "entries = 511", "entries do not divide into sets",
                 "tlb.stlb.entries = \"511\"", "a multiple of ways (4)"},
        BadValue{"[prefetch.l2_streamer]", "false", "true", "value not supported",
                 "prefetch.l2_streamer.enabled = \"true\"", "false"},
        BadValue{"[pmu]", "false", "0", "value of the wrong type", "pmu.count_upgrades = \"0\"",
                 "true or false"},
        BadValue{"[pmu.events]", "\"l1d_fill\"", "\"l1d_fil\"", "unknown model event \"l1d_fil\"",
                 "pmu.events.L1-dcache-load-misses = \"l1d_fil\"", "did you mean \"l1d_fill\"?"},
        BadValue{"[[idle_state]]", "\"20us\"", "\"1us\"",
                 "idle state lighter than the one before it", "idle_state.C1E.residency = \"1us\"",
                 "from light to deep"},
        BadValue{"name = ", "\"xeon-snb-2s\"", "\"\"", "empty text", "name = \"\"", "text"},
        BadValue{"[core]", "width = 4", "width = 1979-05-27", "value of the wrong type",
                 "core.width = \"a date or time\"", "a whole number"},
        BadValue{"[provenance]", "tag = \"manual\"", "tag = \"guess\"", "unknown tag",
                 "topology.tag = \"guess\"", "measured, manual, derived or assumed"},
        BadValue{"\"core.pause\"", "9cycles..11cycles", "9..11", "range that does not suit the key",
                 "\"9..11\"", "with the unit of the key"}));

/// One edit that leaves no value to be blamed, or moves the blame elsewhere.
struct BadEdit {
    const char* name;
    const char* section;
    const char* from;
    const char* to;
    const char* problem;
    const char* detail = "";
};

void PrintTo(const BadEdit& bad, std::ostream* out) { *out << bad.name; }

class BadEditTest : public testing::TestWithParam<BadEdit> {};

TEST_P(BadEditTest, IsRefused) {
    const BadEdit& bad = GetParam();
    EXPECT_THAT(refusal_of(edited(bad.section, bad.from, bad.to)),
                AllOf(HasSubstr(bad.problem), HasSubstr(bad.detail)));
}

INSTANTIATE_TEST_SUITE_P(
    Edits, BadEditTest,
    testing::Values(
        BadEdit{"UnknownSection", "[core]", "[core]", "[cpu]",
                "unknown key: cpu.width = \"4\"; did you mean \"core.width\"?"},
        BadEdit{"UnknownPerfEvent", "[pmu.events]", "LLC-loads =", "LLC-load =", "unknown key",
                "\"pmu.events.LLC-loads\""},
        BadEdit{"SectionAndValueOfOneName",
                "name =", "name =", "core = 3\nname =", "key or section given twice"},
        BadEdit{"ListOfSections", "[memory]", "[memory]", "[[memory]]",
                "list of sections where there is only one"},
        BadEdit{"InlineSectionForAValue", "[core]", "window = 168", "window = { size = 168 }",
                "unknown key", "core.window.size"},
        BadEdit{"EmptySectionForAValue", "[core]", "window = 168", "window = {}",
                "a section where a value belongs: core.window"},
        BadEdit{"IdleStateWithoutName", "[[idle_state]]", "name = \"C1\"\n", "",
                "idle state without a name"},
        BadEdit{"IdleStateTwice", "[[idle_state]]", "\"C1E\"", "\"C1\"", "idle state given twice"},
        BadEdit{"IdleStateOfNoName", "[[idle_state]]", "\"C1\"", "\"C.1\"",
                "no name for an idle state"},
        BadEdit{"IdleStateWithoutExit", "[[idle_state]]", "exit = \"2us\"\n", "",
                "missing key: idle_state.C1.exit"},
        BadEdit{"ProvenanceKey", "\"core.pause\"",
                "tag = ", "tga = ", "unknown key of a provenance entry", "\"tag\""},
        BadEdit{"ProvenanceWithoutTag", "\"core.pause\"", ", tag = \"measured\"", "",
                "provenance entry lacks \"tag\""},
        BadEdit{"ProvenanceOfAMissingKey", "[provenance.targets]\nload", "load_l2 = \"12cycles\"\n",
                "", "provenance of a key that the file lacks", "provenance.targets.load_l2"},
        BadEdit{"TargetThatNoProbeMeasures", "[provenance.targets]\nload",
                "load_l2 =", "load_l4 =", "unknown key", "\"provenance.targets.load_l2\""}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(BadFileTest, ConsistencyErrorsNameTheLineOfTheirKey) {
    const std::string text = edited("[tlb.stlb]", "ways = 4", "ways = 5");
    EXPECT_THAT(refusal_of(text), StartsWith(place_of(text, "[tlb.stlb]", "entries = 512")));
}

TEST(BadFileTest, AnUnknownKeyGetsItsLineAndTheNearestKnownOne) {
    const std::string text = edited("[core]", "window = 168", "windw = 168");
    EXPECT_EQ(refusal_of(text), place_of(text, "[core]", "windw") +
                                    " unknown key: core.windw = \"168\"; did you mean "
                                    "\"core.window\"?");
}

TEST(BadFileTest, AnUnknownSectionIsNoticed) {
    EXPECT_THAT(refusal_of(shipped_text() + "[hypervisor]\n"),
                HasSubstr("unknown section: hypervisor"));
}

TEST(BadFileTest, ADuplicateKeyGetsTheLineOfTheSecond) {
    const std::string text = edited("[core]", "window = 168", "window = 168\nwindow = 84");
    EXPECT_EQ(refusal_of(text),
              place_of(text, "[core]", "window = 84") +
                  " key or section given twice: window = \"84\"; expected each key once");
}

TEST(BadFileTest, ADuplicateSectionGetsTheLineOfTheSecond) {
    const std::string text = edited("[memory]", "[memory]", "[core]\n[memory]");
    EXPECT_THAT(refusal_of(text), AllOf(StartsWith(place_of(text, "[link.socket]", "[core]")),
                                        HasSubstr("key or section given twice: [core]")));
}

TEST(BadFileTest, AMissingSectionIsNamed) {
    std::string text = shipped_text();
    const auto begin = text.find("[memory]");
    text.erase(begin, text.find("[irq]") - begin);
    EXPECT_THAT(refusal_of(text), StartsWith("my.toml: missing section: [memory]; expected its "
                                             "keys, such as memory.size_per_node, a size"));
}

TEST(BadFileTest, ALinkIsRequiredWithTwoSocketsOnly) {
    std::string text = shipped_text();
    const auto begin = text.find("[link.socket]");
    text.erase(begin, text.find("[memory]") - begin);
    const auto entry = text.find("\"link.socket.latency\"");
    text.erase(entry, text.find("\"memory.size_per_node\"") - entry);
    EXPECT_THAT(refusal_of(text), HasSubstr("missing section: [link.socket]"));
    EXPECT_EQ(refusal_of(text, {{"topology.sockets", "1"}}), "");
}

TEST(BadFileTest, AMissingKeyIsNamedWithTheLineOfItsSection) {
    const std::string text = edited("[core]", "window = 168\n", "");
    EXPECT_EQ(refusal_of(text), place_of(text, "[core]", "[core]") +
                                    " missing key: core.window; expected a whole number from 1 to "
                                    "4096");
}

TEST(BadFileTest, AnEmptyFileIsRefused) {
    EXPECT_THAT(refusal_of(""), StartsWith("my.toml: missing key: name"));
}

TEST(BadFileTest, EveryTruncationIsRefused) {
    const std::string text = shipped_text();
    // The last line feed, quote or digit of the last line can be spared.
    const auto last_line = text.rfind('\n', text.size() - 2);
    const auto check = [&](std::size_t length) {
        EXPECT_THAT(refusal_of(text.substr(0, length)), StartsWith("my.toml:"))
            << "cut after " << length << " bytes";
    };
    for (std::size_t length = 0; length < last_line; length += 97) check(length);
    // Cuts between lines leave valid TOML behind.
    for (auto end = text.find('\n'); end < last_line; end = text.find('\n', end + 1)) check(end);
}

TEST(BadFileTest, ATruncatedLineGetsItsNumber) {
    const std::string text = shipped_text();
    const auto cut = text.find("\"32KiB\"") + 4;
    EXPECT_THAT(refusal_of(text.substr(0, cut)),
                AllOf(StartsWith(place_of(text, "[cache.l1i]", "size")),
                      HasSubstr("not valid TOML"), HasSubstr("size")));
}

TEST(BadFileTest, BytesThatAreNoTextAreRefused) {
    EXPECT_THAT(refusal_of(std::string("\x7f"
                                       "ELF\x02\x01\x01\0\0\xff\xfe",
                                       11)),
                StartsWith("my.toml:1: not valid TOML"));
}

TEST(BadFileTest, ProvenanceOfWhatIsNotThereIsRefused) {
    const std::string text = edited("[provenance]", "\"core.pause\"", "\"core.paws\"");
    EXPECT_THAT(refusal_of(text), AllOf(StartsWith(place_of(text, "[provenance]", "core.paws")),
                                        HasSubstr("provenance of an unknown key"),
                                        HasSubstr("did you mean \"core.pause\"?")));
}

TEST(BadFileTest, AFigureWithoutAnEntryIsRefused) {
    std::string text = edited("[provenance]", "\"core.pause\" = ", "# \"core.pause\" = ");
    EXPECT_THAT(refusal_of(text), AllOf(StartsWith(place_of(text, "[core]", "pause")),
                                        HasSubstr("figure without provenance: core.pause")));
    text.erase(text.find("\n[provenance]\n"));
    EXPECT_THAT(refusal_of(text), HasSubstr("missing section: [provenance]"));
}

}  // namespace
}  // namespace linefill::model
