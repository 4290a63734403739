// SPDX-License-Identifier: Apache-2.0
// TLM-2.0 sockets of the coherent fabric. The payload of a coherence socket is a transaction of this
// model, not the generic payload: an ownership request cannot be said in the base protocol, and TLM
// asks for a traits class of one's own then. b_transport annotates no delay: times are in the payload,
// in absolute femtoseconds, because the scheduler decides order. Targets never wait().
#pragma once

#include <systemc>
#include <tlm>

#include "model/coherence/ports.h"

namespace linefill::model {

template <class Payload>
struct ProtocolTypes {
    using tlm_payload_type = Payload;
    using tlm_phase_type = tlm::tlm_phase;
};

/// Payload of the core-to-LLC socket: a request or a write-back.
struct LlcMessage {
    CoherentTransaction* request = nullptr;  ///< null: a write-back
    unsigned core = 0;
    Addr line = 0;
    std::uint32_t token = 0;
    Tick at = 0;
};

/// A target that serves b_transport only, by a function of the payload.
template <class Payload>
class BlockingTarget : public tlm::tlm_fw_transport_if<ProtocolTypes<Payload>> {
public:
    void b_transport(Payload& p, sc_core::sc_time&) override { serve(p); }
    tlm::tlm_sync_enum nb_transport_fw(Payload& p, tlm::tlm_phase&, sc_core::sc_time&) override {
        serve(p);
        return tlm::TLM_COMPLETED;
    }
    bool get_direct_mem_ptr(Payload&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(Payload&) override { return 0; }

protected:
    virtual void serve(Payload& p) = 0;
};

/// The backward path of an initiator that only uses b_transport.
template <class Payload>
class NoBackward : public tlm::tlm_bw_transport_if<ProtocolTypes<Payload>> {
public:
    tlm::tlm_sync_enum nb_transport_bw(Payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
        return tlm::TLM_COMPLETED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

template <class Payload>
using CoherenceInitiator = tlm::tlm_initiator_socket<64, ProtocolTypes<Payload>>;
template <class Payload>
using CoherenceTarget = tlm::tlm_target_socket<64, ProtocolTypes<Payload>>;

/// One end-to-end connection: an initiator socket, a target socket, bound. `Serve` gets the payload.
template <class Payload, class Server>
class Connection : public sc_core::sc_module,
                   private BlockingTarget<Payload>,
                   private NoBackward<Payload> {
public:
    Connection(sc_core::sc_module_name name, Server server)
        : sc_core::sc_module(name), initiator("initiator"), target("target"), server_(server) {
        initiator.bind(static_cast<tlm::tlm_bw_transport_if<ProtocolTypes<Payload>>&>(*this));
        target.bind(static_cast<tlm::tlm_fw_transport_if<ProtocolTypes<Payload>>&>(*this));
        initiator.bind(target);
    }
    void send(Payload& p) {
        sc_core::sc_time none;
        initiator->b_transport(p, none);
    }
    CoherenceInitiator<Payload> initiator;
    CoherenceTarget<Payload> target;

private:
    void serve(Payload& p) override { server_(p); }
    Server server_;
};

}  // namespace linefill::model
