// SPDX-License-Identifier: Apache-2.0
// The home agent's side of a memory whose target wait()s inside b_transport. The hardware threads are
// fibers of one SystemC process, so a wait() on their stacks would stop all of them. Each transport
// therefore runs in a SystemC thread of its own, and the requester is fired when it has returned.
#pragma once

#include <map>
#include <memory>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>

#include "model/coherence/ports.h"
#include "model/sim/scheduler.h"

namespace linefill::model {

class MemoryBridge : public sc_core::sc_module, public MemoryPort {
public:
    SC_HAS_PROCESS(MemoryBridge);
    MemoryBridge(sc_core::sc_module_name name, Scheduler& scheduler);
    ~MemoryBridge() override;

    /// The transport begins at the transaction's time (or now, if that lies before SystemC's time).
    /// A read must have a requester; it is scheduled for when target and annotated delay are done.
    void access(MemoryTransaction& t) override;
    bool answers_later() const override { return true; }
    /// Reads that have not been answered yet.
    unsigned reads_open() const { return reads_open_; }

    tlm_utils::simple_initiator_socket<MemoryBridge, 64> socket;

private:
    struct Job {
        Addr line = 0;
        Schedulable* requester = nullptr;  ///< null: a write-back, for which nobody waits
    };
    /// A SystemC thread that serves one job at a time, and is used again.
    struct Worker {
        sc_core::sc_event begin;
        Job job;
        tlm::tlm_generic_payload payload;
        unsigned char data[64] = {};
    };
    void begin_due();
    void work(Worker& w);
    void serve(Worker& w);

    Scheduler& scheduler_;
    sc_core::sc_event due_;
    /// By time, then in the order of access().
    std::multimap<Tick, Job> jobs_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<Worker*> idle_;
    unsigned reads_open_ = 0;
};

}  // namespace linefill::model
