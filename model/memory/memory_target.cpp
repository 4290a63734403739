// SPDX-License-Identifier: Apache-2.0
#include "model/memory/memory_target.h"

#include <cstring>
#include <string>

#include "model/sim/error.h"

namespace linefill::model {

namespace {

sc_core::sc_time time_of(Tick t) {
    return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(t));
}
Tick tick_of(const sc_core::sc_time& t) { return static_cast<Tick>(t.value()); }

}  // namespace

MemoryInitiator::MemoryInitiator(sc_core::sc_module_name name)
    : sc_core::sc_module(name), socket("socket") {
    payload_.set_data_ptr(data_);
    payload_.set_data_length(sizeof data_);
    payload_.set_streaming_width(sizeof data_);
    payload_.set_byte_enable_ptr(nullptr);
}

void MemoryInitiator::access(MemoryTransaction& t) {
    payload_.set_command(t.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload_.set_address(t.line << kLineBits);
    payload_.set_dmi_allowed(false);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    // The transaction starts ahead of (or, between two SystemC events, behind) SystemC's time.
    const Tick base = tick_of(sc_core::sc_time_stamp());
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
    const Tick at = tick_of(sc_core::sc_time_stamp()) + tick_of(delay);
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
    p.set_command(tlm::TLM_WRITE_COMMAND);
    p.set_address(offset);
    p.set_data_ptr(data);
    p.set_data_length(sizeof data);
    p.set_streaming_width(sizeof data);
    p.set_byte_enable_ptr(nullptr);
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
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
