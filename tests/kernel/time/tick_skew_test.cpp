// SPDX-License-Identifier: Apache-2.0
// When the CPUs' ticks come, relative to one another.
#include <map>

#include <gtest/gtest.h>

#include "kernel/syscall/syscall.h"
#include "tests/kernel/kernel_bench.h"

namespace linefill::kernel {
namespace {

/// When the first tick after 20 ms comes on each of CPUs 0 to 3 while they compute, in ns.
std::map<unsigned, double> first_ticks(const std::vector<std::string>& boot) {
    BenchOptions options;
    options.boot = boot;
    KernelBench bench(options);
    std::map<unsigned, double> at;
    bench.run_for(
        [&] {
            for (unsigned cpu = 0; cpu < 4; ++cpu) {
                start_thread([&at, cpu] {
                    {
                        const SyscallScope scope;
                        set_cpus_allowed(current(), u64{1} << cpu);
                    }
                    compute(20'000'000 -
                            static_cast<u64>(model::ns_from_ticks(model::this_hw_thread().now())));
                    // Nothing else runs on the CPU, and only the tick interrupts it.
                    (void)model::this_hw_thread().advance_some(10 * model::kMillisecond);
                    at[cpu] = model::ns_from_ticks(model::this_hw_thread().now());
                    hog();
                });
            }
            hog();
        },
        40 * model::kMillisecond);
    return at;
}

TEST(TickSkewTest, AllCpusTickAtTheSameTime) {
    const std::map<unsigned, double> at = first_ticks({});
    ASSERT_EQ(at.size(), 4U);
    for (const auto& [cpu, ns] : at) EXPECT_NEAR(ns, at.at(0), 1) << cpu;
}

TEST(TickSkewTest, SkewedTheyComeOneAfterAnotherWithinHalfATick) {
    const std::map<unsigned, double> at = first_ticks({"skew_tick=1"});
    ASSERT_EQ(at.size(), 4U);
    // Half of 4 ms over 32 CPUs.
    for (const auto& [cpu, ns] : at) EXPECT_NEAR(ns - at.at(0), 62'500.0 * cpu, 1) << cpu;
}

}  // namespace
}  // namespace linefill::kernel
