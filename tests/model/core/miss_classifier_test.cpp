// SPDX-License-Identifier: Apache-2.0
#include "model/core/miss_classifier.h"

#include <gtest/gtest.h>

#include "model/sim/random.h"

namespace linefill::model {
namespace {

constexpr Addr kAddr = 0x10000;

class MissClassifierTest : public testing::Test {
protected:
    MissClassifierTest() { classifier_.enable(2, 4); }
    MissClassifier classifier_;
};

TEST_F(MissClassifierTest, ALineThatWasNeverHeldIsCold) {
    EXPECT_EQ(classifier_.classify(0, kAddr, 8), MissClass::kCold);
    classifier_.on_evict(0, line_of(kAddr));
    EXPECT_NE(classifier_.classify(0, kAddr, 8), MissClass::kCold);
    EXPECT_EQ(classifier_.classify(1, kAddr, 8), MissClass::kCold);
}

TEST_F(MissClassifierTest, WhatAFullyAssociativeCacheHadKeptIsAConflict) {
    LruShadow& shadow = *classifier_.shadow_of(0);
    shadow.touch(line_of(kAddr));
    classifier_.on_evict(0, line_of(kAddr));
    for (Addr other = 1; other <= 3; ++other) shadow.touch(line_of(kAddr) + other);
    EXPECT_EQ(classifier_.classify(0, kAddr, 8), MissClass::kConflict);
    shadow.touch(line_of(kAddr) + 4);
    EXPECT_EQ(classifier_.classify(0, kAddr, 8), MissClass::kCapacity);
}

TEST_F(MissClassifierTest, SharingIsTrueIfAnotherCoreWroteWhatIsUsed) {
    classifier_.on_invalidate(0, line_of(kAddr), false);
    classifier_.on_write(1, kAddr + 16, 8);
    EXPECT_EQ(classifier_.classify(0, kAddr + 16, 4), MissClass::kTrueSharing);
    EXPECT_EQ(classifier_.classify(0, kAddr + 8, 16), MissClass::kTrueSharing);
    EXPECT_EQ(classifier_.classify(0, kAddr, 8), MissClass::kFalseSharing);
    // What the core itself wrote, and what was written before it lost the line, is nothing new.
    classifier_.on_write(0, kAddr + 16, 8);
    EXPECT_EQ(classifier_.classify(0, kAddr + 16, 8), MissClass::kFalseSharing);
    classifier_.on_write(1, kAddr, 8);
    classifier_.on_invalidate(0, line_of(kAddr), false);
    EXPECT_EQ(classifier_.classify(0, kAddr, 8), MissClass::kFalseSharing);
}

TEST(MissClassifier, NumbersOfEventsThatBeginAnewChangeNoClass) {
    constexpr unsigned kCores = 18;  // more than fit a line of the host
    MissClassifier plain, renumbered;
    plain.enable(kCores, 8);
    renumbered.enable(kCores, 8, 64);
    Random random(3, "classes");
    for (int i = 0; i < 50000; ++i) {
        const auto core = static_cast<unsigned>(random.below(kCores));
        const Addr addr = kAddr + random.below(4 * kLineBytes);
        for (MissClassifier* c : {&plain, &renumbered}) {
            Random step = random;
            switch (step.below(4)) {
                case 0:
                    c->on_write(core, addr, 8);
                    break;
                case 1:
                    c->on_invalidate(core, line_of(addr), step.below(8) == 0);
                    break;
                case 2:
                    c->on_evict(core, line_of(addr));
                    break;
                default:
                    c->shadow_of(core)->touch(line_of(addr));
                    break;
            }
        }
        random.below(32);
        const auto asker = static_cast<unsigned>(random.below(kCores));
        const Addr asked = kAddr + random.below(4 * kLineBytes);
        ASSERT_EQ(plain.classify(asker, asked, 8), renumbered.classify(asker, asked, 8)) << i;
    }
}

}  // namespace
}  // namespace linefill::model
