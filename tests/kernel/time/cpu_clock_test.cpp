// SPDX-License-Identifier: Apache-2.0
// The CPU clocks of processes and threads: right, and never going back.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/time/clock.h"
#include "tests/kernel/time/time_bench.h"

namespace linefill::kernel {
namespace {

class EveryKernelTest : public testing::TestWithParam<const char*> {};

std::string test_name(const testing::TestParamInfo<const char*>& info) {
    std::string name = info.param;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Kernels, EveryKernelTest,
                         testing::Values("v3.18-rc5", "v3.18-rc5+update-curr-on-clock-read",
                                         "v4.7-rc7", "v4.7-rc7+prefetch-curr-exec-start",
                                         "v4.7-rc7+no-pending-runtime",
                                         "v4.7-rc7+prefetch-curr-exec-start+no-pending-runtime"),
                         test_name);

TEST_P(EveryKernelTest, AThreadsClockIsTheTimeItRan) {
    TimeBench bench(GetParam());
    double ran = 0, shown = 0;
    bench.run([&] {
        const double start = ns_of(sys_clock_gettime(CpuClock::kThread));
        const model::Tick from = model::this_hw_thread().now();
        TimeBench::burn(3 * kMs);
        shown = ns_of(sys_clock_gettime(CpuClock::kThread)) - start;
        ran = model::ns_from_ticks(model::this_hw_thread().now() - from);
    });
    EXPECT_NEAR(shown, ran, 0.002 * kMs);
}

TEST_P(EveryKernelTest, TheProcessClockAddsUpAllThreads) {
    TimeBench bench(GetParam());
    double shown = 0, elapsed = 0;
    unsigned ready = 0;
    bool done = false;
    bench.run([&] {
        for (int i = 0; i < 3; ++i) {
            TimeBench::thread([&] {
                ++ready;
                TimeBench::burn_until([&] { return done; });
            });
        }
        TimeBench::burn_until([&] { return ready == 3; });
        const double start = ns_of(sys_clock_gettime(CpuClock::kProcess));
        const model::Tick from = model::this_hw_thread().now();
        TimeBench::burn(20 * kMs);
        shown = ns_of(sys_clock_gettime(CpuClock::kProcess)) - start;
        elapsed = model::ns_from_ticks(model::this_hw_thread().now() - from);
        done = true;
    });
    // Values that leave out pending time are up to a tick (4 ms) old per thread.
    const bool stale = std::string(GetParam()).find("no-pending") != std::string::npos;
    EXPECT_NEAR(shown, 4 * elapsed, stale ? 12 * kMs : 0.1 * kMs);
}

/// Six threads read the process's clock all the time; returns how often one saw it go back. They end
/// together, or one by one while others read.
unsigned steps_back(const char* spec, bool end_together) {
    TimeBench bench(spec);
    unsigned backwards = 0, reads = 0, reading = 6;
    bench.run([&] {
        for (int i = 0; i < 6; ++i) {
            TimeBench::thread([&, i] {
                double last = 0;
                for (int n = 0; n < 40 * (i + 1); ++n) {
                    const double now = ns_of(sys_clock_gettime(CpuClock::kProcess));
                    if (now < last) ++backwards;
                    last = now;
                    ++reads;
                    model::this_hw_thread().execute(2000);
                }
                --reading;
                if (end_together) TimeBench::burn_until([&] { return reading == 0; });
            });
        }
        if (end_together) TimeBench::burn_until([&] { return reading == 0; });
    });
    EXPECT_EQ(reads, 40U * 21);
    return backwards;
}

TEST_P(EveryKernelTest, NoReaderSeesTheProcessClockGoBack) {
    EXPECT_EQ(steps_back(GetParam(), true), 0U);
}

TEST_P(EveryKernelTest, NorWhenThreadsEndMeanwhile) {
    // What a thread has pending when it ends is in nobody's sum. A reader that only looked at it had
    // shown it; one that brings the thread's accounting up to date has it stored.
    if (std::string(GetParam()) == "v3.18-rc5") {
        EXPECT_GT(steps_back(GetParam(), false), 0U);
    } else {
        EXPECT_EQ(steps_back(GetParam(), false), 0U);
    }
}

TEST_P(EveryKernelTest, TimesGoesForwardAndAddsUpToTheRunTime) {
    TimeBench bench(GetParam());
    std::vector<Tms> seen;
    double process_ns = 0;
    bench.run([&] {
        for (int i = 0; i < 25; ++i) {
            TimeBench::burn(4 * kMs);
            seen.push_back(sys_times());
        }
        process_ns = ns_of(sys_clock_gettime(CpuClock::kProcess));
    });
    for (std::size_t i = 1; i < seen.size(); ++i) {
        EXPECT_GE(seen[i].utime, seen[i - 1].utime);
        EXPECT_GE(seen[i].stime, seen[i - 1].stime);
    }
    // In hundredths of a second; each of the two is rounded down.
    const double sum = static_cast<double>(seen.back().utime + seen.back().stime);
    EXPECT_NEAR(sum, process_ns / 1e7, 2.0);
    EXPECT_GT(seen.back().utime, 5 * seen.back().stime);  // it burns in user mode
}

TEST(SchedClockTest, IsTheTimeSinceBootOnEveryCpu) {
    TimeBench bench("v4.7-rc7");
    bench.run([&] {
        for (const int cpu : {0, 5, 12, 31}) {
            TimeBench::pin(cpu);
            const SyscallScope scope;
            const double before = model::ns_from_ticks(model::this_hw_thread().now());
            const auto shown = static_cast<double>(sched_clock());
            const double after = model::ns_from_ticks(model::this_hw_thread().now());
            EXPECT_GE(shown, before - 1);
            EXPECT_LE(shown, after);
        }
    });
}

TEST(SchedClockTest, TakesEighteenInstructions) {
    TimeBench bench("v4.7-rc7");
    model::Counters own;
    bench.run([&] {
        const SyscallScope scope;
        (void)sched_clock();
        model::HwThread& hw = model::this_hw_thread();
        const auto before = hw.counters()[model::Event::kInstructions];
        (void)sched_clock();
        EXPECT_EQ(hw.counters()[model::Event::kInstructions] - before, 18);
    });
}

}  // namespace
}  // namespace linefill::kernel
