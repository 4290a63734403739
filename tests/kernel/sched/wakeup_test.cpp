// SPDX-License-Identifier: Apache-2.0
// Sleeping and waking: within a socket and across, polling idle loops, counts, preemption.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/sched/fair.h"
#include "kernel/syscall/syscall.h"
#include "tests/kernel/kernel_bench.h"

namespace linefill::kernel {
namespace {

using model::Event;

std::int64_t count_of(const TaskStruct& t, Event e) {
    std::int64_t n = 0;
    for (const TaskCounters::Pair& b : t.counters.bank) n += b.user[e] + b.kernel[e];
    return n;
}

void sleep_until_woken(const bool& woken) {
    const SyscallScope scope;
    for (;;) {
        set_current_state(kTaskInterruptible);
        if (woken) break;
        schedule();
    }
    __set_current_state(kTaskRunning);
}

/// `rounds` round trips between a task on CPU `a` and one on CPU `b`.
struct PingPong {
    std::int64_t switches = 0;
    std::uint64_t ipis = 0;
    double round_us = 0;
};

PingPong ping_pong(int a, int b, int rounds, bool functional = false,
                   const std::string& spec = "v4.7-rc7") {
    BenchOptions options;
    options.functional = functional;
    options.spec = spec;
    options.kernel.draws.init_cpu = false;
    KernelBench bench(options);
    TaskStruct* one = nullptr;
    TaskStruct* two = nullptr;
    bool turn_one = false, turn_two = false;
    model::Tick start = 0, end = 0;
    bench.run([&] {
        one = &current();
        {
            const SyscallScope scope;
            set_cpus_allowed(current(), u64{1} << a);
        }
        two = &start_thread([&] {
            {
                const SyscallScope scope;
                set_cpus_allowed(current(), u64{1} << b);
            }
            for (int i = 0; i < rounds; ++i) {
                sleep_until_woken(turn_two);
                turn_two = false;
                turn_one = true;
                const SyscallScope scope;
                wake_up_process(*one);
            }
        });
        compute(functional ? 5'000'000 : 0);
        model::this_hw_thread().execute(100'000);
        start = model::this_hw_thread().now();
        for (int i = 0; i < rounds; ++i) {
            turn_two = true;
            {
                const SyscallScope scope;
                wake_up_process(*two);
            }
            sleep_until_woken(turn_one);
            turn_one = false;
        }
        end = model::this_hw_thread().now();
    });
    PingPong p;
    p.switches = count_of(*one, Event::kContextSwitches) + count_of(*two, Event::kContextSwitches);
    for (unsigned cpu = 0; cpu < 32; ++cpu) p.ipis += bench.machine().apic(cpu).ipis_sent();
    p.round_us = model::ns_from_ticks(end - start) / 1000 / rounds;
    return p;
}

TEST(Wakeup, PingPongWithinASocketNeedsNoInterrupts) {
    const PingPong p = ping_pong(2, 5, 200);
    EXPECT_GE(p.switches, 390);
    // An idle CPU polls its flags, in the loop as well as in MWAIT.
    EXPECT_LE(p.ipis, 12U);
    EXPECT_GT(p.round_us, 2.0);
    EXPECT_LT(p.round_us, 30.0);
}

TEST(Wakeup, PingPongAcrossSocketsGoesOverTheWakeList) {
    const PingPong p = ping_pong(2, 12, 200);
    EXPECT_GE(p.switches, 390);
    EXPECT_LE(p.ipis, 12U);
    EXPECT_LT(p.round_us, 40.0);
}

TEST(Wakeup, PingPongOnOneCpuSwitchesDirectly) {
    const PingPong p = ping_pong(7, 7, 200);
    EXPECT_GE(p.switches, 390);
    EXPECT_LT(p.round_us, 12.0) << "no idle loop in between";
}

TEST(Wakeup, WorksWithoutCachesToo) { EXPECT_GE(ping_pong(2, 5, 100, true).switches, 190); }

TEST(Wakeup, AcrossSocketsWithoutCaches) { EXPECT_GE(ping_pong(2, 12, 100, true).switches, 190); }

TEST(Wakeup, AndOnV318) { EXPECT_GE(ping_pong(2, 12, 100, false, "v3.18-rc5").switches, 190); }

TEST(Wakeup, ASleeperIsCreditedButNotBeyondHalfALatency) {
    KernelBench bench;
    bench.run_for(
        [&] {
            {
                const SyscallScope scope;
                set_cpus_allowed(current(), u64{1} << 4);
            }
            bool woken = false;
            TaskStruct& sleeper = start_thread([&] {
                sleep_until_woken(woken);
                // Preempts the hog at once: it is behind by more than the wake-up granularity.
                const u64 own = current().se.vruntime.peek();
                const u64 min = kernel().rq(4).cfs.min_vruntime.peek();
                EXPECT_LE(static_cast<s64>(min - own), 12'000'000);
                EXPECT_GE(static_cast<s64>(min - own), 6'000'000);
                model::this_hw_thread().machine().scheduler().stop();
            });
            compute(200'000'000);
            woken = true;
            const SyscallScope scope;
            EXPECT_TRUE(wake_up_process(sleeper));
            EXPECT_TRUE(need_resched());
        },
        model::kSecond);
}

TEST(Wakeup, OnlyTasksInTheStatesAskedForAreWoken) {
    KernelBench bench;
    bench.run([] {
        TaskStruct& t = start_thread([] { compute(30'000'000); });
        compute(10'000'000);
        const SyscallScope scope;
        EXPECT_FALSE(wake_up_process(t)) << "it runs";
    });
}

TEST(Counters, FollowTasksAndSplitByKindOfWork) {
    BenchOptions options;
    options.functional = false;
    KernelBench bench(options);
    bench.run([] {
        for (int i = 0; i < 2; ++i) {
            start_thread([] {
                const model::Tick end = model::this_hw_thread().now() + 20 * model::kMillisecond;
                while (model::this_hw_thread().now() < end) model::this_hw_thread().execute(1000);
            });
        }
    });
    std::int64_t switching = 0;
    for (const auto& t : bench.kernel().tasks()) {
        const TaskCounters& c = t->counters;
        switching += c.of(CounterBank::kSwitch).kernel[Event::kInstructions];
        if (t->name != "thread") continue;
        // 20 ms hold five ticks of 4 ms.
        EXPECT_NEAR(static_cast<double>(count_of(*t, Event::kInterrupts)), 5, 1);
        EXPECT_GT(c.of(CounterBank::kTick).kernel[Event::kInstructions], 5 * 500);
        EXPECT_LT(c.of(CounterBank::kTick).kernel[Event::kInstructions], 5 * 20'000);
        EXPECT_EQ(c.of(CounterBank::kTick).user[Event::kInstructions], 0);
        EXPECT_GT(c.of(CounterBank::kCall).user[Event::kInstructions], 10'000'000);
    }
    // At least main has left its CPU; the last to end stops the machine before it does.
    EXPECT_GT(switching, 400);
}

}  // namespace
}  // namespace linefill::kernel
