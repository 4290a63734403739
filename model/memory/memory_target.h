// SPDX-License-Identifier: Apache-2.0
// Memory and device registers behind TLM-2.0 base-protocol sockets. Any target of that protocol can be
// bound in the memory's place (MemoryBinder). The delay is annotated; a target that wait()s is served
// through a bridge (memory/memory_bridge.h).
#pragma once

#include <systemc>
#include <tlm>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "model/coherence/ports.h"
#include "model/devices/local_apic.h"
#include "model/memory/memory_controller.h"

namespace linefill::model {

/// The home agent's side: turns a MemoryTransaction into a generic payload.
class MemoryInitiator : public sc_core::sc_module, public MemoryPort {
public:
    explicit MemoryInitiator(sc_core::sc_module_name name);
    void access(MemoryTransaction& t) override;
    tlm_utils::simple_initiator_socket<MemoryInitiator, 64> socket;

private:
    tlm::tlm_generic_payload payload_;
    unsigned char data_[64] = {};
};

/// The controller's side. The annotated delay on arrival is the absolute time of the request (the
/// initiator is decoupled from SystemC's time by that much).
class MemoryTarget : public sc_core::sc_module {
public:
    MemoryTarget(sc_core::sc_module_name name, MemoryController& controller);
    tlm_utils::simple_target_socket<MemoryTarget, 64> socket;

private:
    void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay);
    MemoryController& controller_;
};

/// Binds a TLM-2.0 base-protocol target of one's own to the home agent of each node, in place of the
/// model's memory. Each line is one b_transport of 64 bytes: a read when a line is fetched, a write
/// when a modified one comes back (nobody waits for it). The data bytes mean nothing: the model keeps
/// values elsewhere.
///
/// A target that only annotates its delay is called on the requester's own stack, some way ahead of
/// SystemC's time (the delay that comes in says how far), and costs the host next to nothing. One that
/// calls wait() in b_transport must say so here: each of its transports then runs in an SC_THREAD of
/// its own, at its own time and with a delay of zero, so that only the access that asked waits, and
/// many may be inside the target at once, as TLM-2.0 has it. Time waited and time annotated both are
/// part of the access's latency. Transports that begin at the same time begin in the order in which
/// the machine made them; that order depends on nothing but the seed.
struct MemoryBinder {
    virtual ~MemoryBinder() = default;
    virtual void bind(unsigned node, tlm::tlm_initiator_socket<64>& home_agent) = 0;
    /// Whether the target of the node may wait(). One that waits without having said so ends the run
    /// with an InternalError.
    virtual bool waits(unsigned node) const {
        (void)node;
        return false;
    }
};

/// CPU to its interrupt controller: an 8-byte register write.
class ApicInitiator : public sc_core::sc_module, public ApicRegisters {
public:
    explicit ApicInitiator(sc_core::sc_module_name name);
    void write(unsigned offset, std::uint64_t value) override;
    tlm_utils::simple_initiator_socket<ApicInitiator, 64> socket;
};

class ApicTarget : public sc_core::sc_module {
public:
    ApicTarget(sc_core::sc_module_name name, LocalApic& apic);
    tlm_utils::simple_target_socket<ApicTarget, 64> socket;

private:
    void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay);
    LocalApic& apic_;
};

}  // namespace linefill::model
