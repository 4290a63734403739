// SPDX-License-Identifier: Apache-2.0
// Replacement policies against sequences worked out by hand and against slow references.
#include <algorithm>
#include <list>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/cache/replacement/policy.h"
#include "model/cache/replacement/tree_plru.h"
#include "model/sim/error.h"
#include "model/sim/random.h"

namespace linefill::model {
namespace {

using testing::ElementsAre;

/// One set, filled way by way.
std::unique_ptr<ReplacementPolicy> full_set(const std::string& name, unsigned ways) {
    auto policy = make_policy(name, {1, ways, 1});
    for (unsigned w = 0; w < ways; ++w) policy->on_fill(0, w, w + 1 < ways);
    return policy;
}

/// Victims of `n` misses in a row.
std::vector<unsigned> victims(ReplacementPolicy& policy, unsigned n) {
    std::vector<unsigned> out;
    for (unsigned i = 0; i < n; ++i) {
        out.push_back(policy.victim(0));
        policy.on_fill(0, out.back(), false);
    }
    return out;
}

TEST(ReplacementTest, PoliciesHaveTheNamesThatPlatformFilesUse) {
    EXPECT_THAT(policy_names(), ElementsAre("lru", "mru-n", "random", "tree-plru"));
    try {
        (void)make_policy("tree-plruu", {1, 8, 1});
        FAIL();
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("did you mean \"tree-plru\"?"));
    }
}

TEST(LruTest, TheLeastRecentlyUsedWayGoes) {
    auto lru = full_set("lru", 4);
    lru->on_hit(0, 0, false);
    lru->on_hit(0, 2, false);
    EXPECT_THAT(victims(*lru, 5), ElementsAre(1, 3, 0, 2, 1));
}

TEST(LruTest, AgreesWithAListOfUses) {
    constexpr unsigned kWays = 7;
    auto lru = full_set("lru", kWays);
    std::list<unsigned> order;  // most recent first
    for (unsigned w = 0; w < kWays; ++w) order.push_front(w);
    Random random(3, "lru");
    for (int i = 0; i < 20000; ++i) {
        unsigned way = 0;
        if (random.below(3) == 0) {
            way = lru->victim(0);
            ASSERT_EQ(way, order.back()) << "step " << i;
            lru->on_fill(0, way, false);
        } else {
            way = static_cast<unsigned>(random.below(kWays));
            lru->on_hit(0, way, false);
        }
        order.remove(way);
        order.push_front(way);
    }
}

// Filling 0..7 leaves every bit towards the other half: 0 is the victim, then its counterpart in the
// other half, and so on.
TEST(TreePlruTest, MissesInARowTakeTheWaysInTheKnownOrder) {
    auto plru = full_set("tree-plru", 8);
    EXPECT_THAT(victims(*plru, 8), ElementsAre(0, 4, 2, 6, 1, 5, 3, 7));
}

TEST(TreePlruTest, FourWaysByHand) {
    auto plru = full_set("tree-plru", 4);  // victim 0
    plru->on_hit(0, 0, false);             // root to the right; right half's older way is 2
    EXPECT_EQ(plru->victim(0), 2U);
    plru->on_hit(0, 2, false);  // root to the left; in the left half 0 was used: 1
    EXPECT_EQ(plru->victim(0), 1U);
    plru->on_hit(0, 1, false);  // right half: 2 was used: 3
    EXPECT_EQ(plru->victim(0), 3U);
    plru->on_hit(0, 3, false);
    EXPECT_EQ(plru->victim(0), 0U);
}

/// The tree as a tree: each node knows which half was used last.
class SlowTree {
public:
    SlowTree(unsigned low, unsigned high) : low_(low), high_(high) {
        if (high - low == 1) return;
        left_ = std::make_unique<SlowTree>(low, (low + high) / 2);
        right_ = std::make_unique<SlowTree>((low + high) / 2, high);
    }
    void use(unsigned way) {
        if (left_ == nullptr) return;
        last_was_left_ = way < left_->high_;
        (last_was_left_ ? left_ : right_)->use(way);
    }
    unsigned victim() const {
        if (left_ == nullptr) return low_;
        return (last_was_left_ ? right_ : left_)->victim();
    }

private:
    unsigned low_, high_;
    std::unique_ptr<SlowTree> left_, right_;
    bool last_was_left_ = false;
};

class TreePlruWaysTest : public testing::TestWithParam<unsigned> {};

TEST_P(TreePlruWaysTest, AgreesWithATreeOfNodes) {
    const unsigned ways = GetParam();
    auto plru = full_set("tree-plru", ways);
    SlowTree slow(0, ways);
    for (unsigned w = 0; w < ways; ++w) slow.use(w);
    Random random(ways, "plru");
    for (int i = 0; i < 20000; ++i) {
        ASSERT_EQ(plru->victim(0), slow.victim()) << "step " << i;
        const unsigned way =
            random.below(3) == 0 ? slow.victim() : static_cast<unsigned>(random.below(ways));
        plru->on_hit(0, way, false);
        slow.use(way);
    }
}

INSTANTIATE_TEST_SUITE_P(Ways, TreePlruWaysTest, testing::Values(1U, 2U, 4U, 8U, 16U, 32U));

TEST(TreePlruTest, RefusesWaysThatMakeNoTree) {
    for (const unsigned ways : {3U, 12U, 20U, 64U}) {
        EXPECT_THROW((void)make_policy("tree-plru", {1, ways, 1}), UserError) << ways;
    }
}

// Bits are set on use; the one that would be the last clear one clears all others.
TEST(MruNTest, ByHand) {
    auto mru = full_set("mru-n", 4);  // only the fill that made the set full has set its bit: 3
    EXPECT_EQ(mru->victim(0), 0U);
    mru->on_hit(0, 0, false);
    mru->on_hit(0, 1, false);  // 0, 1, 3
    EXPECT_EQ(mru->victim(0), 2U);
    mru->on_fill(0, 2, false);  // would be all: only 2 stays
    EXPECT_THAT(victims(*mru, 4), ElementsAre(0, 1, 3, 0));
}

TEST(MruNTest, LeavesTheBitsAloneWhileTheSetHasInvalidWays) {
    auto mru = make_policy("mru-n", {1, 4, 1});
    for (unsigned w = 0; w < 3; ++w) mru->on_fill(0, w, true);
    mru->on_hit(0, 0, true);
    mru->on_fill(0, 3, false);
    EXPECT_EQ(mru->victim(0), 0U);
}

TEST(RandomPolicyTest, TakesEveryWayAboutAsOftenAndRepeatsWithItsSeed) {
    const auto draw = [](std::uint64_t seed) {
        auto policy = make_policy("random", {1, 8, seed});
        std::vector<unsigned> out;
        for (int i = 0; i < 8000; ++i) out.push_back(policy->victim(0));
        return out;
    };
    const auto first = draw(1);
    EXPECT_EQ(first, draw(1));
    EXPECT_NE(first, draw(2));
    for (unsigned w = 0; w < 8; ++w) {
        EXPECT_NEAR(static_cast<double>(std::count(first.begin(), first.end(), w)), 1000, 150) << w;
    }
}

TEST(ReplacementTest, SetsDoNotDisturbEachOther) {
    for (const char* name : {"lru", "tree-plru", "mru-n"}) {
        auto two = make_policy(name, {2, 4, 1});
        auto alone = full_set(name, 4);
        Random random(9, name);
        for (unsigned w = 0; w < 4; ++w) {
            two->on_fill(0, w, w < 3);
            two->on_fill(1, w, w < 3);
        }
        for (int i = 0; i < 500; ++i) {
            const auto way = static_cast<unsigned>(random.below(4));
            two->on_hit(1, way, false);
            alone->on_hit(0, way, false);
            two->on_hit(0, static_cast<unsigned>(random.below(4)), false);
            ASSERT_EQ(two->victim(1), alone->victim(0)) << name;
        }
    }
}

}  // namespace
}  // namespace linefill::model
