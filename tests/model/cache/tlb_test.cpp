// SPDX-License-Identifier: Apache-2.0
// TLBs: reach, second level, page sizes, flushes; and walks as accesses see them.
#include "model/cache/tlb.h"

#include <gtest/gtest.h>

#include "model/core/core.h"
#include "tests/model/test_machine.h"

namespace linefill::model {
namespace {

constexpr Addr kPage = 4096;

Addr user(Addr page) { return kSmallPageBit | (page * kPage); }

TEST(TlbArrayTest, ForgetsTheLeastRecentlyUsedPageOfItsSet) {
    TlbArray t(TlbConfig{8, 4});  // two sets
    for (const Addr page : {0U, 2U, 4U, 6U}) t.fill(page);
    EXPECT_TRUE(t.lookup(0));
    t.fill(8);  // 2 is the oldest
    EXPECT_FALSE(t.lookup(2));
    for (const Addr page : {0U, 4U, 6U, 8U}) EXPECT_TRUE(t.lookup(page)) << page;
    t.fill(1);  // the other set
    EXPECT_TRUE(t.lookup(0));
    t.flush();
    EXPECT_FALSE(t.lookup(0));
}

TEST(TlbsTest, SmallPagesReachSixtyFourThenTheSecondLevelThenAWalk) {
    Tlbs t(test_platform().tlb);
    const auto pass = [&](unsigned pages, TlbResult expected) {
        for (Addr page = 0; page < pages; ++page) {
            EXPECT_EQ(t.data(user(page)), expected) << page << " of " << pages;
        }
    };
    pass(64, TlbResult::kWalk);
    pass(64, TlbResult::kHit);
    for (Addr page = 64; page < 512; ++page) EXPECT_EQ(t.data(user(page)), TlbResult::kWalk);
    pass(512, TlbResult::kStlbHit);
    for (Addr page = 512; page < 1100; ++page) EXPECT_EQ(t.data(user(page)), TlbResult::kWalk);
    pass(64, TlbResult::kWalk);
}

TEST(TlbsTest, StaticKernelDataLiesInThePagesOfTheImage) {
    Tlbs t(test_platform().tlb);
    const Addr symbol = kImageBit | (Addr{16} << 20);
    EXPECT_EQ(t.data(symbol), TlbResult::kWalk);
    // Four giant pages, all that there is room for: none is in the other's way.
    for (Addr page = 0; page < 4; ++page) EXPECT_EQ(t.data(page << 30), TlbResult::kWalk);
    EXPECT_EQ(t.data(symbol + (Addr{2} << 20) - 8), TlbResult::kHit);
    EXPECT_EQ(t.data(symbol + (Addr{2} << 20)), TlbResult::kWalk) << "the next page of 2 MiB";
    for (Addr page = 0; page < 4; ++page) EXPECT_EQ(t.data(page << 30), TlbResult::kHit);
}

TEST(TlbsTest, AnImagePageIsNotThatOfTheLinearMapOverTheSameMemory) {
    Tlbs t(test_platform({"tlb.linear_map_page=2MiB"}).tlb);
    const Addr at = Addr{16} << 20;
    EXPECT_EQ(t.data(at), TlbResult::kWalk);
    EXPECT_EQ(t.data(kImageBit | at), TlbResult::kWalk);
    EXPECT_EQ(t.data(at), TlbResult::kHit);
}

TEST(TlbsTest, TheLinearMapUsesItsOwnPageSize) {
    Tlbs giant(test_platform().tlb);
    EXPECT_EQ(giant.data(0), TlbResult::kWalk);
    EXPECT_EQ(giant.data((Addr{1} << 30) - 8), TlbResult::kHit);
    EXPECT_EQ(giant.data(Addr{1} << 30), TlbResult::kWalk);
    Tlbs large(test_platform({"tlb.linear_map_page=2MiB"}).tlb);
    EXPECT_EQ(large.data(0), TlbResult::kWalk);
    EXPECT_EQ(large.data((Addr{2} << 20) - 8), TlbResult::kHit);
    EXPECT_EQ(large.data(Addr{2} << 20), TlbResult::kWalk);
}

TEST(TlbsTest, AFlushKeepsTheKernelsGlobalPages) {
    Tlbs t(test_platform().tlb);
    (void)t.data(user(3));
    (void)t.data(5);
    t.flush_non_global();
    EXPECT_EQ(t.data(5), TlbResult::kHit);
    EXPECT_EQ(t.data(user(3)), TlbResult::kWalk);
}

TEST(TlbWalkTest, CostsTheWalkAndTheAccessToTheLastEntry) {
    TestMachine t(
        test_platform({"tlb.walk.latency=27cycles", "tlb.stlb.hit=7cycles"}, round_figures()));
    constexpr Tick kCycle = 500 * kPicosecond;
    t.on(0, [&](HwThread& hw) {
        const Addr line = t.line_on(0, 0) & ~(kPage - 1);
        const auto timed = [&](Addr addr) {
            hw.fence();
            hw.synchronise();
            const Tick start = hw.now();
            hw.use(hw.load(addr, 8, kNoField));
            return hw.now() - start;
        };
        const auto page = [&](Addr n) { return kSmallPageBit | (line + n * kPage); };
        // Bring the data and the neighbouring entries of the page table in.
        for (Addr n = 0; n < 2; ++n) hw.use(hw.load(page(n), 8, kNoField));
        EXPECT_EQ(timed(page(1)), (1 + 4) * kCycle);
        hw.core().tlbs().flush_non_global();
        // Entry and data are both in L1D: 27 cycles of walk, 4 for the entry, 4 for the data.
        EXPECT_EQ(timed(page(1)), (1 + 27 + 4 + 4) * kCycle);
        for (Addr n = 2; n < 400; ++n) hw.use(hw.load(page(n), 8, kNoField));
        hw.use(hw.load(line + kPage, 8, kNoField));  // the data again, by the linear map
        EXPECT_EQ(timed(page(1)), (1 + 7 + 4) * kCycle);
    });
    t.run();
    EXPECT_GE(t.counters(0)[Event::kDtlbWalkLoad], 400);
    EXPECT_LE(t.counters(0)[Event::kDtlbWalkLoad], 404);
}

}  // namespace
}  // namespace linefill::model
