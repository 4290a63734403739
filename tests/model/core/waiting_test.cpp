// SPDX-License-Identifier: Apache-2.0
// Polling, interrupts, halting, inter-processor interrupts, the clock.
#include <gtest/gtest.h>

#include "model/core/core.h"
#include "model/devices/vectors.h"
#include "tests/model/test_machine.h"

namespace linefill::model {
namespace {

constexpr Tick kCycle = 500 * kPicosecond;

class Sink final : public InterruptSink {
public:
    explicit Sink(Machine& m) : machine_(m) { m.set_interrupt_sink(this); }
    void interrupt(unsigned cpu, unsigned vector) override {
        seen.push_back(
            {cpu, vector, machine_.hw(cpu).now(), machine_.hw(cpu).interrupts_enabled()});
    }
    struct Seen {
        unsigned cpu, vector;
        Tick at;
        bool enabled;
    };
    std::vector<Seen> seen;

private:
    Machine& machine_;
};

class WaitingTest : public testing::Test {
protected:
    TestMachine t_{test_platform(
        {"core.interrupt_entry=250cycles", "core.interrupt_exit=1150cycles", "core.pause=11cycles"},
        round_figures())};
    Sink sink_{t_.machine()};
    Addr line(unsigned n) const { return t_.line_on(0, n); }
};

// ---- polling ---------------------------------------------------------------------------------

TEST_F(WaitingTest, ASpinLoopIsChargedForWhatItWouldHaveExecuted) {
    bool flag = false;
    Tick start = 0;
    Tick end = 0;
    Counters before;
    Counters after;
    t_.on(1, [&](HwThread& hw) {
        hw.use(hw.load(line(0), 8, kNoField));
        hw.fence();
        before = t_.counters(1);
        start = hw.now();
        hw.spin_until(line(0), 8, kNoField, SpinLoop{4, 1, true}, [&] { return flag; });
        end = hw.now();
        after = t_.counters(1);
    });
    t_.on(0, [&](HwThread& hw) {
        hw.execute(20000);
        hw.store(line(0), 8, kNoField, {},
                 {[](void* f, std::uint64_t) { *static_cast<bool*>(f) = true; }, &flag, 0});
        hw.fence();
    });
    t_.run();
    after -= before;
    const auto iterations = after[Event::kSpinIterations];
    const double waited = static_cast<double>(end - start);
    // A PAUSE of eleven cycles, and one in which all four instructions issue.
    EXPECT_NEAR(static_cast<double>(iterations), waited / (12 * kCycle), 15);
    EXPECT_GT(iterations, 1500);
    // Every load is one of an iteration, of the first look or of a look after the line had gone.
    EXPECT_GE(after[Event::kLoads], iterations + 2);
    EXPECT_LE(after[Event::kLoads], iterations + 4);
    EXPECT_EQ(after[Event::kInstructions], 4 * after[Event::kLoads]);
    EXPECT_GT(static_cast<double>(after[CpiComponent::kLockWait]), 0.98 * waited);
}

TEST_F(WaitingTest, AConditionThatHoldsEndsTheLoopAtOnce) {
    t_.on(0, [&](HwThread& hw) {
        hw.use(hw.load(line(0), 8, kNoField));
        hw.fence();
        const Tick start = hw.now();
        hw.spin_until(line(0), 8, kNoField, SpinLoop{4, 1, true}, [] { return true; });
        EXPECT_LE(hw.now() - start, 8 * kCycle);
    });
    t_.run();
    EXPECT_EQ(t_.counters(0)[Event::kSpinIterations], 0);
}

TEST_F(WaitingTest, AWriteToAnotherLineWakesNobody) {
    unsigned looks = 0;
    bool flag = false;
    t_.on(1, [&](HwThread& hw) {
        hw.spin_until(line(0), 8, kNoField, SpinLoop{}, [&] {
            ++looks;
            return flag;
        });
    });
    t_.on(0, [&](HwThread& hw) {
        for (int i = 0; i < 50; ++i) {
            hw.execute(500);
            hw.store(line(1), 8, kNoField);
            hw.fence();
        }
        hw.store(line(0), 8, kNoField, {},
                 {[](void* f, std::uint64_t) { *static_cast<bool*>(f) = true; }, &flag, 0});
        hw.fence();
    });
    t_.run();
    EXPECT_LE(looks, 4U);
}

TEST_F(WaitingTest, WaitersForWhatNobodyWritesAreADeadlockWithAReport) {
    t_.on(3, [&](HwThread& hw) {
        hw.spin_until(line(0), 8, kNoField, SpinLoop{}, [] { return false; });
    });
    try {
        t_.run();
        FAIL() << "the run ended";
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("deadlock"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("CPU 3: spins on address 0x"), std::string::npos)
            << error.what();
    }
}

// ---- interrupts ------------------------------------------------------------------------------

TEST_F(WaitingTest, ATimerInterruptComesWhenItIsDue) {
    const Tick due = 20 * kMicrosecond;
    t_.on(0, [&](HwThread& hw) {
        hw.enable_interrupts();
        t_.machine().apic(0).set_deadline(due);
        while (hw.now() < 2 * due) hw.execute(10);
    });
    t_.run();
    ASSERT_EQ(sink_.seen.size(), 1U);
    EXPECT_EQ(sink_.seen[0].vector, kTimerVector);
    EXPECT_FALSE(sink_.seen[0].enabled);
    EXPECT_GE(sink_.seen[0].at, due + 250 * kCycle);
    EXPECT_LE(sink_.seen[0].at, due + 250 * kCycle + t_.machine().quantum() + 20 * kCycle);
    EXPECT_EQ(t_.counters(0)[Event::kInterrupts], 1);
    EXPECT_EQ(t_.counters(0)[CpiComponent::kIrq] >= 1400 * kCycle, true);
}

TEST_F(WaitingTest, AnInterruptWaitsWhileInterruptsAreOff) {
    const Tick due = 20 * kMicrosecond;
    Tick enabled_at = 0;
    t_.on(0, [&](HwThread& hw) {
        t_.machine().apic(0).set_deadline(due);
        while (hw.now() < 3 * due) hw.execute(10);
        EXPECT_TRUE(hw.interrupt_pending());
        EXPECT_TRUE(sink_.seen.empty());
        enabled_at = hw.now();
        hw.enable_interrupts();
        EXPECT_EQ(sink_.seen.size(), 1U);
    });
    t_.run();
    ASSERT_EQ(sink_.seen.size(), 1U);
    EXPECT_GE(sink_.seen[0].at, enabled_at + 250 * kCycle);
    EXPECT_LE(sink_.seen[0].at, enabled_at + 300 * kCycle);
}

TEST_F(WaitingTest, AnInterruptWaitsWhileALockIsWaitedForWithInterruptsOff) {
    const Tick due = 5 * kMicrosecond;
    bool flag = false;
    Tick released = 0;
    t_.on(1, [&](HwThread& hw) {
        t_.machine().apic(1).set_deadline(due);
        hw.spin_until(line(0), 8, kNoField, SpinLoop{}, [&] { return flag; });
        EXPECT_TRUE(sink_.seen.empty());
        hw.enable_interrupts();
    });
    t_.on(0, [&](HwThread& hw) {
        hw.execute(40000);
        released = hw.now();
        hw.store(line(0), 8, kNoField, {},
                 {[](void* f, std::uint64_t) { *static_cast<bool*>(f) = true; }, &flag, 0});
        hw.fence();
    });
    t_.run();
    ASSERT_EQ(sink_.seen.size(), 1U);
    EXPECT_GT(sink_.seen[0].at, released);
}

TEST_F(WaitingTest, ACancelledTimerDoesNotFire) {
    t_.on(0, [&](HwThread& hw) {
        hw.enable_interrupts();
        t_.machine().apic(0).set_deadline(10 * kMicrosecond);
        t_.machine().apic(0).set_deadline(kNever);
        while (hw.now() < 20 * kMicrosecond) hw.execute(10);
    });
    t_.run();
    EXPECT_TRUE(sink_.seen.empty());
}

// ---- halting ---------------------------------------------------------------------------------

TEST_F(WaitingTest, AHaltedCpuWakesAfterTheExitLatencyOfItsIdleState) {
    const Tick due = 50 * kMicrosecond;
    const Tick exit = 2 * kMicrosecond;
    t_.on(0, [&](HwThread& hw) {
        t_.machine().apic(0).set_deadline(due);
        hw.halt(0, exit);
        EXPECT_EQ(hw.now(), due + exit + (250 + 1150) * kCycle);
        EXPECT_TRUE(hw.interrupts_enabled());
    });
    t_.run();
    ASSERT_EQ(sink_.seen.size(), 1U);
    EXPECT_EQ(sink_.seen[0].at, due + exit + 250 * kCycle);
}

TEST_F(WaitingTest, HaltedTimeIsIdleAndNotInCycles) {
    Counters c;
    Tick end = 0;
    t_.on(0, [&](HwThread& hw) {
        t_.machine().apic(0).set_deadline(50 * kMicrosecond);
        hw.halt(0, 0);
        end = hw.now();
        c = t_.counters(0);
    });
    t_.run();
    EXPECT_NEAR(static_cast<double>(c[CpiComponent::kIdle]), 50.0 * kMicrosecond,
                0.2 * kMicrosecond);
    EXPECT_EQ(c[Event::kUnhaltedFs] + c[CpiComponent::kIdle], end);
    EXPECT_EQ(c[Event::kCycles], c[Event::kUnhaltedFs] / kCycle);
}

TEST_F(WaitingTest, AMonitoredLineWakesAHaltedCpu) {
    Tick woken = 0;
    Tick written = 0;
    t_.on(1, [&](HwThread& hw) {
        hw.use(hw.load(line(0), 8, kNoField));
        hw.halt(line(0), kMicrosecond);
        woken = hw.now();
    });
    t_.on(0, [&](HwThread& hw) {
        hw.execute(40000);
        written = hw.now();
        hw.store(line(0), 8, kNoField);
        hw.fence();
    });
    t_.run();
    EXPECT_TRUE(sink_.seen.empty());
    EXPECT_GE(woken, written + kMicrosecond);
    EXPECT_LE(woken, written + kMicrosecond + 200 * kNanosecond);
}

TEST_F(WaitingTest, AnInterProcessorInterruptTakesItsTimeWithinAndBetweenSockets) {
    std::vector<Tick> sent;
    for (const unsigned cpu : {1U, 8U}) {
        t_.background(cpu, [](HwThread& hw) { hw.halt(0, 0); });
    }
    t_.on(0, [&](HwThread& hw) {
        for (const unsigned cpu : {1U, 8U}) {
            hw.execute(20000);
            t_.machine().apic(0).send_ipi(cpu, kRescheduleVector);
            sent.push_back(hw.now());
        }
        hw.execute(20000);
        hw.synchronise();
    });
    t_.run();
    const IrqConfig& irq = t_.machine().platform().irq;
    ASSERT_EQ(sink_.seen.size(), 2U);
    EXPECT_EQ(sink_.seen[0].cpu, 1U);
    EXPECT_EQ(sink_.seen[0].vector, kRescheduleVector);
    EXPECT_EQ(sink_.seen[0].at,
              sent[0] + ticks_from_ns(irq.ipi_same_socket.to_ns(2)) + 250 * kCycle);
    EXPECT_EQ(sink_.seen[1].cpu, 8U);
    EXPECT_EQ(sink_.seen[1].at,
              sent[1] + ticks_from_ns(irq.ipi_other_socket.to_ns(2)) + 250 * kCycle);
    EXPECT_EQ(t_.machine().apic(0).ipis_sent(), 2U);
}

// ---- clocks ----------------------------------------------------------------------------------

TEST(ClockTest, TurboFollowsTheNumberOfActiveCoresOfTheSocket) {
    const Platform p = test_platform();
    for (const unsigned active : {1U, 4U, 5U, 6U, 8U}) {
        const auto periods = in_child([&]() -> std::vector<double> {
            TestMachine t(p);
            std::vector<double> out;
            for (unsigned cpu = 0; cpu < active; ++cpu) {
                t.on(cpu, [&](HwThread& hw) {
                    out.push_back(static_cast<double>(hw.period()));
                    hw.execute(1000);
                });
            }
            t.on(16, [](HwThread& hw) { hw.execute(100); });  // a sibling is no further core
            t.run();
            return out;
        });
        ASSERT_EQ(periods.size(), active);
        for (const double period : periods) {
            EXPECT_EQ(period,
                      static_cast<double>(period_from_hz(p.clock.turbo_ghz.at(active - 1) * 1e9)))
                << active << " active";
        }
    }
}

TEST(ClockTest, TheOtherSocketsCoresDoNotCount) {
    TestMachine t(test_platform());
    std::vector<Tick> period(2);
    t.on(0, [&](HwThread& hw) { period[0] = hw.period(); });
    for (unsigned cpu = 8; cpu < 16; ++cpu) {
        t.on(cpu, [&](HwThread& hw) {
            if (period[1] == 0) period[1] = hw.period();
        });
    }
    t.run();
    EXPECT_EQ(period[0], period_from_hz(3.0e9));
    EXPECT_EQ(period[1], period_from_hz(2.8e9));
}

TEST(ClockTest, TheTscRunsAtItsOwnRate) {
    TestMachine t(test_platform());
    t.on(0, [](HwThread& hw) {
        hw.advance(100 * kMicrosecond - hw.now());
        EXPECT_EQ(hw.peek_tsc(), 260000U);  // 2.6 GHz
        const Tick before = hw.now();
        const std::uint64_t tsc = hw.rdtsc();
        EXPECT_NEAR(static_cast<double>(tsc), 260000, 40);
        EXPECT_GE(hw.now() - before, 28 * hw.period());
    });
    t.run();
}

}  // namespace
}  // namespace linefill::model
