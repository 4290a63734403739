// SPDX-License-Identifier: Apache-2.0
// Memory of one's own: a plain TLM-2.0 base-protocol target, written as one would without knowing
// Linefill, serves the machine's home agents.
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include "model/core/core.h"
#include "model/memory/memory_target.h"
#include "tests/model/test_machine.h"

namespace linefill::model {
namespace {

/// Answers each read after a fixed delay.
class PlainMemory : public sc_core::sc_module {
public:
    PlainMemory(sc_core::sc_module_name name, const sc_core::sc_time& delay)
        : sc_core::sc_module(name), socket("socket"), delay_(delay) {
        socket.register_b_transport(this, &PlainMemory::serve);
    }
    tlm_utils::simple_target_socket<PlainMemory, 64> socket;
    unsigned reads = 0;
    unsigned writes = 0;
    std::vector<sc_dt::uint64> addresses;
    bool broken = false;

private:
    void serve(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
        ++(p.is_read() ? reads : writes);
        addresses.push_back(p.get_address());
        if (p.is_read()) delay += delay_;
        p.set_response_status(broken ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
    }
    sc_core::sc_time delay_;
};

class OutsideMemory final : public MemoryBinder {
public:
    void bind(unsigned node, tlm::tlm_initiator_socket<64>& home_agent) override {
        nodes.push_back(std::make_unique<PlainMemory>(("outside" + std::to_string(node)).c_str(),
                                                      sc_core::sc_time(300, sc_core::SC_NS)));
        home_agent.bind(nodes.back()->socket);
    }
    std::vector<std::unique_ptr<PlainMemory>> nodes;
};

class OutsideTargetTest : public testing::Test {
protected:
    MachineOptions options() {
        MachineOptions o;
        o.memory_binder = &outside_;
        return o;
    }
    OutsideMemory outside_;
    TestMachine t_{test_platform({"fabric.home_processing=16ns", "cache.llc.latency=40cycles"},
                                 round_figures()),
                   options()};
};

TEST_F(OutsideTargetTest, ServesReadsWithItsOwnDelayOnTheRightNode) {
    t_.on(0, [&](HwThread& hw) {
        hw.use(hw.load(t_.line_on(0, 1), 8, kNoField));
        hw.execute(5000);
        hw.fence();
        hw.synchronise();
        const Tick start = hw.now();
        hw.use(hw.load(t_.line_on(0, 0), 8, kNoField));
        EXPECT_EQ(hw.now() - start, ticks_from_ns(0.5 + 20 + 16 + 300));
        hw.use(hw.load(t_.line_on(1, 7), 8, kNoField));
    });
    t_.run();
    ASSERT_EQ(outside_.nodes.size(), 2U);
    EXPECT_EQ(outside_.nodes[0]->addresses.back() % 64, 0U);
    EXPECT_EQ(outside_.nodes[1]->addresses.back(), t_.line_on(1, 7));
    EXPECT_GE(outside_.nodes[0]->reads, 2U);
}

TEST_F(OutsideTargetTest, GetsTheWriteBacks) {
    t_.on(0, [&](HwThread& hw) {
        hw.store(t_.line_on(0, 0), 8, kNoField);
        hw.fence();
    });
    t_.on(8, [&](HwThread& hw) {  // reading a modified line writes it back on the way
        hw.execute(20000);
        hw.use(hw.load(t_.line_on(0, 0), 8, kNoField));
    });
    t_.run();
    EXPECT_EQ(outside_.nodes[0]->writes, 1U);
}

TEST_F(OutsideTargetTest, AnErrorResponseEndsTheRun) {
    outside_.nodes[0]->broken = true;
    t_.on(0, [&](HwThread& hw) { hw.use(hw.load(t_.line_on(0, 0), 8, kNoField)); });
    EXPECT_THROW(t_.run(), std::exception);
}

}  // namespace
}  // namespace linefill::model
