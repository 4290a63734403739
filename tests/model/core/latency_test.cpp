// SPDX-License-Identifier: Apache-2.0
// What one access alone costs, per place that its line can be in: sums of the platform's components,
// to the femtosecond, and near to what was measured on the machine.
#include <cmath>

#include <gtest/gtest.h>

#include "model/core/core.h"
#include "tests/model/test_machine.h"

namespace linefill::model {
namespace {

/// The parts of a latency at the clock of `cpu`.
struct Parts {
    Parts(const Platform& p, HwThread& hw) {
        // The period is rounded to whole femtoseconds; clocks are whole numbers of 100 MHz.
        const double ghz = std::round(1e7 / static_cast<double>(hw.period())) / 10;
        const auto ticks = [ghz](const Latency& l) { return ticks_from_ns(l.to_ns(ghz)); };
        cycle = hw.period();
        instruction = static_cast<Tick>(p.core.cpi_kernel * static_cast<double>(cycle));
        l1 = ticks(p.l1d.latency);
        l2 = ticks(p.l2.latency);
        llc = ticks(p.llc.latency);
        leg = ticks(p.coherence.request_leg);
        clean = ticks(p.coherence.core_snoop_clean);
        dirty = ticks(p.coherence.core_snoop_dirty);
        home = ticks(p.coherence.home_processing);
        link = ticks(p.link.latency);
        memory = ticks(p.memory.latency);
    }
    Tick cycle, instruction, l1, l2, llc, leg, clean, dirty, home, link, memory;
};

/// Time of one load that has nothing to wait for, its issue included.
Tick timed_load(HwThread& hw, Addr addr) {
    hw.fence();
    hw.synchronise();
    const Tick start = hw.now();
    hw.use(hw.load(addr, 8, kNoField));
    return hw.now() - start;
}

void evict(HwThread& hw, Addr line, Addr stride, unsigned lines) {
    for (unsigned i = 1; i <= lines; ++i) {
        hw.use(hw.load(line + i * stride, 8, kNoField));
    }
}

class LatencyTest : public testing::Test {
protected:
    /// `other` makes the line of load_from's CPU 0 its own, by a store or by a load.
    void other_has_it(unsigned other, bool store, Addr line) {
        t_.background(other, [=](HwThread& hw) {
            if (store) {
                hw.store(line, 8, kNoField);
            } else {
                hw.use(hw.load(line, 8, kNoField));
            }
            hw.fence();
        });
    }
    /// CPU 0 loads the line later, with its TLB warm.
    Tick load_later(Addr line) {
        Tick took = 0;
        t_.on(0, [&, line](HwThread& hw) {
            hw.use(hw.load(line + 4096 * 64, 8, kNoField));
            hw.execute(100000);
            took = timed_load(hw, line);
            parts_ = std::make_unique<Parts>(t_.machine().platform(), hw);
        });
        t_.run();
        return took - parts_->instruction;
    }
    double target(const char* name) {
        const double ghz = 1e6 / static_cast<double>(parts_->cycle);
        return t_.machine().platform().targets.at(name).to_ns(ghz);
    }
    void expect_near_target(Tick took, const char* name, double share) {
        EXPECT_NEAR(ns_from_ticks(took), target(name), share * target(name)) << name;
    }

    TestMachine t_{test_platform()};
    std::unique_ptr<Parts> parts_;
};

TEST_F(LatencyTest, OfEveryLevelOfTheOwnSocket) {
    Tick l1 = 0;
    Tick l2 = 0;
    Tick llc = 0;
    Tick dram = 0;
    t_.on(0, [&](HwThread& hw) {
        const Addr line = t_.line_on(0, 0);
        hw.use(hw.load(line + 8192 * 64, 8, kNoField));  // TLB
        dram = timed_load(hw, line);
        l1 = timed_load(hw, line);
        evict(hw, line, 64 * kLineBytes, 24);  // out of its L1D set
        EXPECT_FALSE(hw.core().find_l1d(line_of(line)) != ~std::size_t{0});
        EXPECT_TRUE(hw.core().in_l2(line_of(line)));
        l2 = timed_load(hw, line);
        evict(hw, line, 512 * kLineBytes, 64);  // out of its L2 set too
        EXPECT_FALSE(hw.core().in_l2(line_of(line)));
        llc = timed_load(hw, line);
        parts_ = std::make_unique<Parts>(t_.machine().platform(), hw);
    });
    t_.run();
    const Parts& p = *parts_;
    EXPECT_EQ(l1 - p.instruction, p.l1);
    EXPECT_EQ(l2 - p.instruction, p.l2);
    EXPECT_EQ(llc - p.instruction, p.llc);
    EXPECT_EQ(dram - p.instruction, p.llc + p.home + p.memory);
    expect_near_target(l1 - p.instruction, "load_l1d", 0.05);
    expect_near_target(l2 - p.instruction, "load_l2", 0.05);
    expect_near_target(llc - p.instruction, "load_llc", 0.05);
    expect_near_target(dram - p.instruction, "load_local_dram", 0.05);
}

TEST_F(LatencyTest, OfTheOtherNodesMemory) {
    const Tick took = load_later(t_.line_on(1, 0));
    const Parts& p = *parts_;
    EXPECT_EQ(took, p.llc + p.home + p.memory + 2 * p.link);
    expect_near_target(took, "load_remote_dram", 0.05);
}

TEST_F(LatencyTest, OfALineThatAnotherCoreHasModified) {
    other_has_it(1, true, t_.line_on(0, 0));
    const Tick took = load_later(t_.line_on(0, 0));
    EXPECT_EQ(took, parts_->llc + parts_->dirty);
    EXPECT_EQ(t_.counters(0)[Event::kHitmLocal], 1);
    expect_near_target(took, "load_dirty_same_socket", 0.10);
}

TEST_F(LatencyTest, OfALineThatAnotherCoreHasUnmodified) {
    other_has_it(1, false, t_.line_on(0, 0));
    const Tick took = load_later(t_.line_on(0, 0));
    EXPECT_EQ(took, parts_->llc + parts_->clean);
    expect_near_target(took, "load_clean_same_socket", 0.10);
}

TEST_F(LatencyTest, OfALineThatTheOtherSocketHasModified) {
    other_has_it(8, true, t_.line_on(0, 0));
    const Tick took = load_later(t_.line_on(0, 0));
    const Parts& p = *parts_;
    EXPECT_EQ(took, p.llc + 2 * p.link + p.leg + p.dirty);
    EXPECT_EQ(t_.counters(0)[Event::kHitmRemote], 1);
    expect_near_target(took, "load_dirty_other_socket", 0.10);
}

TEST_F(LatencyTest, OfALineThatTheOtherSocketHasUnmodified) {
    other_has_it(8, false, t_.line_on(0, 0));
    const Tick took = load_later(t_.line_on(0, 0));
    EXPECT_EQ(t_.counters(0)[Event::kRemoteForward], 1);
    expect_near_target(took, "load_clean_other_socket", 0.10);
}

TEST_F(LatencyTest, OfALineThatTheSiblingHasIsThatOfTheOwnCache) {
    other_has_it(16, true, t_.line_on(0, 0));
    const Tick took = load_later(t_.line_on(0, 0));
    EXPECT_EQ(took, parts_->l1);
}

// ---- hand-over by locked exchanges -----------------------------------------------------------

/// Time per hand-over of a line between CPU 0 and `other`, in ns.
double hand_over(unsigned other) {
    return in_child([other]() -> std::vector<double> {
               TestMachine t(test_platform());
               constexpr int kRounds = 1500;
               int turn = 0;
               Tick start = 0;
               Tick end = 0;
               const Addr line = t.line_on(0, 0);
               const auto take = [&](HwThread& hw, int parity) {
                   while (!hw.locked(line, 8, kNoField, [&] {
                       if (turn % 2 != parity) return false;
                       ++turn;
                       return true;
                   })) {
                       hw.execute(2);
                   }
               };
               t.on(0, [&](HwThread& hw) {
                   for (int i = 0; i < kRounds; ++i) {
                       if (i == kRounds / 3) start = hw.now();
                       take(hw, 0);
                   }
                   end = hw.now();
               });
               t.background(other, [&](HwThread& hw) {
                   for (;;) take(hw, 1);
               });
               t.run();
               return {ns_from_ticks(end - start) / (2.0 * kRounds * 2 / 3)};
           })
        .at(0);
}

TEST(HandOverTest, ByLockedExchangeIsNearToWhatWasMeasured) {
    const Platform p = test_platform();
    const struct {
        unsigned other;
        const char* name;
    } pairs[] = {{16, "rmw_same_core"}, {1, "rmw_same_socket"}, {8, "rmw_other_socket"}};
    for (const auto& [other, name] : pairs) {
        const double target = p.targets.at(name).to_ns(2.8);
        EXPECT_NEAR(hand_over(other), target, 0.10 * target) << name;
    }
}

}  // namespace
}  // namespace linefill::model
