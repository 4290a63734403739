// SPDX-License-Identifier: Apache-2.0
// What overlaps and what does not: independent and dependent misses, fill buffers, the reorder window.
// All times are closed formulas of the platform's figures at 2 GHz and one cycle per instruction.
#include <gtest/gtest.h>

#include "tests/model/test_machine.h"

namespace linefill::model {
namespace {

constexpr Tick kCycle = 500 * kPicosecond;

/// A local memory access without its issue: 40 cycles of LLC, 16 ns at the home, the memory itself.
constexpr Tick dram(double memory_ns) { return ticks_from_ns(20 + 16 + memory_ns); }

class OverlapTest : public testing::Test {
protected:
    void build(std::vector<std::string> overrides) {
        overrides.emplace_back("fabric.home_processing=16ns");
        overrides.emplace_back("cache.llc.latency=40cycles");
        test_ = std::make_unique<TestMachine>(test_platform(overrides, round_figures()));
    }
    /// Time that `body` takes on CPU 0, which has its TLB warm and nothing under way.
    Tick time(const std::function<void(HwThread&)>& body) {
        Tick took = 0;
        test_->on(0, [&](HwThread& hw) {
            hw.use(hw.load(test_->line_on(0, 5000), 8, kNoField));
            hw.execute(20000);
            hw.fence();
            hw.synchronise();
            const Tick start = hw.now();
            body(hw);
            took = hw.now() - start;
        });
        test_->run();
        return took;
    }
    Token load(HwThread& hw, unsigned number, Token dep = {}) {
        return hw.load(test_->line_on(0, number), 8, kNoField, dep);
    }
    /// `n` loads of lines that nobody has; waits for all.
    void independent(HwThread& hw, unsigned n) {
        std::vector<Token> tokens;
        for (unsigned i = 0; i < n; ++i) tokens.push_back(load(hw, i));
        for (const Token& t : tokens) hw.use(t);
    }
    std::unique_ptr<TestMachine> test_;
};

TEST_F(OverlapTest, TenIndependentMissesTakeTheTimeOfOne) {
    build({"memory.latency=50ns"});
    EXPECT_EQ(time([&](HwThread& hw) { independent(hw, 10); }), dram(50) + 10 * kCycle);
}

TEST_F(OverlapTest, TheEleventhWaitsForAFillBuffer) {
    build({"memory.latency=50ns"});
    EXPECT_EQ(time([&](HwThread& hw) { independent(hw, 11); }), 2 * dram(50) + kCycle);
}

TEST_F(OverlapTest, TwentyFiveTakeThreeRounds) {
    build({"memory.latency=50ns"});
    EXPECT_EQ(time([&](HwThread& hw) { independent(hw, 25); }), 3 * dram(50) + 5 * kCycle);
}

TEST_F(OverlapTest, FewerFillBuffersMeanMoreRounds) {
    build({"memory.latency=50ns", "core.fill_buffers=4"});
    EXPECT_EQ(time([&](HwThread& hw) { independent(hw, 10); }), 3 * dram(50) + 2 * kCycle);
}

TEST_F(OverlapTest, WithoutTheLimitAllOverlap) {
    build({"memory.latency=50ns", "ablation.finite_window=false"});
    EXPECT_EQ(time([&](HwThread& hw) { independent(hw, 25); }), dram(50) + 25 * kCycle);
}

TEST_F(OverlapTest, AChainOfDependentMissesPaysForEach) {
    build({"memory.latency=50ns"});
    EXPECT_EQ(time([&](HwThread& hw) {
                  Token t;
                  for (unsigned i = 0; i < 10; ++i) t = load(hw, i, t);
                  hw.use(t);
              }),
              10 * dram(50) + kCycle);
}

TEST_F(OverlapTest, TwoChainsRunBesideEachOther) {
    build({"memory.latency=50ns"});
    EXPECT_EQ(time([&](HwThread& hw) {
                  Token a;
                  Token b;
                  for (unsigned i = 0; i < 5; ++i) {
                      a = load(hw, 2 * i, a);
                      b = load(hw, 2 * i + 1, b);
                  }
                  hw.use(a);
                  hw.use(b);
              }),
              5 * dram(50) + 2 * kCycle);
}

TEST_F(OverlapTest, TwoLoadsOfOneLinePayOnce) {
    build({"memory.latency=50ns"});
    EXPECT_EQ(time([&](HwThread& hw) {
                  const Token a = load(hw, 0);
                  const Token b = hw.load(test_->line_on(0, 0) + 32, 8, kNoField);
                  hw.use(a);
                  hw.use(b);
              }),
              dram(50) + kCycle);
    EXPECT_EQ(test_->counters(0)[Event::kL1dMerge], 1);
}

TEST_F(OverlapTest, HitsGoOnUnderAMiss) {
    build({"memory.latency=500ns"});
    Addr hot = test_->line_on(0, 100);
    EXPECT_EQ(time([&](HwThread& hw) {
                  hw.use(hw.load(hot, 8, kNoField));
                  const Token miss = load(hw, 0);
                  for (int i = 0; i < 50; ++i) hw.load(hot, 8, kNoField);
                  hw.use(miss);
              }),
              2 * dram(500) + 2 * kCycle);
}

// ---- the reorder window ----------------------------------------------------------------------

/// Two misses with `between` instructions between them.
void two_misses(OverlapTest*, HwThread& hw, TestMachine& t, unsigned between) {
    const Token a = hw.load(t.line_on(0, 0), 8, kNoField);
    for (unsigned i = 0; i < between; ++i) hw.execute(1);
    const Token b = hw.load(t.line_on(0, 1), 8, kNoField);
    hw.use(a);
    hw.use(b);
}

TEST_F(OverlapTest, MissesInsideTheWindowOverlap) {
    build({"memory.latency=1000ns"});
    EXPECT_EQ(time([&](HwThread& hw) { two_misses(this, hw, *test_, 166); }),
              dram(1000) + 168 * kCycle);
}

TEST_F(OverlapTest, MissesFurtherApartThanTheWindowDoNot) {
    build({"memory.latency=1000ns"});
    // Instruction 169 after the first miss is the first that has no place.
    EXPECT_NEAR(static_cast<double>(time([&](HwThread& hw) { two_misses(this, hw, *test_, 200); })),
                static_cast<double>(2 * dram(1000) + 33 * kCycle), 2.0 * kCycle);
}

TEST_F(OverlapTest, AShorterWindowIsOneOfThePlatformsFigures) {
    build({"memory.latency=1000ns", "core.window=50"});
    EXPECT_NEAR(static_cast<double>(time([&](HwThread& hw) { two_misses(this, hw, *test_, 100); })),
                static_cast<double>(2 * dram(1000) + 51 * kCycle), 2.0 * kCycle);
}

TEST_F(OverlapTest, ABusySiblingHasHalfOfTheWindow) {
    build({"memory.latency=1000ns"});
    // It polls with PAUSE: it takes no issue slots, but it is not halted.
    test_->background(16, [&](HwThread& hw) {
        hw.spin_until(test_->line_on(0, 900), 8, kNoField, SpinLoop{}, [] { return false; });
    });
    EXPECT_NEAR(static_cast<double>(time([&](HwThread& hw) { two_misses(this, hw, *test_, 100); })),
                static_cast<double>(2 * dram(1000) + (100 - 84 + 1) * kCycle), 2.0 * kCycle);
}

TEST_F(OverlapTest, AnIdleSiblingLeavesTheWholeWindow) {
    build({"memory.latency=1000ns"});
    test_->background(16, [](HwThread& hw) { hw.execute(10); });
    EXPECT_EQ(time([&](HwThread& hw) { two_misses(this, hw, *test_, 100); }),
              dram(1000) + 102 * kCycle);
}

TEST_F(OverlapTest, StraightLineCodeInOnePieceOrInManyTakesTheSameTime) {
    build({"memory.latency=1000ns"});
    EXPECT_NEAR(static_cast<double>(time([&](HwThread& hw) {
                    load(hw, 0);
                    hw.execute(4000);
                })),
                static_cast<double>(dram(1000) + (4000 - 168) * kCycle), 2.0 * kCycle);
}

TEST_F(OverlapTest, WhatNeedsTheValueIsExecutedWhenItIsThere) {
    build({"memory.latency=1000ns", "core.dependent_share=0.5", "core.scheduler=100"});
    // Half of the hundred instructions go on meanwhile and cost nothing; the others come after it.
    EXPECT_NEAR(static_cast<double>(time([&](HwThread& hw) {
                    load(hw, 0);
                    hw.execute(100);
                    hw.fence();
                })),
                static_cast<double>(dram(1000) + (50 + 33) * kCycle), 3.0 * kCycle);
}

TEST_F(OverlapTest, AFullSchedulerEndsTheOverlap) {
    build({"memory.latency=1000ns", "core.dependent_share=0.5", "core.scheduler=20"});
    // Forty instructions fill it; the second miss, a hundred behind the first, starts after that.
    const auto took =
        static_cast<double>(time([&](HwThread& hw) { two_misses(this, hw, *test_, 100); }));
    EXPECT_GT(took, static_cast<double>(2 * dram(1000)));
    EXPECT_LT(took, static_cast<double>(2 * dram(1000) + 110 * kCycle));
}

// Eighty instructions behind a load fill the scheduler of the next three, if one thread has it all.

class SharedSchedulerTest : public OverlapTest {
protected:
    SharedSchedulerTest() {
        build({"memory.latency=1000ns", "core.dependent_share=0.5", "core.scheduler=40"});
    }
    bool sixty_apart_overlap() {
        const auto misses = [this](HwThread& hw) { two_misses(this, hw, *test_, 60); };
        return time(misses) < 3 * dram(1000) / 2;
    }
};

TEST_F(SharedSchedulerTest, AnIdleSiblingLeavesAllOfIt) { EXPECT_TRUE(sixty_apart_overlap()); }

TEST_F(SharedSchedulerTest, ASiblingThatComputesKeepsNoneForLong) {
    test_->background(16, [](HwThread& hw) {
        for (int i = 0; i < 200000; ++i) hw.execute(10);
    });
    EXPECT_TRUE(sixty_apart_overlap());
}

TEST_F(SharedSchedulerTest, ASiblingThatWaitsForALoadLeavesHalf) {
    test_->background(16, [this](HwThread& hw) {
        for (unsigned i = 0; i < 200; ++i) {
            hw.load(test_->line_on(0, 6000 + i), 8, kNoField);
            hw.execute(500);
        }
    });
    EXPECT_FALSE(sixty_apart_overlap());
}

TEST_F(OverlapTest, ABusySiblingTakesIssueSlots) {
    build({"core.smt_issue_share=0.6"});
    test_->background(16, [](HwThread& hw) {
        for (int i = 0; i < 200000; ++i) hw.execute(10);
    });
    const Tick took = time([](HwThread& hw) {
        for (int i = 0; i < 100000; ++i) hw.execute(1);
    });
    EXPECT_NEAR(static_cast<double>(took), 100000 / 0.6 * kCycle, 0.02 * 100000 / 0.6 * kCycle);
}

// ---- drains ----------------------------------------------------------------------------------

TEST_F(OverlapTest, ALockedOperationWaitsForOlderLoads) {
    build({"memory.latency=500ns", "core.lock_rmw=25cycles"});
    const Addr own = test_->line_on(0, 50);
    EXPECT_EQ(time([&](HwThread& hw) {
                  hw.locked(own, 8, kNoField, [] {});  // brings the line
                  hw.fence();
                  hw.synchronise();
                  const Tick start = hw.now();
                  load(hw, 0);
                  hw.locked(own, 8, kNoField, [] {});
                  EXPECT_EQ(hw.now() - start, dram(500) + 26 * kCycle);
              }) > 0,
              true);
}

TEST_F(OverlapTest, NothingIsPulledAboveALockedOperation) {
    build({"memory.latency=500ns", "core.lock_rmw=25cycles"});
    const Addr own = test_->line_on(0, 50);
    time([&](HwThread& hw) {
        hw.locked(own, 8, kNoField, [] {});
        hw.fence();
        hw.synchronise();
        const Tick start = hw.now();
        hw.locked(own, 8, kNoField, [] {});
        hw.use(load(hw, 0));
        EXPECT_EQ(hw.now() - start, 26 * kCycle + kCycle + dram(500));
    });
}

TEST_F(OverlapTest, ABarrierWaitsForLoadsAndStores) {
    build({"memory.latency=500ns", "core.mfence=33cycles"});
    EXPECT_EQ(time([&](HwThread& hw) {
                  hw.store(test_->line_on(0, 1), 8, kNoField);
                  hw.fence();
              }),
              dram(500) + kCycle + 33 * kCycle);
}

// ---- prefetches ------------------------------------------------------------------------------

TEST_F(OverlapTest, ALoadAfterAPrefetchPaysOnlyTheRest) {
    build({"memory.latency=500ns"});
    EXPECT_EQ(time([&](HwThread& hw) {
                  hw.prefetch(test_->line_on(0, 0), kNoField, PrefetchKind::kT0);
                  hw.execute(100);
                  hw.use(load(hw, 0));
              }),
              dram(500) + kCycle);
    EXPECT_EQ(test_->counters(0)[Event::kL1dMerge], 1);
    EXPECT_EQ(test_->counters(0)[Event::kSoftwarePrefetch], 1);
}

TEST_F(OverlapTest, APrefetchItselfWaitsForNothing) {
    build({"memory.latency=500ns"});
    EXPECT_EQ(time([&](HwThread& hw) {
                  for (unsigned i = 0; i < 5; ++i) {
                      hw.prefetch(test_->line_on(0, i), kNoField, PrefetchKind::kNta);
                  }
                  hw.execute(100);
              }),
              105 * kCycle);
}

TEST_F(OverlapTest, APrefetchTakesAFillBuffer) {
    build({"memory.latency=500ns", "core.fill_buffers=2"});
    EXPECT_EQ(time([&](HwThread& hw) {
                  hw.prefetch(test_->line_on(0, 0), kNoField, PrefetchKind::kT0);
                  hw.prefetch(test_->line_on(0, 1), kNoField, PrefetchKind::kT0);
                  hw.use(load(hw, 2));
              }),
              2 * dram(500) + kCycle);
}

}  // namespace
}  // namespace linefill::model
