// SPDX-License-Identifier: Apache-2.0
// Spinlocks on the modelled machine: exclusion, order, the accesses that a hand-over makes.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/kernel/lock/lock_bench.h"

namespace linefill::kernel {
namespace {

constexpr double kMicro = 1000;  // ns

class BothKindsTest : public testing::TestWithParam<LockKind> {};

INSTANTIATE_TEST_SUITE_P(Locks, BothKindsTest,
                         testing::Values(LockKind::kTicket, LockKind::kQueued),
                         [](const auto& info) {
                             return info.param == LockKind::kTicket ? "Ticket" : "Queued";
                         });

TEST_P(BothKindsTest, OneHolderAtATime) {
    LockBench bench(GetParam());
    RawSpinlock lock(bench.line(), LockBench::field("lock"));
    const Addr counter = bench.line();
    int inside = 0, most = 0, entries = 0;
    for (const unsigned cpu : {0U, 3U, 9U, 16U, 20U, 31U}) {
        bench.on(cpu, 0, [&](model::HwThread& hw) {
            for (int i = 0; i < 50; ++i) {
                lock.lock();
                most = std::max(most, ++inside);
                hw.load(counter, 8, LockBench::field("counter"));
                hw.store(counter, 8, LockBench::field("counter"));
                hw.execute(20);
                ++entries;
                --inside;
                lock.unlock();
                hw.execute(30);
            }
        });
    }
    bench.run();
    EXPECT_EQ(most, 1);
    EXPECT_EQ(entries, 300);
    EXPECT_EQ(bench.statistics.of_class(lock.id()).acquisitions, 300U);
    EXPECT_GT(bench.statistics.of_class(lock.id()).contended, 0U);
}

TEST_P(BothKindsTest, WaitersAreServedInTheOrderOfTheirArrival) {
    LockBench bench(GetParam());
    RawSpinlock lock(bench.line(), LockBench::field("lock"));
    const std::vector<unsigned> arrival{17, 2, 30, 9, 5, 12, 25, 1, 14};
    std::vector<unsigned> served;
    bench.on(0, 0, [&](model::HwThread& hw) {
        lock.lock();
        while (hw.now() < model::ticks_from_ns(40 * kMicro)) hw.execute(100);
        lock.unlock();
    });
    for (std::size_t i = 0; i < arrival.size(); ++i) {
        bench.on(arrival[i], 2 * kMicro * static_cast<double>(i + 1), [&](model::HwThread& hw) {
            lock.lock();
            served.push_back(hw.cpu());
            hw.execute(500);
            lock.unlock();
        });
    }
    bench.run();
    EXPECT_EQ(served, arrival);
}

TEST_P(BothKindsTest, AFreeLockIsTakenWithOneLockedOperation) {
    LockBench bench(GetParam());
    RawSpinlock lock(bench.line(), LockBench::field("lock"));
    bench.on(4, 0, [&](model::HwThread&) {
        lock.lock();
        EXPECT_TRUE(lock.is_locked());
        EXPECT_EQ(lock.holder_cpu(), 4);
        lock.unlock();
    });
    bench.run();
    EXPECT_EQ(bench.counters(4)[model::Event::kLockedOps], 1);
    EXPECT_FALSE(lock.is_locked());
    EXPECT_EQ(bench.statistics.of_class(lock.id()).contended, 0U);
}

TEST_P(BothKindsTest, TrylockFailsOnAHeldLockWithoutALockedOperation) {
    LockBench bench(GetParam());
    RawSpinlock lock(bench.line(), LockBench::field("lock"));
    bool first = false, second = true, third = false;
    bench.on(0, 0, [&](model::HwThread& hw) {
        first = lock.trylock();
        while (hw.now() < model::ticks_from_ns(10 * kMicro)) hw.execute(100);
        lock.unlock();
    });
    bench.on(8, 2 * kMicro, [&](model::HwThread&) { second = lock.trylock(); });
    bench.on(9, 20 * kMicro, [&](model::HwThread&) {
        third = lock.trylock();
        lock.unlock();
    });
    bench.run();
    EXPECT_TRUE(first);
    EXPECT_FALSE(second);
    EXPECT_TRUE(third);
    EXPECT_EQ(bench.counters(8)[model::Event::kLockedOps], 0);
}

TEST_P(BothKindsTest, InterruptsStayPendingWhileWaitingWithInterruptsOff) {
    struct Sink final : model::InterruptSink {
        model::Tick taken_at = 0;
        void interrupt(unsigned, unsigned) override { taken_at = model::this_hw_thread().now(); }
    } sink;
    LockBench bench(GetParam());
    bench.machine().set_interrupt_sink(&sink);
    RawSpinlock lock(bench.line(), LockBench::field("lock"));
    model::Tick got_it = 0;
    bench.on(0, 0, [&](model::HwThread& hw) {
        lock.lock();
        while (hw.now() < model::ticks_from_ns(50 * kMicro)) hw.execute(100);
        lock.unlock();
    });
    bench.on(9, 1 * kMicro, [&](model::HwThread& hw) {
        hw.enable_interrupts();
        bench.machine().apic(9).set_deadline(model::ticks_from_ns(10 * kMicro));
        const IrqFlags flags = lock.lock_irqsave();
        got_it = hw.now();
        EXPECT_EQ(sink.taken_at, 0);
        lock.unlock_irqrestore(flags);
        EXPECT_GT(sink.taken_at, 0);
    });
    bench.run();
    EXPECT_GE(got_it, model::ticks_from_ns(50 * kMicro));
    EXPECT_GE(sink.taken_at, got_it);
}

TEST_P(BothKindsTest, TheLockIsFreeOnlyWhenEarlierStoresAreVisible) {
    LockBench bench(GetParam());
    RawSpinlock lock(bench.line(), LockBench::field("lock"));
    const Addr far = bench.line();
    model::Tick released[2] = {}, acquired[2] = {};
    const auto time_of = [](double us) { return model::ticks_from_ns(us * kMicro); };
    bench.on(8, 0, [&](model::HwThread& hw) {  // the other socket dirties a line
        hw.store(far, 8, LockBench::field("far"));
        hw.fence();
    });
    bench.on(0, 5 * kMicro, [&](model::HwThread& hw) {
        for (int round = 0; round < 2; ++round) {
            lock.lock();
            while (hw.now() < time_of(round * 100 + 50)) hw.execute(100);
            if (round == 1) hw.store(far, 8, LockBench::field("far"));
            released[round] = hw.now();
            lock.unlock();
            while (hw.now() < time_of(round * 100 + 80)) hw.execute(100);
        }
    });
    bench.on(1, 20 * kMicro, [&](model::HwThread& hw) {
        for (int round = 0; round < 2; ++round) {
            while (hw.now() < time_of(round * 100 + 20)) hw.execute(100);
            lock.lock();
            acquired[round] = hw.now();
            lock.unlock();
        }
    });
    bench.run();
    const model::Tick plain = acquired[0] - released[0], behind = acquired[1] - released[1];
    EXPECT_GT(behind - plain, model::ticks_from_ns(30));  // the line comes from the other socket
}

// ---- what a hand-over costs ------------------------------------------------------------------

/// `waiters` arrive one after the other at a held lock, which then passes through all of them, each
/// holding it long enough for everybody's line to settle. Loads that missed, by field, from the first
/// release on.
void pass_through(LockBench& bench, RawSpinlock& lock, unsigned waiters, AccessCounter& seen) {
    bench.machine().set_observer(&seen);
    bench.on(0, 0, [&](model::HwThread& hw) {
        lock.lock();
        while (hw.now() < model::ticks_from_ns(60 * kMicro)) hw.execute(100);
        hw.use(hw.load(lock.addr(), 2, lock.id()));  // its own look at the word is not a waiter's
        seen.clear();
        lock.unlock();
    });
    for (unsigned i = 0; i < waiters; ++i) {
        bench.on(1 + i, 2 * kMicro * (i + 1), [&](model::HwThread& hw) {
            lock.lock();
            const model::Tick until = hw.now() + model::ticks_from_ns(5 * kMicro);
            while (hw.now() < until) hw.execute(100);
            lock.unlock();
        });
    }
    bench.run();
}

class HandOverTest : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Waiters, HandOverTest, testing::Values(1U, 2U, 4U, 7U));

TEST_P(HandOverTest, EveryTicketWaiterFetchesTheLineAtEveryRelease) {
    const unsigned waiters = GetParam();
    LockBench bench(LockKind::kTicket);
    RawSpinlock lock(bench.line(), LockBench::field("lock"));
    AccessCounter seen;
    pass_through(bench, lock, waiters, seen);
    EXPECT_EQ(seen.of(lock.id()).missed_loads, waiters * (waiters + 1) / 2);
}

TEST_P(HandOverTest, QueuedWaitersFetchTwoLinesAtMostPerRelease) {
    const unsigned waiters = GetParam();
    LockBench bench(LockKind::kQueued);
    RawSpinlock lock(bench.line(), LockBench::field("lock"));
    AccessCounter seen;
    pass_through(bench, lock, waiters, seen);
    // The pending waiter and the head of the queue watch the word, the others nothing of it.
    EXPECT_GE(seen.of(lock.id()).missed_loads, waiters);
    EXPECT_LE(seen.of(lock.id()).missed_loads, 3 * waiters);
    const unsigned queued = waiters < 2 ? 0 : waiters - 1;
    const unsigned handed_on = queued < 1 ? 0 : queued - 1;
    // A waiter may take its node's line back once between the predecessor's request and its store.
    EXPECT_GE(seen.of(lock_system().locked_id).missed_loads, handed_on);
    EXPECT_LE(seen.of(lock_system().locked_id).missed_loads, 2 * handed_on);
}

// ---- what many contenders cost ---------------------------------------------------------------

/// Time from one acquisition to the next, in ns, while CPUs 0 to `contenders` - 1, all of one socket,
/// take the lock again and again for a few instructions.
double ns_per_acquisition(LockKind kind, unsigned contenders, model::Tick quantum) {
    constexpr unsigned kEach = 200;
    LockBench bench(kind, true, quantum);
    RawSpinlock lock(bench.line(), LockBench::field("lock"));
    model::Tick first = 0;
    model::Tick last = 0;
    for (unsigned i = 0; i < contenders; ++i) {
        bench.on(i, 0, [&](model::HwThread& hw) {
            for (unsigned n = 0; n < kEach; ++n) {
                lock.lock();
                if (first == 0) first = hw.now();
                last = std::max(last, hw.now());
                hw.execute(10);
                lock.unlock();
                hw.execute(100);
            }
        });
    }
    bench.run();
    return model::ns_from_ticks(last - first) / (kEach * contenders - 1);
}

// The message of commit 2c83e8e9492d has 5 million acquisitions by each of 3 to 8 threads of one socket
// of a Westmere-EX: 2248 ms with 3 threads and 5563 ms with 8, that is 150 and 139 ns a hand-over. Sandy
// Bridge's clock is a quarter faster.
struct Contention {
    unsigned contenders;
    model::Tick quantum;
};
class QueuedHandOverTest : public testing::TestWithParam<Contention> {};
// With run-ahead too: a holder that is ahead on the host does not get through its critical section
// unseen.
INSTANTIATE_TEST_SUITE_P(Contenders, QueuedHandOverTest,
                         testing::Values(Contention{3, 0}, Contention{8, 0},
                                         Contention{3, model::kMicrosecond}),
                         [](const auto& info) {
                             return std::to_string(info.param.contenders) +
                                    (info.param.quantum != 0 ? "WithRunAhead" : "");
                         });

TEST_P(QueuedHandOverTest, CostsTheSameHoweverManyWait) {
    const double ns =
        ns_per_acquisition(LockKind::kQueued, GetParam().contenders, GetParam().quantum);
    EXPECT_GT(ns, 90);
    EXPECT_LT(ns, 160);
}

// Boyd-Wickizer and others, "Non-scalable locks are dangerous", 2012: all who wait fetch the word at every
// release, one after the other, so that the next holder has half of them before it.
TEST(TicketHandOverTest, EachFurtherWaiterForATicketMakesTheHandOverSlower) {
    const double eight = ns_per_acquisition(LockKind::kTicket, 8, 0);
    EXPECT_GT(eight, 130);
    EXPECT_LT(eight, 210);
}

// ---- pending bit and nodes -------------------------------------------------------------------

unsigned node_accesses(unsigned contenders, bool mcs_queueing, model::Tick quantum = 0) {
    LockBench bench(LockKind::kQueued, mcs_queueing, quantum);
    RawSpinlock lock(bench.line(), LockBench::field("lock"));
    AccessCounter seen;
    bench.machine().set_observer(&seen);
    for (unsigned i = 0; i < contenders; ++i) {
        bench.on(i * 5, 0, [&](model::HwThread& hw) {
            for (int n = 0; n < 200; ++n) {
                lock.lock();
                hw.execute(400);  // longer than a transfer of the line
                lock.unlock();
                hw.execute(10);
            }
        });
    }
    bench.run();
    EXPECT_EQ(bench.statistics.of_class(lock.id()).acquisitions, contenders * 200U);
    EXPECT_EQ(lock.word(), 0U);
    const LockSystem& s = lock_system();
    return seen.of(s.next_id).all + seen.of(s.locked_id).all + seen.of(s.count_id).all;
}

TEST(QueuedLockTest, TwoContendersNeverTouchANode) { EXPECT_EQ(node_accesses(2, true), 0U); }
TEST(QueuedLockTest, NorWithRunAhead) {
    // The next attempt of a holder that has just released must find its own release visible.
    EXPECT_EQ(node_accesses(2, true, model::kMicrosecond), 0U);
}
TEST(QueuedLockTest, ThreeContendersQueue) { EXPECT_GT(node_accesses(3, true), 100U); }
TEST(QueuedLockTest, WithoutQueueingNobodyTouchesANode) { EXPECT_EQ(node_accesses(5, false), 0U); }

TEST(QueuedLockTest, NodesAreFreeAgainAfterwards) {
    (void)node_accesses(6, true);
    for (unsigned cpu = 0; cpu < 32; ++cpu) EXPECT_EQ(lock_system().node(cpu, 0).count, 0) << cpu;
}

TEST(TicketLockTest, TheNextTicketWrapsWithItsByte) {
    LockBench bench(LockKind::kTicket);
    RawSpinlock lock(bench.line(), LockBench::field("lock"));
    bench.on(0, 0, [&](model::HwThread&) {
        for (int i = 0; i < 700; ++i) {
            lock.lock();
            lock.unlock();
        }
    });
    bench.run();
    EXPECT_FALSE(lock.is_locked());
    EXPECT_EQ(lock.word() & 0xffU, 700U % 256);
}

}  // namespace
}  // namespace linefill::kernel
