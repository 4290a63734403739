// SPDX-License-Identifier: Apache-2.0
// Stores: they drain in order, each when its line is owned; what that means for the release of a lock;
// a line that is taken away before the store's turn; forwarding. 2 GHz, one cycle per instruction.
#include <gtest/gtest.h>

#include "model/core/core.h"
#include "tests/model/test_machine.h"

namespace linefill::model {
namespace {

constexpr Tick kCycle = 500 * kPicosecond;
constexpr Tick kMemory = ticks_from_ns(20 + 16 + 1000);  // a store to a line that nobody has
constexpr Tick kUpgrade = ticks_from_ns(20 + 10);  // ownership from another core of the socket

class StoreBufferTest : public testing::Test {
protected:
    explicit StoreBufferTest(std::vector<std::string> more = {}) {
        for (const char* text : {"memory.latency=1000ns", "fabric.home_processing=16ns",
                                 "coherence.core_snoop_clean=10ns", "cache.llc.latency=40cycles"}) {
            more.emplace_back(text);
        }
        t_ = std::make_unique<TestMachine>(test_platform(more, round_figures()));
    }

    /// What a release writes, and when it was visible.
    struct Word {
        StoreBufferTest* test = nullptr;
        std::uint64_t value = 0;
        Tick written_at = -1;
    };
    StoreEffect effect(Word& w, std::uint64_t value) {
        w.test = this;
        return {[](void* object, std::uint64_t v) {
                    auto& word = *static_cast<Word*>(object);
                    word.value = v;
                    word.written_at = word.test->t_->machine().scheduler().now();
                },
                &w, value};
    }
    /// Makes line `number` this core's own, with the TLB warm.
    void own(HwThread& hw, unsigned number) {
        hw.store(line(number), 8, kNoField);
        hw.fence();
    }
    void settle_at(HwThread& hw, Tick when) {
        hw.fence();
        hw.advance(when - hw.now());
        hw.synchronise();
    }
    Addr line(unsigned number) const { return t_->line_on(0, number); }

    std::unique_ptr<TestMachine> t_;
    Word word_;
    static constexpr Tick kStart = 20 * kMicrosecond;
};

class OutOfOrderDrainTest : public StoreBufferTest {
protected:
    OutOfOrderDrainTest() : StoreBufferTest({"ablation.inorder_drain=false"}) {}
};

TEST_F(StoreBufferTest, AReleaseIsVisibleOnlyAfterAnOlderStoreThatMisses) {
    t_->on(0, [&](HwThread& hw) {
        own(hw, 1);
        settle_at(hw, kStart);
        hw.store(line(0), 8, kNoField);
        hw.store(line(1), 8, kNoField, {}, effect(word_, 7));
        EXPECT_EQ(hw.now(), kStart + 2 * kCycle) << "stores retire into the buffer at once";
        EXPECT_EQ(word_.value, 0U);
        hw.fence();
    });
    t_->run();
    EXPECT_EQ(word_.value, 7U);
    EXPECT_EQ(word_.written_at - kStart, kCycle + kMemory + kCycle);
}

TEST_F(OutOfOrderDrainTest, IsVisibleAtOnce) {
    t_->on(0, [&](HwThread& hw) {
        own(hw, 1);
        settle_at(hw, kStart);
        hw.store(line(0), 8, kNoField);
        hw.store(line(1), 8, kNoField, {}, effect(word_, 7));
        hw.fence();
    });
    t_->run();
    EXPECT_LE(word_.written_at - kStart, 3 * kCycle);
}

// Or two would own a queued lock: its new owner hands the queue on after it has claimed the lock.
TEST_F(OutOfOrderDrainTest, ReleasesKeepTheirOrderAmongThemselves) {
    Word second;
    t_->on(0, [&](HwThread& hw) {
        own(hw, 1);
        own(hw, 2);
        settle_at(hw, kStart);
        hw.store(line(0), 8, kNoField, {}, effect(word_, 7));
        hw.store(line(1), 8, kNoField, {}, effect(second, 8));
        hw.store(line(2), 8, kNoField);
        hw.fence();
    });
    t_->run();
    EXPECT_EQ(word_.written_at - kStart, kCycle + kMemory);
    EXPECT_EQ(second.written_at, word_.written_at);
    EXPECT_EQ(second.value, 8U);
}

TEST_F(StoreBufferTest, AReleaseIsVisibleOnlyAfterAnOlderStoresUpgrade) {
    t_->background(1, [&](HwThread& hw) {
        hw.execute(4000);
        hw.use(hw.load(line(0), 8, kNoField));
    });
    t_->on(0, [&](HwThread& hw) {
        hw.use(hw.load(line(0), 8, kNoField));
        own(hw, 1);
        settle_at(hw, kStart);
        hw.store(line(0), 8, kNoField);
        hw.store(line(1), 8, kNoField, {}, effect(word_, 1));
        hw.fence();
    });
    t_->run();
    EXPECT_EQ(t_->counters(0)[Event::kL1dUpgrade], 1);
    EXPECT_EQ(word_.written_at - kStart, kCycle + kUpgrade + kCycle);
}

TEST_F(StoreBufferTest, OwnershipOfSeveralStoresIsAskedForTogether) {
    t_->on(0, [&](HwThread& hw) {
        own(hw, 100);
        settle_at(hw, kStart);
        for (unsigned i = 0; i < 5; ++i) hw.store(line(i), 8, kNoField);
        hw.store(line(100), 8, kNoField, {}, effect(word_, 1));
        hw.fence();
    });
    t_->run();
    EXPECT_EQ(word_.written_at - kStart, kMemory + 6 * kCycle);
}

TEST_F(StoreBufferTest, ALineTakenBeforeTheStoresTurnIsAskedForAgain) {
    std::uint64_t seen = 99;
    t_->background(1, [&](HwThread& hw) {
        hw.use(hw.load(line(500), 8, kNoField));
        settle_at(hw, kStart + 300 * kNanosecond);
        hw.use(hw.load(line(1), 8, kNoField));
        seen = word_.value;
    });
    t_->on(0, [&](HwThread& hw) {
        own(hw, 1);
        settle_at(hw, kStart);
        hw.store(line(0), 8, kNoField);  // keeps the next one waiting for a microsecond
        hw.store(line(1), 8, kNoField, {}, effect(word_, 7));
        hw.fence();
    });
    t_->run();
    EXPECT_EQ(seen, 0U) << "the release was seen before it was visible";
    EXPECT_EQ(t_->counters(0)[Event::kL1dUpgrade], 1);
    EXPECT_NEAR(static_cast<double>(word_.written_at - kStart),
                static_cast<double>(kCycle + kMemory + kUpgrade), static_cast<double>(kCycle));
}

TEST_F(StoreBufferTest, ALineTakenOutOfL2IsAskedForAgainToo) {
    constexpr Addr kSetStride = 64 * kLineBytes;
    constexpr Tick kLater = 5 * kStart;
    t_->background(1, [&](HwThread& hw) {
        hw.use(hw.load(line(500), 8, kNoField));
        settle_at(hw, kLater + 300 * kNanosecond);
        hw.use(hw.load(line(1), 8, kNoField));
    });
    t_->on(0, [&](HwThread& hw) {
        const auto others = [&](unsigned n) {
            for (unsigned i = 1; i <= n; ++i) {
                hw.use(hw.load(line(1) + i * kSetStride, 8, kNoField));
            }
        };
        others(24);
        own(hw, 1);
        settle_at(hw, kLater);
        hw.store(line(0), 8, kNoField);
        hw.store(line(1), 8, kNoField, {}, effect(word_, 7));
        others(16);
        EXPECT_EQ(hw.core().find_l1d(line_of(line(1))), ~std::size_t{0});
        EXPECT_TRUE(hw.core().in_l2(line_of(line(1))));
        EXPECT_LT(hw.now(), kLater + 300 * kNanosecond);
        hw.fence();
    });
    t_->run();
    EXPECT_GE(word_.written_at - kLater, kCycle + kMemory + kUpgrade);
}

TEST_F(StoreBufferTest, AStoreThatIsNextCompletesBeforeItsLineGoes) {
    // The other core asks while the store has just become the head and owns its line.
    t_->background(1, [&](HwThread& hw) {
        hw.use(hw.load(line(500), 8, kNoField));
        settle_at(hw, kStart);
        hw.use(hw.load(line(1), 8, kNoField));
    });
    t_->on(0, [&](HwThread& hw) {
        own(hw, 1);
        settle_at(hw, kStart);
        hw.store(line(1), 8, kNoField, {}, effect(word_, 7));
        hw.fence();
    });
    t_->run();
    EXPECT_LE(word_.written_at - kStart, 3 * kCycle);
    EXPECT_EQ(t_->counters(0)[Event::kL1dUpgrade], 0);
}

TEST_F(StoreBufferTest, AThreadThatIsAheadKeepsNobodyWaitingForItsLines) {
    // CPU 0 has executed, on the host, a load and a store 400 ns ahead of the moment at which CPU 1
    // asks for their line.
    Tick asked = 0;
    Tick got = 0;
    std::uint64_t seen = 99;
    t_->background(1, [&](HwThread& hw) {
        hw.use(hw.load(line(500), 8, kNoField));
        settle_at(hw, kStart + 100 * kNanosecond);
        asked = hw.now();
        hw.locked(line(1), 8, kNoField, [&] { seen = word_.value; });
        got = hw.now();
    });
    t_->on(0, [&](HwThread& hw) {
        own(hw, 1);
        settle_at(hw, kStart);
        hw.execute(1);  // begins a quantum
        hw.execute(1000);
        hw.load(line(1), 8, kNoField);
        hw.store(line(1), 8, kNoField, {}, effect(word_, 7));
        EXPECT_LT(t_->machine().scheduler().now(), kStart + 100 * kNanosecond)
            << "it was not ahead: the test shows nothing";
        hw.fence();
    });
    t_->run();
    EXPECT_EQ(seen, 0U) << "a store of the future was seen";
    EXPECT_LT(got - asked, 60 * kNanosecond);
    EXPECT_EQ(word_.value, 7U);
    // The store asked for its line again, which the other core had by then.
    EXPECT_GE(word_.written_at - kStart, 500 * kNanosecond + kUpgrade);
    EXPECT_EQ(t_->counters(0)[Event::kHitmLocal], 1);
}

TEST_F(StoreBufferTest, OfALoadAndAStoreThatLearnTheirAddressAtOnceTheLoadBringsTheLine) {
    t_->background(1, [&](HwThread& hw) { own(hw, 2); });
    t_->on(0, [&](HwThread& hw) {
        settle_at(hw, kStart);
        const Token pointer = hw.load(line(0), 8, kNoField);  // from memory
        hw.load(line(2), 8, kNoField, pointer);
        hw.store(line(2), 8, kNoField, pointer);
        hw.fence();
    });
    t_->run();
    const Counters c = t_->counters(0);
    EXPECT_EQ(c[Event::kHitmLocal], 1);
    EXPECT_EQ(c[Event::kL1dUpgrade], 1) << "the younger store went first";
}

TEST_F(StoreBufferTest, ALoadOfWhatWasJustStoredIsForwarded) {
    t_->on(0, [&](HwThread& hw) {
        hw.use(hw.load(line(500), 8, kNoField));
        settle_at(hw, kStart);
        hw.store(line(0), 8, kNoField);
        hw.use(hw.load(line(0), 8, kNoField));
        EXPECT_EQ(hw.now() - kStart, 2 * kCycle + 5 * kCycle);
        hw.use(hw.load(line(0) + 4, 4, kNoField));
        EXPECT_EQ(hw.now() - kStart, 2 * kCycle + 5 * kCycle + kCycle + 5 * kCycle);
    });
    t_->run();
}

TEST_F(StoreBufferTest, OtherBytesOfTheLineAreNotForwarded) {
    t_->on(0, [&](HwThread& hw) {
        hw.use(hw.load(line(500), 8, kNoField));
        settle_at(hw, kStart);
        hw.store(line(0), 8, kNoField);
        hw.use(hw.load(line(0) + 8, 8, kNoField));
        EXPECT_GE(hw.now() - kStart, kMemory);
    });
    t_->run();
}

TEST_F(StoreBufferTest, ALockedOperationWaitsForTheDrain) {
    Tick at = 0;
    t_->on(0, [&](HwThread& hw) {
        own(hw, 1);
        settle_at(hw, kStart);
        hw.store(line(0), 8, kNoField);
        hw.locked(line(1), 8, kNoField, [&] { at = hw.now(); });
        EXPECT_EQ(hw.now() - kStart, kCycle + kMemory + 25 * kCycle);
    });
    t_->run();
    EXPECT_EQ(at - kStart, kCycle + kMemory);
}

TEST_F(StoreBufferTest, AFullBufferStallsTheNextStore) {
    t_->on(0, [&](HwThread& hw) {
        own(hw, 1);
        settle_at(hw, kStart);
        hw.store(line(0), 8, kNoField);
        for (unsigned i = 0; i < 35; ++i) hw.store(line(1), 8, kNoField);
        EXPECT_EQ(hw.now() - kStart, 36 * kCycle);
        hw.store(line(1), 8, kNoField);  // the 37th waits until the first has drained
        EXPECT_GE(hw.now() - kStart, kMemory);
        hw.fence();
    });
    t_->run();
}

// ---- prefetch and store ----------------------------------------------------------------------

TEST_F(StoreBufferTest, APrefetchTakesAModifiedLineAwayAndLeavesItShared) {
    t_->background(1, [&](HwThread& hw) { own(hw, 0); });
    t_->on(0, [&](HwThread& hw) {
        hw.use(hw.load(line(500), 8, kNoField));
        settle_at(hw, kStart);
        hw.prefetch(line(0), kNoField, PrefetchKind::kNta);
        settle_at(hw, 2 * kStart);
        EXPECT_EQ(hw.core().state_of(line_of(line(0))), LineState::kShared);
        EXPECT_EQ(t_->machine().core(1).state_of(line_of(line(0))), LineState::kShared);
        hw.store(line(0), 8, kNoField);
        hw.fence();
        EXPECT_EQ(hw.core().state_of(line_of(line(0))), LineState::kModified);
        EXPECT_EQ(t_->machine().core(1).state_of(line_of(line(0))), LineState::kInvalid);
    });
    t_->run();
    EXPECT_EQ(t_->counters(0)[Event::kHitmLocal], 1);
    EXPECT_EQ(t_->counters(0)[Event::kL1dUpgrade], 1);
}

class OwningPrefetchTest : public StoreBufferTest {
protected:
    OwningPrefetchTest() : StoreBufferTest({"ablation.prefetch_shared_only=false"}) {}
};

TEST_F(OwningPrefetchTest, SparesTheStoreItsUpgrade) {
    t_->background(1, [&](HwThread& hw) { own(hw, 0); });
    t_->on(0, [&](HwThread& hw) {
        hw.use(hw.load(line(500), 8, kNoField));
        settle_at(hw, kStart);
        hw.prefetch(line(0), kNoField, PrefetchKind::kNta);
        settle_at(hw, 2 * kStart);
        EXPECT_EQ(t_->machine().core(1).state_of(line_of(line(0))), LineState::kInvalid);
        hw.store(line(0), 8, kNoField);
        hw.fence();
    });
    t_->run();
    EXPECT_EQ(t_->counters(0)[Event::kL1dUpgrade], 0);
    EXPECT_EQ(t_->counters(0)[Event::kLlcRfo], 1);
}

TEST_F(StoreBufferTest, ANonTemporalPrefetchBypassesL2) {
    t_->on(0, [&](HwThread& hw) {
        hw.prefetch(line(0), kNoField, PrefetchKind::kNta);
        hw.prefetch(line(1), kNoField, PrefetchKind::kT0);
        settle_at(hw, kStart);
        for (const unsigned n : {0U, 1U}) {
            EXPECT_NE(hw.core().find_l1d(line_of(line(n))), ~std::size_t{0}) << n;
        }
        EXPECT_FALSE(hw.core().in_l2(line_of(line(0))));
        EXPECT_TRUE(hw.core().in_l2(line_of(line(1))));
    });
    t_->run();
}

}  // namespace
}  // namespace linefill::model
