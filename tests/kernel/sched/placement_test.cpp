// SPDX-License-Identifier: Apache-2.0
// Where new threads go: to the other socket, then to idle cores, then to siblings.
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/sched/globals.h"
#include "kernel/sched/topology.h"
#include "kernel/syscall/syscall.h"
#include "tests/kernel/kernel_bench.h"

namespace linefill::kernel {
namespace {

struct Spread {
    std::multiset<unsigned> sockets;
    std::multiset<unsigned> cores;
    std::multiset<unsigned> cpus;
};

/// CPUs of `count` hogs, started by a main that then exits, after `limit`.
Spread spread_of(unsigned count, u64 seed, model::Tick limit,
                 const std::string& spec = "v4.7-rc7") {
    BenchOptions options;
    options.spec = spec;
    options.kernel.seed = seed;
    KernelBench bench(options);
    std::vector<TaskStruct*> tasks;
    bench.run_for(
        [&] {
            for (unsigned i = 0; i < count; ++i) {
                compute(20'000);  // mmap of the stack, and so on
                tasks.push_back(&start_thread(hog));
            }
        },
        limit);
    Spread s;
    for (const TaskStruct* t : tasks) {
        const unsigned cpu = host_task_cpu(*t);
        s.cpus.insert(cpu);
        s.cores.insert(bench.machine().core_of(cpu));
        s.sockets.insert(bench.machine().socket_of(cpu));
    }
    return s;
}

template <class T>
std::size_t distinct(const std::multiset<T>& s) {
    return std::set<T>(s.begin(), s.end()).size();
}

TEST(Placement, TwoThreadsGoToTwoSockets) {
    const Spread s = spread_of(2, 1, 300 * model::kMillisecond);
    EXPECT_EQ(distinct(s.sockets), 2U);
}

TEST(Placement, EightThreadsAreFourPerSocketOnCoresOfTheirOwn) {
    const Spread s = spread_of(8, 2, 300 * model::kMillisecond);
    EXPECT_EQ(s.sockets.count(0), 4U);
    EXPECT_EQ(distinct(s.cores), 8U);
}

TEST(Placement, SixteenThreadsGetACoreEach) {
    const Spread s = spread_of(16, 3, 300 * model::kMillisecond);
    EXPECT_EQ(s.sockets.count(0), 8U);
    EXPECT_EQ(distinct(s.cores), 16U);
}

TEST(Placement, ThirtyTwoThreadsFillAllCpus) {
    const Spread s = spread_of(32, 4, 300 * model::kMillisecond);
    EXPECT_EQ(distinct(s.cpus), 32U);
}

TEST(Placement, TheSameOnV318) {
    const Spread s = spread_of(16, 5, 300 * model::kMillisecond, "v3.18-rc5");
    EXPECT_EQ(s.sockets.count(0), 8U);
    EXPECT_EQ(distinct(s.cores), 16U);
}

TEST(Placement, AffinityIsKept) {
    KernelBench bench;
    std::vector<TaskStruct*> tasks;
    bench.run_for(
        [&] {
            set_cpus_allowed(current(), (u64{1} << 2) | (u64{1} << 19));
            for (int i = 0; i < 6; ++i) tasks.push_back(&start_thread(hog));
        },
        200 * model::kMillisecond);
    for (const TaskStruct* t : tasks) {
        const unsigned cpu = host_task_cpu(*t);
        EXPECT_TRUE(cpu == 2 || cpu == 19) << cpu;
    }
}

TEST(Nohz, BusyCountsAndIdleMaskFollowTheCpus) {
    KernelBench bench;
    bench.run_for(
        [] {
            for (int i = 0; i < 12; ++i) start_thread(hog);
        },
        500 * model::kMillisecond);
    unsigned busy = 0;
    for (unsigned cpu = 0; cpu < 32; ++cpu) {
        const bool is_idle = bench.kernel().current_of(cpu).is_idle;
        busy += is_idle ? 0 : 1;
        const u64 flags = bench.kernel().rq(cpu).nohz_flags.peek();
        EXPECT_EQ((flags & kNohzTickStopped) != 0, is_idle) << "CPU " << cpu;
        EXPECT_EQ(sched_globals().nohz_idle_cpus_mask.peek() >> cpu & 1, is_idle ? 1U : 0U);
    }
    EXPECT_EQ(busy, 12U);
    EXPECT_EQ(sched_globals().nohz_nr_cpus.peek(), 20);
    int counted = 0;
    for (const unsigned cpu : {0U, 8U}) {  // one of each socket
        const SchedDomain* numa = bench.kernel().topology().llc(cpu)->parent.peek();
        counted += numa->groups.peek()->sgc.peek()->nr_busy_cpus.peek();
    }
    EXPECT_EQ(counted, 12);
}

TEST(Domains, AreSmtMcAndNuma) {
    const KernelBench bench;
    for (unsigned cpu = 0; cpu < 32; ++cpu) {
        const SchedDomain* smt = kernel().topology().lowest(cpu);
        ASSERT_NE(smt, nullptr);
        EXPECT_EQ(smt->name, "SMT");
        EXPECT_EQ(smt->span_weight.peek(), 2U);
        const SchedDomain* mc = smt->parent.peek();
        ASSERT_NE(mc, nullptr);
        EXPECT_EQ(mc->name, "MC");
        EXPECT_EQ(mc->span_weight.peek(), 16U);
        EXPECT_EQ(kernel().topology().llc(cpu), mc);
        const SchedDomain* numa = mc->parent.peek();
        ASSERT_NE(numa, nullptr);
        EXPECT_EQ(numa->span.peek(), 0xffffffffU);
        EXPECT_EQ(numa->parent.peek(), nullptr);
        // Each ring begins at the CPU's own group and comes back to it.
        for (const SchedDomain* d : {smt, mc, numa}) {
            const SchedGroup* first = d->groups.peek();
            EXPECT_EQ(first->cpumask.peek() >> cpu & 1, 1U);
            u64 seen = 0;
            const SchedGroup* g = first;
            do {
                EXPECT_EQ(seen & g->cpumask.peek(), 0U);
                seen |= g->cpumask.peek();
                g = g->next.peek();
            } while (g != first);
            EXPECT_EQ(seen, d->span.peek());
        }
    }
}

}  // namespace
}  // namespace linefill::kernel
