// SPDX-License-Identifier: Apache-2.0
// Base-protocol payloads, as an initiator has to set them before each transport.
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>

namespace linefill::model {

/// A transport of `bytes` at `data`, without byte enables.
inline void begin_payload(tlm::tlm_generic_payload& p, tlm::tlm_command command,
                          std::uint64_t address, unsigned char* data, unsigned bytes) {
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(data);
    p.set_data_length(bytes);
    p.set_streaming_width(bytes);
    p.set_byte_enable_ptr(nullptr);
    p.set_dmi_allowed(false);
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

}  // namespace linefill::model
