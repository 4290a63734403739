// SPDX-License-Identifier: Apache-2.0
// Threads begin and end; the zombie leader; what the group keeps of those that have gone.
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/syscall/syscall.h"
#include "kernel/time/cputime.h"
#include "model/sim/error.h"
#include "tests/kernel/kernel_bench.h"

namespace linefill::kernel {
namespace {

std::vector<const TaskStruct*> thread_list(const SignalStruct& sig) {
    std::vector<const TaskStruct*> list;
    for (const TaskStruct* t = sig.thread_head.next.peek(); t != nullptr;
         t = t->thread_node.next.peek()) {
        list.push_back(t);
    }
    return list;
}

TEST(Exit, ALeaderThatHasExitedStaysOnTheListUntilTheLastThreadIsGone) {
    KernelBench bench;
    TaskStruct* leader = nullptr;
    std::vector<TaskStruct*> threads;
    bool checked = false;
    bench.run([&] {
        leader = &current();
        for (int i = 0; i < 3; ++i) {
            threads.push_back(&start_thread([&, i] {
                compute(10'000'000 + static_cast<u64>(i) * 20'000'000);
                if (i != 2) return;
                // The leader and the two others have exited long since.
                const SignalStruct& sig = *leader->signal.peek();
                EXPECT_EQ(leader->exit_state.peek(), kExitZombie);
                EXPECT_EQ(leader->on_cpu.peek(), 0);
                EXPECT_EQ(leader->on_rq.peek(), 0);
                EXPECT_EQ(thread_list(sig), (std::vector<const TaskStruct*>{leader, threads[2]}));
                EXPECT_EQ(sig.nr_threads.peek(), 2);
                EXPECT_EQ(threads[0]->exit_state.peek(), kExitDead);
                checked = true;
            }));
        }
    });
    EXPECT_TRUE(checked);
    const SignalStruct& sig = *leader->signal.peek();
    EXPECT_TRUE(thread_list(sig).empty());
    EXPECT_EQ(sig.nr_threads.peek(), 0);
    EXPECT_EQ(sig.live.peek(), 0);
    EXPECT_EQ(leader->exit_state.peek(), kExitDead);
    EXPECT_EQ(bench.kernel().live_tasks(), 0U);
}

TEST(Exit, TheGroupKeepsTheTimesOfThreadsThatAreGone) {
    KernelBench bench;
    SignalStruct* sig = nullptr;
    bench.run([&] {
        sig = current().signal.peek();
        for (int i = 0; i < 4; ++i) start_thread([] { compute(25'000'000); });
        compute(60'000'000);
        TaskCputime sum;
        const SyscallScope scope;
        thread_group_cputime(&current(), &sum);
        // What passed since its last tick or switch an exiting thread does not account for.
        EXPECT_LE(sum.sum_exec_runtime, 161'000'000U);
        EXPECT_GE(sum.sum_exec_runtime, 160'000'000U - 4 * 4'000'000U);
    });
    EXPECT_LE(sig->sum_sched_runtime.peek(), 161'000'000U);
    EXPECT_GE(sig->sum_sched_runtime.peek(), 160'000'000U - 5 * 4'000'000U);
}

TEST(Exit, ThreadsAreListedInTheOrderOfTheirCreation) {
    KernelBench bench;
    bench.run([] {
        std::vector<const TaskStruct*> expected{&current()};
        for (int i = 0; i < 10; ++i) expected.push_back(&start_thread([] { compute(50'000'000); }));
        EXPECT_EQ(thread_list(*current().signal.peek()), expected);
        for (std::size_t i = 1; i < expected.size(); ++i) {
            EXPECT_EQ(expected[i]->group_leader.peek(), &current());
            EXPECT_EQ(expected[i]->tgid.peek(), current().host_pid);
            EXPECT_GT(expected[i]->host_pid, expected[i - 1]->host_pid);
        }
    });
}

TEST(Exit, MemoryOfThreadsIsUsedAgain) {
    KernelBench bench;
    std::set<Addr> structs;
    bench.run([&] {
        for (int i = 0; i < 40; ++i) {
            structs.insert(start_thread([] {}).place.base);
            compute(2'000'000);
        }
    });
    EXPECT_LT(structs.size(), 8U);
}

TEST(Exit, MmCountsReturnToWhereTheyWere) {
    KernelBench bench;
    MmStruct* mm = nullptr;
    bench.run([&] {
        mm = current().mm.peek();
        for (int i = 0; i < 20; ++i) start_thread([] { compute(3'000'000); });
        compute(10'000'000);
        EXPECT_EQ(mm->mm_users.peek(), 1);
    });
    EXPECT_EQ(mm->mm_users.peek(), 0);
    // Every idle CPU that still borrows it holds one; one is the users' own.
    int borrowers = 0;
    for (unsigned cpu = 0; cpu < 32; ++cpu) {
        borrowers += bench.kernel().idle_task(cpu).active_mm.peek() == mm ? 1 : 0;
    }
    // The last task has left its mm, but not yet its CPU.
    EXPECT_EQ(mm->mm_count.peek(), 1 + borrowers + 1);
}

TEST(Exit, ASleepThatNobodyEndsIsADeadlockThatNamesTheSleeper) {
    KernelBench bench;
    try {
        bench.run([] {
            const SyscallScope scope;
            current().waiting_for = "a wake-up that never comes";
            set_current_state(kTaskInterruptible);
            schedule();
        });
        FAIL() << "the run ended";
    } catch (const model::SimulationError&) {
        const std::string report = bench.kernel().describe_waiters();
        EXPECT_NE(report.find("task main/1001: sleeps for a wake-up that never comes"),
                  std::string::npos)
            << report;
    }
}

}  // namespace
}  // namespace linefill::kernel
