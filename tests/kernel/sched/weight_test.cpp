// SPDX-License-Identifier: Apache-2.0
// Weights, fixed-point division by them, slices.
#include "kernel/sched/weight.h"

#include <cmath>

#include <gtest/gtest.h>

#include "kernel/sched/fair.h"
#include "kernel/sched/globals.h"
#include "model/sim/random.h"
#include "tests/kernel/kernel_bench.h"

namespace linefill::kernel {
namespace {

TEST(Weight, EachNiceLevelIsAQuarterFromTheNext) {
    EXPECT_EQ(nice_weight(0), 1024U);
    EXPECT_EQ(nice_weight(-20), 88761U);
    EXPECT_EQ(nice_weight(19), 15U);
    for (int nice = -20; nice < 10; ++nice) {
        const double ratio = static_cast<double>(nice_weight(nice)) / nice_weight(nice + 1);
        EXPECT_NEAR(ratio, 1.25, 0.035) << nice;
    }
}

TEST(Weight, InverseTableIsTwoToTheThirtyTwoOverWeight) {
    for (int nice = -20; nice <= 19; ++nice) {
        const double exact = 4294967296.0 / nice_weight(nice);
        EXPECT_NEAR(nice_inverse(nice), exact, 1.0) << nice;
        EXPECT_NEAR(inverse_of(nice_weight(nice)), exact, 1.0) << nice;
    }
    EXPECT_EQ(inverse_of(1024), 4194303U) << "the divisor is 2^32 - 1";
    EXPECT_EQ(inverse_of(0), 0xffffffffU);
    EXPECT_EQ(inverse_of(~u64{0}), 1U);
}

TEST(Weight, FixedPointDeltaIsTheExactQuotientToOnePartInAMillion) {
    model::Random random(7, "delta");
    for (int i = 0; i < 20000; ++i) {
        const u64 delta = random.below(4'000'000'000ULL) + 1;
        const u64 weight = random.below(88761) + 2;
        const u64 total = random.below(10'000'000) + 15;
        const u64 got = scale_delta(delta, weight, inverse_of(total));
        const auto exact = static_cast<u64>(static_cast<unsigned __int128>(delta) * weight / total);
        // The inverse has at least 32 - log2(total) bits, and the product is cut to 32.
        const double tolerance =
            1.0 +
            static_cast<double>(exact) * (static_cast<double>(total) / 4294967296.0 * 1.01 + 1e-9);
        EXPECT_NEAR(static_cast<double>(got), static_cast<double>(exact), tolerance)
            << delta << " * " << weight << " / " << total;
        EXPECT_LE(got, exact) << "rounds down";
    }
}

TEST(Weight, FixedPointDeltaOfKnownCases) {
    // 1 ms of a nice-0 task in a queue of two, three and eight of them.
    EXPECT_EQ(scale_delta(1'000'000, 1024, 2097152), 500'000U);
    EXPECT_EQ(scale_delta(24'000'000, 1024, 1398101),
              24'000'000ULL * 1024 * 1398101 / 4294967296ULL);
    EXPECT_EQ(inverse_of(3 * 1024), 1398101U);
    EXPECT_EQ(scale_delta(1'000'000, 1024, 4194304 / 8), 125'000U);
}

TEST(Slice, TunablesScaleWithTheLogarithmOfCpus) {
    EXPECT_EQ(sched_tunables(1).latency_ns, 6'000'000U);
    EXPECT_EQ(sched_tunables(2).latency_ns, 12'000'000U);
    EXPECT_EQ(sched_tunables(4).latency_ns, 18'000'000U);
    EXPECT_EQ(sched_tunables(4).min_granularity_ns, 2'250'000U);
    for (const unsigned cpus : {8U, 16U, 32U, 64U}) {
        EXPECT_EQ(sched_tunables(cpus).latency_ns, 24'000'000U);
        EXPECT_EQ(sched_tunables(cpus).min_granularity_ns, 3'000'000U);
        EXPECT_EQ(sched_tunables(cpus).wakeup_granularity_ns, 4'000'000U);
    }
}

TEST(Slice, PeriodStretchesBeyondEightTasks) {
    const KernelBench bench;
    EXPECT_EQ(sched_period(1), 24'000'000U);
    EXPECT_EQ(sched_period(8), 24'000'000U);
    EXPECT_EQ(sched_period(9), 27'000'000U);
    EXPECT_EQ(sched_period(32), 96'000'000U);
}

}  // namespace
}  // namespace linefill::kernel
