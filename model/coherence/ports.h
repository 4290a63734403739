// SPDX-License-Identifier: Apache-2.0
// What the parts of the memory system see of each other. The machine connects them by TLM-2.0 sockets
// (coherence/sockets.h); unit tests connect them directly.
#pragma once

#include "model/coherence/transaction.h"

namespace linefill::model {

/// Core to LLC.
struct LlcPort {
    virtual ~LlcPort() = default;
    virtual void request(CoherentTransaction& t) = 0;
    /// A modified line leaves the core's caches; the LLC (inclusive) takes the data.
    virtual void write_back(unsigned core, Addr line, std::uint32_t token, Tick at) = 0;
};

/// LLC to core.
struct SnoopPort {
    virtual ~SnoopPort() = default;
    virtual void snoop(SnoopTransaction& t) = 0;
};

/// Socket to socket.
struct PeerPort {
    virtual ~PeerPort() = default;
    virtual void peer(PeerTransaction& t) = 0;
};

/// Home agent to memory controller.
struct MemoryPort {
    virtual ~MemoryPort() = default;
    virtual void access(MemoryTransaction& t) = 0;
    /// Its reads are not done when access() returns: the requester is fired at the time they are.
    virtual bool answers_later() const { return false; }
};

}  // namespace linefill::model
