// SPDX-License-Identifier: Apache-2.0
// clock_nanosleep on the process CPU clock: without 6e998916dfe3 it may return before its time.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "kernel/time/tick.h"
#include "tests/kernel/time/time_bench.h"

namespace linefill::kernel {
namespace {

struct Wakeups {
    unsigned sleeps = 0, early = 0;
    double earliest = 0;  ///< ns before the time asked for, most of all sleeps
    double latest = 0;    ///< ns after it
};

/// Three threads burn CPU time; the first one sleeps until the process's clock is 10 ms on, then looks
/// at that clock. Sleeps begin at different distances from the threads' ticks.
Wakeups sleep_on_the_process_clock(const std::string& spec) {
    TimeBench bench(spec);
    Wakeups w;
    bool done = false;
    unsigned ready = 0;
    bench.run([&] {
        TimeBench::pin(4);
        for (int cpu = 0; cpu < 3; ++cpu) {
            TimeBench::thread(
                [&] {
                    ++ready;
                    TimeBench::burn_until([&] { return done; });
                },
                cpu);
        }
        TimeBench::burn_until([&] { return ready == 3; });
        for (int i = 0; i < 8; ++i) {
            TimeBench::burn((0.3 + 0.5 * i) * kMs);
            const double until = ns_of(sys_clock_gettime(CpuClock::kProcess)) + 10 * kMs;
            sys_clock_nanosleep(CpuClock::kProcess, true,
                                {static_cast<std::int64_t>(until / 1e9),
                                 static_cast<std::int64_t>(until) % 1'000'000'000});
            const double now = ns_of(sys_clock_gettime(CpuClock::kProcess));
            ++w.sleeps;
            if (now < until) ++w.early;
            w.earliest = std::max(w.earliest, until - now);
            w.latest = std::max(w.latest, now - until);
        }
        done = true;
    });
    return w;
}

TEST(CpuNanosleepTest, TheParentOfTheFixWakesEarly) {
    const Wakeups w = sleep_on_the_process_clock("v3.18-rc5");
    EXPECT_EQ(w.sleeps, 8U);
    EXPECT_GE(w.early, 1U);
    EXPECT_GT(w.earliest, 0.1 * kMs);
}

TEST(CpuNanosleepTest, WithTheFixNobodyWakesEarly) {
    const Wakeups w = sleep_on_the_process_clock("v3.18-rc5+update-curr-on-clock-read");
    EXPECT_EQ(w.sleeps, 8U);
    EXPECT_EQ(w.early, 0U) << w.earliest << " ns";
    // Expiry is noticed in a running thread's tick: up to 4 ms later, in which three threads run.
    EXPECT_LT(w.latest, 3 * 4.5 * kMs);
}

TEST(CpuNanosleepTest, LaterKernelsDoNotWakeEarly) {
    const Wakeups w = sleep_on_the_process_clock("v4.7-rc7");
    EXPECT_EQ(w.sleeps, 8U);
    EXPECT_EQ(w.early, 0U) << w.earliest << " ns";
    EXPECT_LT(w.latest, 3 * 4.5 * kMs);
}

TEST(CpuNanosleepTest, ATimeThatHasPassedDoesNotSleep) {
    TimeBench bench("v4.7-rc7");
    bench.run([&] {
        TimeBench::burn(1 * kMs);
        const model::Tick before = model::this_hw_thread().now();
        sys_clock_nanosleep(CpuClock::kProcess, true, {0, 1000});
        EXPECT_LT(model::this_hw_thread().now() - before, model::ticks_from_ns(0.1 * kMs));
    });
}

TEST(NanosleepTest, SleepsTheTimeAskedForAndTheSlackAtMost) {
    TimeBench bench("v4.7-rc7");
    bench.run([&] {
        for (const double ms : {0.2, 1.0, 9.7}) {
            const model::Tick before = model::this_hw_thread().now();
            sys_nanosleep({0, static_cast<std::int64_t>(ms * kMs)});
            const double slept = model::ns_from_ticks(model::this_hw_thread().now() - before);
            EXPECT_GE(slept, ms * kMs);
            EXPECT_LT(slept, ms * kMs + 0.1 * kMs);
        }
    });
}

TEST(TickTest, AnIdleCpuStopsItsTickAndABusyOneHasOneEveryFourMilliseconds) {
    TimeBench bench("v4.7-rc7");
    bench.run([&] {
        TimeBench::pin(3);
        const auto ticks = [] { return kernel().percpu(3).irq_stat.peek(); };
        (void)ticks;
        model::HwThread& hw = model::this_hw_thread();
        TimeBench::burn(8 * kMs);
        const auto before = hw.counters()[model::Event::kInterrupts];
        (void)before;
        EXPECT_FALSE(tick_nohz_tick_stopped(3));
        EXPECT_TRUE(tick_nohz_tick_stopped(20));
        const u64 next = next_tick_ns(3);
        TimeBench::burn(4 * kMs);
        EXPECT_EQ(next_tick_ns(3), next + 4'000'000);
    });
}

}  // namespace
}  // namespace linefill::kernel
