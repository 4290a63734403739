// SPDX-License-Identifier: Apache-2.0
// Messages about bad input, and the name that is offered instead of an unknown one.
#include "model/sim/error.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace linefill::model {
namespace {

TEST(UserErrorTest, AllPartsStandInOneLineInAFixedOrder) {
    const auto error = UserError("unknown replacement policy")
                           .nearest("plruu", {"lru", "plru", "random"})
                           .expected("one of lru, plru, random")
                           .value("plruu")
                           .key("cache.l1d.policy")
                           .line(12)
                           .file("my.toml");
    EXPECT_STREQ(error.what(),
                 "my.toml:12: unknown replacement policy: cache.l1d.policy = \"plruu\"; "
                 "expected one of lru, plru, random; did you mean \"plru\"?");
}

TEST(UserErrorTest, PartsNotGivenLeaveNoPunctuationBehind) {
    EXPECT_STREQ(UserError("nothing to run").what(), "nothing to run");
    EXPECT_STREQ(UserError("truncated").file("a.toml").what(), "a.toml: truncated");
    EXPECT_STREQ(UserError("truncated").line(3).what(), "line 3: truncated");
    EXPECT_STREQ(UserError("missing section").key("topology").what(), "missing section: topology");
    EXPECT_STREQ(UserError("unknown platform").value("xeon").what(), "unknown platform: \"xeon\"");
    EXPECT_STREQ(UserError("out of range").key("--threads").value("0").expected("1 to 4096").what(),
                 "out of range: --threads = \"0\"; expected 1 to 4096");
}

TEST(UserErrorTest, AnEmptyValueIsShownAsGiven) {
    EXPECT_STREQ(UserError("not a size").key("--set").value("").what(), "not a size: --set = \"\"");
}

TEST(UserErrorTest, ANameThatIsNotNearIsNotOffered) {
    EXPECT_STREQ(UserError("unknown event").value("x").nearest("x", {"cycles"}).what(),
                 "unknown event: \"x\"");
}

TEST(UserErrorTest, InputCannotBreakTheLineOrReachTheTerminal) {
    EXPECT_STREQ(UserError("unknown key").value("a\nb\x1b[2J\x7f").what(),
                 "unknown key: \"a\\x0ab\\x1b[2J\\x7f\"");
    EXPECT_STREQ(UserError("unknown key").value("\xc3\xa9").what(), "unknown key: \"\xc3\xa9\"");
}

TEST(UserErrorTest, ACallerThatKnowsTheFileAddsItWhileRethrowing) {
    try {
        try {
            throw UserError("duplicate key").line(7).key("name");
        } catch (UserError& error) {
            error.file("p.toml");
            throw;
        }
    } catch (const std::exception& error) {
        EXPECT_STREQ(error.what(), "p.toml:7: duplicate key: name");
    }
}

TEST(SimulationErrorTest, KeepsTheReportApartFromTheOneLineMessage) {
    const SimulationError error("deadlock", "cpu 0 waits for rq->lock\ncpu 1 waits for pi_lock");
    EXPECT_STREQ(error.what(), "deadlock");
    EXPECT_EQ(error.report(), "cpu 0 waits for rq->lock\ncpu 1 waits for pi_lock");
}

TEST(EditDistanceTest, CountsInsertionsDeletionsSubstitutionsAndSwaps) {
    EXPECT_EQ(edit_distance("", ""), 0);
    EXPECT_EQ(edit_distance("", "abc"), 3);
    EXPECT_EQ(edit_distance("abc", ""), 3);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
    EXPECT_EQ(edit_distance("cylces", "cycles"), 1);
    EXPECT_EQ(edit_distance("CYCLES", "cycles"), 0);
    EXPECT_EQ(edit_distance("flaw", "lawn"), 2);
}

TEST(EditDistanceTest, IsSymmetric) {
    const std::vector<std::string> words = {"", "a", "ba", "instructions", "branch-misses", "LLC"};
    for (const std::string& one : words) {
        for (const std::string& other : words) {
            EXPECT_EQ(edit_distance(one, other), edit_distance(other, one)) << one << ' ' << other;
        }
    }
}

TEST(NearestNameTest, FindsTheTypedWordDespiteATypo) {
    const std::vector<std::string> platforms = {"xeon-snb-2s", "xeon-hsw-2s", "i7-3770"};
    EXPECT_EQ(nearest_name("xeon-sbn-2s", platforms), "xeon-snb-2s");
    EXPECT_EQ(nearest_name("Xeon-HSW-2S", platforms), "xeon-hsw-2s");
    EXPECT_EQ(nearest_name("i7-3700", platforms), "i7-3770");
}

TEST(NearestNameTest, FindsANameOfWhichOnlyAPartWasTyped) {
    EXPECT_EQ(nearest_name("prefetch", {"no-pending-runtime", "prefetch-curr-exec-start"}),
              "prefetch-curr-exec-start");
    EXPECT_EQ(nearest_name("L1-dcache-load-misses-total", {"cycles", "L1-dcache-load-misses"}),
              "L1-dcache-load-misses");
}

TEST(NearestNameTest, OffersNothingWhenNothingIsNear) {
    EXPECT_EQ(nearest_name("zzz", {"cycles", "instructions"}), std::nullopt);
    EXPECT_EQ(nearest_name("cycles", {}), std::nullopt);
    EXPECT_EQ(nearest_name("", {"a"}), std::nullopt);
    EXPECT_EQ(nearest_name(std::string(100000, 'x'), {"xxx"}), std::nullopt);
}

TEST(NearestNameTest, TakesTheFirstOfEqualsInTheOrderGiven) {
    EXPECT_EQ(nearest_name("v4.6", {"v4.5", "v4.7"}), "v4.5");
    EXPECT_EQ(nearest_name("v4.6", {"v4.7", "v4.5"}), "v4.7");
}

}  // namespace
}  // namespace linefill::model
