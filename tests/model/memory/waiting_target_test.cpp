// SPDX-License-Identifier: Apache-2.0
// Memory of one's own that wait()s inside b_transport: only the access that asked waits, the time is
// in its latency, and everybody else goes on in the usual order.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include "model/core/core.h"
#include "model/memory/memory_target.h"
#include "model/sim/error.h"
#include "tests/model/coherence/random_tester.h"
#include "tests/model/test_machine.h"

namespace linefill::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Waits for each read, then annotates some more.
class WaitingMemory : public sc_core::sc_module {
public:
    WaitingMemory(sc_core::sc_module_name name, int wait_ns, int annotate_ns)
        : sc_core::sc_module(name),
          socket("socket"),
          wait_(wait_ns, sc_core::SC_NS),
          annotate_(annotate_ns, sc_core::SC_NS) {
        socket.register_b_transport(this, &WaitingMemory::serve);
    }
    tlm_utils::simple_target_socket<WaitingMemory, 64> socket;
    std::vector<sc_dt::uint64> reads;  ///< addresses in the order in which they came in
    unsigned writes = 0;
    unsigned inside = 0, most_inside = 0;
    bool bridged = true;  ///< the binder says that it waits
    bool broken = false;
    bool hangs = false;
    std::vector<std::string>* log = nullptr;

private:
    void serve(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
        if (bridged) {
            EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
        }
        most_inside = std::max(most_inside, ++inside);
        if (p.is_read()) {
            reads.push_back(p.get_address());
            if (log != nullptr) log->emplace_back("memory begins");
            if (hangs) wait(never_);
            wait(wait_);
            if (log != nullptr) log->emplace_back("memory ends");
            delay += annotate_;
        } else {
            ++writes;
            wait(wait_);
        }
        --inside;
        p.set_response_status(broken ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
    }
    sc_core::sc_time wait_, annotate_;
    sc_core::sc_event never_;
};

struct WaitingNodes final : public MemoryBinder {
    void bind(unsigned node, tlm::tlm_initiator_socket<64>& home_agent) override {
        nodes.push_back(std::make_unique<WaitingMemory>(("outside" + std::to_string(node)).c_str(),
                                                        wait_ns, annotate_ns));
        nodes.back()->bridged = says_so;
        home_agent.bind(nodes.back()->socket);
    }
    bool waits(unsigned) const override { return says_so; }
    int wait_ns = 300, annotate_ns = 0;
    bool says_so = true;
    std::vector<std::unique_ptr<WaitingMemory>> nodes;
};

class WaitingTargetTest : public testing::Test {
protected:
    void build(std::vector<std::string> overrides = {}) {
        overrides.insert(overrides.end(),
                         {"fabric.home_processing=16ns", "cache.llc.latency=40cycles"});
        MachineOptions o;
        o.memory_binder = &outside_;
        t_.emplace(test_platform(overrides, round_figures()), o);
    }
    /// Gets the page walk for `addr`'s page and all that went before out of the way.
    void settle(HwThread& hw, Addr addr) {
        hw.use(hw.load(addr, 8, kNoField));
        hw.execute(5000);
        hw.fence();
        hw.synchronise();
    }
    /// Latency of one load from the own node.
    Tick latency_of(HwThread& hw, Addr addr) {
        const Tick start = hw.now();
        hw.use(hw.load(addr, 8, kNoField));
        return hw.now() - start;
    }
    WaitingNodes outside_;
    std::optional<TestMachine> t_;
    /// One issue slot, LLC, home agent, 300 ns of the target.
    static constexpr double kLatencyNs = 0.5 + 20 + 16 + 300;
};

TEST_F(WaitingTargetTest, TheTimeThatTheTargetWaitsIsInTheLatencyOfTheAccess) {
    build();
    t_->on(0, [&](HwThread& hw) {
        settle(hw, t_->line_on(0, 1));
        EXPECT_EQ(latency_of(hw, t_->line_on(0, 0)), ticks_from_ns(kLatencyNs));
        EXPECT_EQ(latency_of(hw, t_->line_on(0, 0)), ticks_from_ns(0.5) + hw.timing().l1);
    });
    t_->run();
    EXPECT_EQ(outside_.nodes[0]->reads.back(), t_->line_on(0, 0));
    t_->machine().check_identities(t_->total());
}

TEST_F(WaitingTargetTest, WaitedAndAnnotatedTimeAddUp) {
    outside_.wait_ns = 100;
    outside_.annotate_ns = 200;
    build();
    t_->on(0, [&](HwThread& hw) {
        settle(hw, t_->line_on(0, 1));
        EXPECT_EQ(latency_of(hw, t_->line_on(0, 0)), ticks_from_ns(kLatencyNs));
    });
    t_->run();
}

TEST_F(WaitingTargetTest, OtherHardwareThreadsGoOnMeanwhile) {
    outside_.wait_ns = 100;
    build();
    std::vector<std::string> log;
    outside_.nodes[0]->log = &log;
    t_->on(0, [&](HwThread& hw) {
        hw.execute(20000);  // 10 us: the other has its translations by then
        hw.synchronise();
        hw.use(hw.load(t_->line_on(0, 0), 8, kNoField));
    });
    t_->on(2, [&](HwThread& hw) {
        settle(hw, t_->line_on(1, 1));
        log.clear();
        for (int i = 0; i < 1000; ++i) {
            const Tick start = hw.now();
            hw.execute(40);  // 20 ns
            hw.synchronise();
            ASSERT_EQ(hw.now() - start, ticks_from_ns(20)) << "delayed by somebody else's wait";
            log.emplace_back("CPU 2");
        }
    });
    t_->run();
    // Five of CPU 2's steps of 20 ns lie inside each 100 ns that the memory waits.
    std::vector<std::ptrdiff_t> steps;
    for (auto at = log.begin(); (at = std::find(at, log.end(), "memory begins")) != log.end();) {
        const auto end = std::find(at, log.end(), "memory ends");
        ASSERT_NE(end, log.end());
        steps.push_back(std::count(at, end, "CPU 2"));
        at = end;
    }
    EXPECT_THAT(steps, testing::Each(5));
    EXPECT_FALSE(steps.empty());
}

TEST_F(WaitingTargetTest, AccessesOfSeveralThreadsAreInsideTheTargetAtOnceInOrderOfTheCpus) {
    build();
    std::vector<Tick> latencies(4);
    for (unsigned cpu : {6U, 2U, 4U, 0U}) {  // four cores of socket 0
        t_->on(cpu, [&, cpu](HwThread& hw) {
            settle(hw, t_->line_on(0, 20 + cpu));
            hw.charge(40 * kMicrosecond - hw.now(), CpiComponent::kBase);
            hw.synchronise();
            latencies[cpu / 2] = latency_of(hw, t_->line_on(0, cpu));
        });
    }
    t_->run();
    EXPECT_THAT(latencies, testing::Each(ticks_from_ns(kLatencyNs)));
    WaitingMemory& memory = *outside_.nodes[0];
    EXPECT_EQ(memory.most_inside, 4U);
    EXPECT_EQ(memory.inside, 0U);
    ASSERT_GE(memory.reads.size(), 4U);
    const std::vector<sc_dt::uint64> last(memory.reads.end() - 4, memory.reads.end());
    EXPECT_THAT(last, ElementsAre(t_->line_on(0, 0), t_->line_on(0, 2), t_->line_on(0, 4),
                                  t_->line_on(0, 6)));
}

TEST_F(WaitingTargetTest, TheLineIsHeldSoThatItIsReadOnce) {
    build();
    std::vector<Tick> latencies(2);
    for (unsigned cpu : {0U, 2U}) {
        t_->on(cpu, [&, cpu](HwThread& hw) {
            settle(hw, t_->line_on(0, 20 + cpu));
            hw.charge(40 * kMicrosecond - hw.now(), CpiComponent::kBase);
            hw.execute(100 * cpu);  // CPU 2 comes 100 ns later
            hw.synchronise();
            latencies[cpu / 2] = latency_of(hw, t_->line_on(0, 0));
        });
    }
    t_->run();
    const auto& reads = outside_.nodes[0]->reads;
    EXPECT_EQ(std::count(reads.begin(), reads.end(), t_->line_on(0, 0)), 1);
    EXPECT_EQ(latencies[0], ticks_from_ns(kLatencyNs));
    EXPECT_GT(latencies[1], ticks_from_ns(kLatencyNs - 100));
    EXPECT_LT(latencies[1], ticks_from_ns(kLatencyNs));
}

TEST_F(WaitingTargetTest, IndependentLoadsOverlapUpToTheFillBuffers) {
    build({"core.fill_buffers=2"});
    t_->on(0, [&](HwThread& hw) {
        settle(hw, t_->line_on(0, 40));
        const auto several = [&](unsigned first, unsigned n) {
            hw.execute(5000);
            hw.fence();
            const Tick start = hw.now();
            std::vector<Token> loads;
            for (unsigned i = 0; i < n; ++i) {
                loads.push_back(hw.load(t_->line_on(0, first + i), 8, kNoField));
            }
            for (const Token& l : loads) hw.use(l);
            return hw.now() - start;
        };
        const Tick two = several(0, 2);
        EXPECT_LT(two, ticks_from_ns(kLatencyNs + 5));
        const Tick five = several(2, 5);  // two, two, one
        EXPECT_GT(five, ticks_from_ns(3 * (kLatencyNs - 1)));
        EXPECT_LT(five, ticks_from_ns(3 * kLatencyNs + 5));
    });
    t_->run();
}

TEST_F(WaitingTargetTest, AStoreDrainsAndALockedOperationHappensWhenTheMemoryHasAnswered) {
    build();
    int value = 0;
    t_->on(0, [&](HwThread& hw) {
        settle(hw, t_->line_on(0, 1));
        Tick start = hw.now();
        hw.store(t_->line_on(0, 0), 8, kNoField);
        EXPECT_LT(hw.now() - start, ticks_from_ns(5));  // nobody waits for a store
        hw.fence();
        EXPECT_GT(hw.now() - start, ticks_from_ns(kLatencyNs - 1));
        start = hw.now();
        hw.locked(t_->line_on(0, 2), 8, kNoField, [&] { ++value; });
        EXPECT_GT(hw.now() - start, ticks_from_ns(kLatencyNs - 1));
    });
    t_->run();
    EXPECT_EQ(value, 1);
}

TEST_F(WaitingTargetTest, NobodyWaitsForAWriteBack) {
    build();
    t_->on(0, [&](HwThread& hw) {
        hw.store(t_->line_on(0, 0), 8, kNoField);
        hw.fence();
    });
    t_->on(8, [&](HwThread& hw) {  // the other socket
        settle(hw, t_->line_on(1, 1));
        hw.execute(20000);
        hw.synchronise();
        EXPECT_LT(latency_of(hw, t_->line_on(0, 0)), ticks_from_ns(300));
        hw.execute(2000);
        hw.synchronise();
    });
    t_->run();
    EXPECT_EQ(outside_.nodes[0]->writes, 1U);
}

TEST_F(WaitingTargetTest, AnErrorResponseEndsTheRun) {
    build();
    outside_.nodes[0]->broken = true;
    t_->on(0, [&](HwThread& hw) { hw.use(hw.load(t_->line_on(0, 0), 8, kNoField)); });
    try {
        t_->run();
        FAIL() << "no error";
    } catch (const InternalError& error) {
        EXPECT_THAT(error.what(), HasSubstr("TLM_ADDRESS_ERROR_RESPONSE"));
    }
}

TEST_F(WaitingTargetTest, ATargetThatWaitsWithoutItsBinderSayingSoEndsTheRun) {
#ifdef LINEFILL_ASAN
    GTEST_SKIP()
        << "AddressSanitizer is not told that SystemC left and came back to a fiber's stack";
#endif
    outside_.says_so = false;
    build();
    t_->on(0, [&](HwThread& hw) { hw.use(hw.load(t_->line_on(0, 0), 8, kNoField)); });
    try {
        t_->run();
        FAIL() << "no error";
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), HasSubstr("MemoryBinder::waits"));
    }
}

TEST_F(WaitingTargetTest, ARunEndsAlthoughTheTargetHasAClockOfItsOwn) {
    build();
    sc_core::sc_clock clock("clock", 10, sc_core::SC_NS);
    t_->on(0, [&](HwThread& hw) {
        settle(hw, t_->line_on(0, 1));
        EXPECT_EQ(latency_of(hw, t_->line_on(0, 0)), ticks_from_ns(kLatencyNs));
    });
    t_->run();
}

TEST_F(WaitingTargetTest, AMemoryThatNeverAnswersIsADeadlockThatNamesIt) {
    build();
    t_->on(0, [&](HwThread& hw) {
        settle(hw, t_->line_on(0, 1));
        outside_.nodes[0]->hangs = true;
        hw.use(hw.load(t_->line_on(0, 0), 8, kNoField));
    });
    try {
        t_->run();
        FAIL() << "no error";
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), HasSubstr("deadlock"));
        EXPECT_THAT(error.what(), HasSubstr("1 reads wait for memory from outside"));
    }
}

TEST_F(WaitingTargetTest, AClockOutsideHidesNoDeadlock) {
    build();
    sc_core::sc_clock clock("clock", 10, sc_core::SC_NS);
    t_->on(0, [&](HwThread& hw) { hw.halt(0, 0); });
    EXPECT_ANY_THROW(t_->run());
}

TEST(WaitingTargetCoherenceTest, TheRandomTesterFindsNothing) {
    WaitingNodes outside;
    outside.wait_ns = 70;
    TesterOptions options;
    options.seed = 21;
    options.operations = 200000;
    options.sweep_every = 20000;
    options.cold_lines = 8192;
    options.memory = &outside;
    const TesterReport r = run_tester(test_platform(small_caches()), options);
    EXPECT_EQ(r.stale_reads, 0U) << r.text();
    EXPECT_EQ(r.broken_invariants, 0U) << r.text();
    EXPECT_EQ(r.identities, "");
    EXPECT_EQ(r.counted, r.locked_increments);
    EXPECT_GT(r.total[Event::kDramLocal] + r.total[Event::kDramRemote], 10000);
    EXPECT_GT(r.total[Event::kInflightConflict], 1000);
    EXPECT_GT(outside.nodes[1]->most_inside, 8U);
}

TEST(WaitingTargetCoherenceTest, TheRandomTesterFindsNothingWithLinesInFlightNotHeld) {
    WaitingNodes outside;
    outside.wait_ns = 70;
    TesterOptions options;
    options.seed = 22;
    options.operations = 100000;
    options.sweep_every = 10000;
    options.memory = &outside;
    std::vector<std::string> overrides = small_caches();
    overrides.emplace_back("ablation.inflight_hold=false");
    const TesterReport r = run_tester(test_platform(overrides), options);
    EXPECT_EQ(r.stale_reads + r.broken_invariants, 0U) << r.text();
    EXPECT_EQ(r.identities, "");
    EXPECT_EQ(r.counted, r.locked_increments);
}

TEST(WaitingTargetCoherenceTest, TheSameSeedGivesTheSameRun) {
    const auto run = [] {
        return in_child([] {
            WaitingNodes outside;
            outside.wait_ns = 70;
            TesterOptions options;
            options.seed = 23;
            options.operations = 30000;
            options.memory = &outside;
            const TesterReport r = run_tester(test_platform(small_caches()), options);
            std::vector<double> numbers;
            for (std::size_t e = 0; e < static_cast<std::size_t>(Event::kCount); ++e) {
                numbers.push_back(static_cast<double>(r.total[static_cast<Event>(e)]));
            }
            for (const auto& node : outside.nodes) {
                double sum = 0;
                double place = 0;
                for (const sc_dt::uint64 a : node->reads) {
                    sum += static_cast<double>(a >> 6) * ++place;
                }
                numbers.insert(numbers.end(), {sum, place});
            }
            return numbers;
        });
    };
    EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace linefill::model
