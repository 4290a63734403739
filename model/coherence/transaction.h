// SPDX-License-Identifier: Apache-2.0
// What travels between a core, the LLC of its socket, the other sockets and the home agents.
#pragma once

#include <cstdint>

#include "model/core/access.h"
#include "model/sim/scheduler.h"

namespace linefill::model {

/// State of a core's copy.
enum class LineState : std::uint8_t { kInvalid, kShared, kExclusive, kModified };

enum class RequestKind : std::uint8_t {
    kRead,              ///< data read, demand or walker
    kReadForOwnership,  ///< store, locked operation; an upgrade if the core has a shared copy
    kCodeRead,
    kPrefetchRead,
};

constexpr bool wants_ownership(RequestKind k) { return k == RequestKind::kReadForOwnership; }

/// One request of a core to the LLC, and its answer. State changes when the request is served; data or
/// ownership is there at `done_at`. Until `hold_until` the line stays held at its home: later requests
/// for it queue behind this one.
struct CoherentTransaction {
    // request
    Addr line = 0;
    RequestKind kind = RequestKind::kRead;
    unsigned core = 0;  ///< of the machine
    unsigned socket = 0;
    bool has_shared_copy = false;
    bool from_queue = false;   ///< waited at the home: its request leg is behind it
    Tick at = 0;               ///< when it leaves the core, or when its turn came
    FieldId field = kNoField;  ///< for the coherence log
    // answer
    Tick done_at = 0;
    Tick hold_until = 0;
    bool hold = true;  ///< a clean LLC hit holds nothing
    LineState grant = LineState::kInvalid;
    DataSource source = DataSource::kLlc;
    std::uint32_t token = 0;  ///< write-sequence token that came with the data
    Tick snoop_at = 0;        ///< when the copies of others were taken
    // a memory that answers later (memory/memory_bridge.h)
    Schedulable* requester = nullptr;  ///< is fired when memory has answered
    bool awaits_memory = false;        ///< no answer yet; to be sent once more when it is fired
    bool peer_had_copy = false;
    Tick peer_answered = 0;
    Tick memory_answered = 0;
};

/// LLC to one core: give up or downgrade your copy.
struct SnoopTransaction {
    Addr line = 0;
    bool invalidate = true;
    Tick at = 0;
    unsigned by_core = 0;
    FieldId by_field = kNoField;
    bool back_invalidate = false;  ///< the inclusive LLC evicts the line
    // answer
    bool had_copy = false;
    bool dirty = false;
    std::uint32_t token = 0;
    Tick answer_at = 0;  ///< no earlier than the owner's last access to the line
};

/// One socket to the other: source snoop.
struct PeerTransaction {
    Addr line = 0;
    bool ownership = false;
    Tick at = 0;  ///< arrives at the peer's agent
    unsigned by_core = 0;
    FieldId by_field = kNoField;
    // answer
    bool had_copy = false;
    bool forwards = false;  ///< data comes from here
    bool dirty = false;     ///< it was modified (memory is written back on a read)
    std::uint32_t token = 0;
    Tick answer_at = 0;  ///< leaves the peer's agent
};

/// A read or write-back of memory through a home agent.
struct MemoryTransaction {
    Addr line = 0;
    bool write = false;
    Tick at = 0;
    Tick done_at = 0;
    Schedulable* requester = nullptr;  ///< of a read from a memory that answers later
};

}  // namespace linefill::model
