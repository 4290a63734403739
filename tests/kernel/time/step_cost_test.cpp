// SPDX-License-Identifier: Apache-2.0
// Instructions of the clock's path, against those counted in the compiled kernel (kernel-paths a.2).
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "tests/kernel/time/time_bench.h"

namespace linefill::kernel {
namespace {

/// Instructions of one task_sched_runtime() for a thread that runs on another CPU, of one for a task
/// that does not run, and of a whole clock_gettime() with both in the group.
struct StepCost {
    std::int64_t running = 0, idle = 0, call = 0, locked_ops = 0;
};

StepCost cost_on(const std::string& spec) {
    TimeBench bench(spec);
    StepCost cost;
    bool done = false, ready = false;
    TaskStruct* other = nullptr;
    TaskStruct* sleeper = nullptr;
    bench.run([&] {
        TimeBench::pin(0);
        TimeBench::thread(
            [&] {
                other = &current();
                ready = true;
                TimeBench::burn_until([&] { return done; });
            },
            9);
        TimeBench::thread(
            [&] {
                sleeper = &current();
                sys_nanosleep({0, 100'000'000});
            },
            17);
        TimeBench::burn_until(
            [&] { return ready && sleeper != nullptr && sleeper->on_cpu.peek() == 0; });
        // One tick comes every 4 ms; none must fall into what is counted.
        const auto count = [](model::Event e, const std::function<void()>& body) {
            body();
            TaskCounters::Pair& c = current().counters.of(CounterBank::kCall);
            const auto before = c.user[e] + c.kernel[e];
            body();
            return c.user[e] + c.kernel[e] - before;
        };
        const auto instructions = [&](const std::function<void()>& body) {
            return count(model::Event::kInstructions, body);
        };
        {
            const SyscallScope scope;
            const auto read = [](TaskStruct* t) {
                return [t] { (void)task_sched_runtime(KPtr<TaskStruct>(t)); };
            };
            cost.running = instructions(read(other));
            cost.locked_ops = count(model::Event::kLockedOps, read(other));
            cost.idle = instructions(read(sleeper));
        }
        cost.call = instructions([] { (void)sys_clock_gettime(CpuClock::kProcess); });
        done = true;
    });
    return cost;
}

TEST(StepCostTest, ATaskThatDoesNotRunTakesNineteen) { EXPECT_EQ(cost_on("v4.7-rc7").idle, 19); }

TEST(StepCostTest, ACallIsItsStepsAndTheWayThere) {
    const StepCost cost = cost_on("v4.7-rc7");
    // Two running threads (the caller is one) and one that sleeps; 18 instructions each in the loop,
    // 27 before, 10 behind; 46 + 16 + 30 + 40 from the table to the walk; 45 to 55 at entry and exit.
    const auto walk = 2 * cost.running + cost.idle + 3 * 18 + 27 + 10;
    EXPECT_NEAR(static_cast<double>(cost.call), static_cast<double>(walk + 46 + 16 + 30 + 40 + 50),
                12);
}

}  // namespace
}  // namespace linefill::kernel
