// SPDX-License-Identifier: Apache-2.0
// The machine as a whole: the run-ahead bound moves no figure, identities of the counters hold,
// ablations do what they say, the same seed gives the same run.
#include "model/machine.h"

#include <cmath>

#include <gtest/gtest.h>

#include "model/core/core.h"
#include "model/sim/error.h"
#include "tests/model/test_machine.h"

namespace linefill::model {
namespace {

/// What a small contended workload cost: a ticket lock around two shared lines, a counter by locked
/// increments, private lines.
struct Cost {
    double elapsed_ns, cycles, misses, conflicts, hitm;
};

Cost contended(const std::vector<std::string>& overrides, Tick quantum, unsigned cpus = 8,
               std::uint64_t seed = 1) {
    const auto numbers = in_child([&]() -> std::vector<double> {
        TestMachine t(test_platform(overrides), {seed, quantum, false, nullptr});
        struct Shared {
            std::uint64_t next = 0, serving = 0;
        } shared;
        Tick end = 0;
        for (unsigned i = 0; i < cpus; ++i) {
            const unsigned cpu = i % 2 == 0 ? i / 2 : 8 + i / 2;  // both sockets
            t.on(cpu, [&, i](HwThread& hw) {
                for (unsigned round = 0; round < 400; ++round) {
                    const auto mine =
                        hw.locked(t.line_on(0, 0), 4, kNoField, [&] { return shared.next++; });
                    hw.spin_until(t.line_on(0, 0), 4, kNoField, SpinLoop{},
                                  [&] { return shared.serving == mine; });
                    hw.use(hw.load(t.line_on(0, 1), 8, kNoField));
                    hw.store(t.line_on(0, 1), 8, kNoField);
                    hw.execute(60);
                    hw.store(
                        t.line_on(0, 0), 4, kNoField, {},
                        {[](void* s, std::uint64_t v) { static_cast<Shared*>(s)->serving = v; },
                         &shared, mine + 1});
                    for (unsigned n = 0; n < 40; ++n) {
                        hw.load(t.line_on(1, 100 + 50 * i + n), 8, kNoField);
                        hw.execute(15);
                    }
                    hw.locked(t.line_on(1, 0), 8, kNoField, [] {});
                    hw.execute(300 + 10 * i);
                }
                end = std::max(end, hw.now());
            });
        }
        t.run();
        const Counters c = t.total();
        t.machine().check_identities(c);
        const auto n = [&](Event e) { return static_cast<double>(c[e]); };
        return {ns_from_ticks(end), n(Event::kCycles), n(Event::kL1dMiss),
                n(Event::kInflightConflict), n(Event::kHitmLocal) + n(Event::kHitmRemote)};
    });
    return {numbers.at(0), numbers.at(1), numbers.at(2), numbers.at(3), numbers.at(4)};
}

void expect_close(double a, double b, const char* what) {
    EXPECT_LE(std::abs(a - b), 0.001 * std::max(std::abs(a), std::abs(b)))
        << what << ": " << a << " and " << b;
}

TEST(QuantumTest, MovesNoFigure) {
    const Cost usual = contended({}, kMicrosecond);
    for (const Tick quantum : {Tick{0}, kMicrosecond / 2, 4 * kMicrosecond}) {
        const Cost other = contended({}, quantum);
        expect_close(usual.elapsed_ns, other.elapsed_ns, "elapsed");
        expect_close(usual.cycles, other.cycles, "cycles");
        expect_close(usual.misses, other.misses, "misses");
        expect_close(usual.hitm, other.hitm, "lines from modified copies");
    }
}

TEST(DeterminismTest, TheSameRunGivesTheSameFigures) {
    const Cost a = contended({}, kMicrosecond);
    const Cost b = contended({}, kMicrosecond);
    EXPECT_EQ(a.elapsed_ns, b.elapsed_ns);
    EXPECT_EQ(a.cycles, b.cycles);
    EXPECT_EQ(a.misses, b.misses);
    EXPECT_EQ(a.conflicts, b.conflicts);
}

TEST(AblationTest, WithoutTheHoldNothingQueuesAndHandOversAreCheaper) {
    const Cost with = contended({}, kMicrosecond);
    const Cost without = contended({"ablation.inflight_hold=false"}, kMicrosecond);
    EXPECT_GT(with.conflicts, 1000);
    EXPECT_EQ(without.conflicts, 0);
    EXPECT_LT(without.elapsed_ns, 0.95 * with.elapsed_ns);
}

TEST(AblationTest, WithoutDistanceTheOtherSocketIsNearer) {
    const Cost with = contended({}, kMicrosecond);
    const Cost without = contended({"ablation.numa_distance=false"}, kMicrosecond);
    EXPECT_LT(without.elapsed_ns, 0.9 * with.elapsed_ns);
}

TEST(IdentitiesTest, AMiscountIsFound) {
    TestMachine t(test_platform());
    t.on(0, [&](HwThread& hw) {
        for (unsigned i = 0; i < 2000; ++i) hw.use(hw.load(t.line_on(0, i), 8, kNoField));
    });
    t.run();
    EXPECT_NO_THROW(t.machine().check_identities(t.total()));
    for (const Event e : {Event::kL1dFill, Event::kL1dHit, Event::kLoads, Event::kL1dEvict}) {
        Counters wrong = t.total();
        ++wrong[e];
        EXPECT_THROW(t.machine().check_identities(wrong), SimulationError) << event_name(e);
    }
}

TEST(IdentitiesTest, TheComponentsOfTheTimeSumToTheCycles) {
    TestMachine t(test_platform());
    for (unsigned cpu = 0; cpu < 32; ++cpu) {
        t.on(cpu, [&](HwThread& hw) {
            for (unsigned i = 0; i < 300; ++i) {
                hw.load(t.line_on(i % 2, i % 70), 8, kNoField);
                hw.store(t.line_on(0, i % 9), 8, kNoField);
                hw.execute(20);
                if (i % 5 == 0) hw.locked(t.line_on(0, 3), 8, kNoField, [] {});
                if (i % 7 == 0) hw.mispredict();
            }
        });
    }
    t.run();
    for (unsigned cpu = 0; cpu < 32; ++cpu) {
        const Counters c = t.counters(cpu);
        Tick sum = 0;
        for (std::size_t i = 0; i < kCpiCount; ++i) {
            if (static_cast<CpiComponent>(i) != CpiComponent::kIdle) sum += c.cpi_fs[i];
        }
        // What is left is less than a cycle per change of the clock and of the counters.
        EXPECT_NEAR(static_cast<double>(sum), static_cast<double>(c[Event::kUnhaltedFs]), 4e5)
            << "CPU " << cpu;
        EXPECT_GT(c[Event::kCycles], 1000);
    }
}

TEST(TopologyTest, NumbersTheCpusAsLinuxDoes) {
    TestMachine t(test_platform());
    Machine& m = t.machine();
    for (unsigned cpu = 0; cpu < 32; ++cpu) {
        EXPECT_EQ(m.socket_of(cpu), cpu / 8 % 2) << cpu;
        EXPECT_EQ(m.core_of(cpu), cpu % 16) << cpu;
        EXPECT_EQ(m.sibling(cpu), (cpu + 16) % 32) << cpu;
    }
    EXPECT_EQ(m.node_of_addr(m.node_base(1)), 1U);
    EXPECT_EQ(m.node_of_addr(m.node_base(1) - 1), 0U);
}

TEST(TopologyTest, InterleavedNumberingPutsEvenCpusOnTheFirstSocket) {
    TestMachine t(test_platform({"topology.numbering=interleaved"}));
    Machine& m = t.machine();
    for (unsigned cpu = 0; cpu < 32; ++cpu) {
        EXPECT_EQ(m.socket_of(cpu), cpu % 2) << cpu;
        EXPECT_EQ(m.sibling(cpu), (cpu + 16) % 32) << cpu;
    }
}

TEST(FastForwardTest, TouchesNoCacheAndOnlyAdvanceMovesTime) {
    TestMachine t(test_platform());
    int value = 0;
    t.on(0, [&](HwThread& hw) {
        hw.set_functional(true);
        const Tick start = hw.now();
        hw.load(t.line_on(0, 0), 8, kNoField);
        hw.store(t.line_on(0, 0), 8, kNoField, {},
                 {[](void* v, std::uint64_t n) { *static_cast<int*>(v) = static_cast<int>(n); },
                  &value, 3});
        EXPECT_EQ(value, 3);
        hw.locked(t.line_on(0, 0), 8, kNoField, [&] { ++value; });
        hw.execute(1000);
        EXPECT_EQ(hw.now(), start);
        hw.advance(123 * kMicrosecond);
        EXPECT_EQ(hw.now(), start + 123 * kMicrosecond);
        hw.set_functional(false);
    });
    t.run();
    EXPECT_EQ(value, 4);
    EXPECT_EQ(t.machine().core(0).l1d_resident(), 0U);
    EXPECT_EQ(t.total()[Event::kLoads], 0);
}

}  // namespace
}  // namespace linefill::model
