// SPDX-License-Identifier: Apache-2.0
#include "model/memory/memory_target.h"

#include <cstring>
#include <string>

#include "model/memory/tlm_payload.h"
#include "model/sim/error.h"
#include "model/sim/systemc_time.h"

namespace linefill::model {

MemoryInitiator::MemoryInitiator(sc_core::sc_module_name name)
    : sc_core::sc_module(name), socket("socket") {}

void MemoryInitiator::access(MemoryTransaction& t) {
    begin_payload(payload_, t.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND,
                  t.line << kLineBits, data_, sizeof data_);
    // The transaction starts ahead of (or, between two SystemC events, behind) SystemC's time.
    const Tick base = systemc_now();
    sc_core::sc_time delay = time_of(t.at > base ? t.at - base : 0);
    const sc_dt::uint64 deltas = sc_core::sc_delta_count();
    socket->b_transport(payload_, delay);
    if (sc_core::sc_delta_count() != deltas) {
        throw InternalError(std::string(name()) +
                            ": the memory bound here called wait() in b_transport, and its binder "
                            "does not say that it waits (MemoryBinder::waits)");
    }
    if (payload_.is_response_error()) {
        throw InternalError("memory answered " + payload_.get_response_string());
    }
    t.done_at = base + tick_of(delay);
}

MemoryTarget::MemoryTarget(sc_core::sc_module_name name, MemoryController& controller)
    : sc_core::sc_module(name), socket("socket"), controller_(controller) {
    socket.register_b_transport(this, &MemoryTarget::b_transport);
}

void MemoryTarget::b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    const Tick at = systemc_now() + tick_of(delay);
    if (p.is_read()) {
        delay += time_of(controller_.read(at, p.get_data_length()));
    } else {
        controller_.write(at, p.get_data_length());
    }
    p.set_response_status(tlm::TLM_OK_RESPONSE);
}

ApicInitiator::ApicInitiator(sc_core::sc_module_name name)
    : sc_core::sc_module(name), socket("socket") {}

void ApicInitiator::write(unsigned offset, std::uint64_t value) {
    tlm::tlm_generic_payload p;
    unsigned char data[8];
    std::memcpy(data, &value, sizeof data);
    begin_payload(p, tlm::TLM_WRITE_COMMAND, offset, data, sizeof data);
    sc_core::sc_time delay;
    socket->b_transport(p, delay);
    if (p.is_response_error()) throw InternalError("the interrupt controller refused a write");
}

ApicTarget::ApicTarget(sc_core::sc_module_name name, LocalApic& apic)
    : sc_core::sc_module(name), socket("socket"), apic_(apic) {
    socket.register_b_transport(this, &ApicTarget::b_transport);
}

void ApicTarget::b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time&) {
    if (!p.is_write() || p.get_data_length() != 8) {
        p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        return;
    }
    std::uint64_t value = 0;
    std::memcpy(&value, p.get_data_ptr(), sizeof value);
    apic_.on_write(static_cast<unsigned>(p.get_address()), value);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace linefill::model
