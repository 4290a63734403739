// SPDX-License-Identifier: Apache-2.0
// Memory and device registers behind TLM-2.0 base-protocol sockets: any target of that protocol can be
// bound in their place. The delay is annotated; a target that wait()s is served through a bridge.
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
/// model's memory. The target must annotate its delay; it may not wait().
struct MemoryBinder {
    virtual ~MemoryBinder() = default;
    virtual void bind(unsigned node, tlm::tlm_initiator_socket<64>& home_agent) = 0;
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
