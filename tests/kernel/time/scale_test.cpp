// SPDX-License-Identifier: Apache-2.0
// The arithmetic of CPU times: scaling, conversion.
#include <gtest/gtest.h>

#include "kernel/time/clock.h"
#include "kernel/time/cputime.h"
#include "model/sim/random.h"

namespace linefill::kernel {
namespace {

u64 exact(u64 stime, u64 rtime, u64 total) {
    return static_cast<u64>(static_cast<unsigned __int128>(stime) * rtime / total);
}

TEST(ScaleStimeTest, IsExactWhileFactorsFitThirtyTwoBits) {
    model::Random random(1, "scale");
    for (int i = 0; i < 20000; ++i) {
        const u64 total = 1 + random.below(0xffffffff);
        const u64 stime = random.below(total + 1);
        const u64 rtime = random.below(0x100000000);
        EXPECT_EQ(scale_stime(stime, rtime, total), exact(stime, rtime, total));
    }
}

TEST(ScaleStimeTest, ByHand) {
    EXPECT_EQ(scale_stime(1, 3, 2), 1U);
    EXPECT_EQ(scale_stime(250, 1000, 1000), 250U);
    EXPECT_EQ(scale_stime(0, 7, 9), 0U);
    EXPECT_EQ(scale_stime(9, 7, 9), 7U);
    EXPECT_EQ(scale_stime(3, u64{1} << 40, 4), u64{3} << 38);
}

TEST(ScaleStimeTest, BeyondThatLosesLessThanAPartInAHundredThousand) {
    model::Random random(2, "scale");
    for (int i = 0; i < 20000; ++i) {
        const u64 total = (u64{1} << 33) + random.below(u64{1} << 44);
        const u64 stime = total / 1000 + random.below(total - total / 1000);
        const u64 rtime = (u64{1} << 33) + random.below(u64{1} << 44);
        const auto truth = static_cast<double>(exact(stime, rtime, total));
        EXPECT_NEAR(static_cast<double>(scale_stime(stime, rtime, total)), truth, 1 + truth * 1e-5);
    }
}

TEST(CputimeConversionTest, TicksAndHundredths) {
    clock_data().tick_ns = 4'000'000;  // HZ=250
    EXPECT_EQ(nsecs_to_cputime(3'999'999), 0U);
    EXPECT_EQ(nsecs_to_cputime(4'000'000), 1U);
    EXPECT_EQ(cputime_to_clock_t(5), 2U);
    EXPECT_EQ(cputime_to_clock_t(250), 100U);
    clock_data().tick_ns = 1'000'000;  // HZ=1000
    EXPECT_EQ(cputime_to_clock_t(999), 99U);
}

}  // namespace
}  // namespace linefill::kernel
