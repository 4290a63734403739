// SPDX-License-Identifier: Apache-2.0
// The inclusive last-level cache of one socket and its coherence agent: core-valid bits inside the
// socket, MESIF and source snoop between sockets.
//
// A line is in one of these socket states: M (memory is stale or may be: a core was granted ownership),
// E (only copy, clean), F (clean, shared with other sockets, this one forwards), S (clean, shared).
// `owner` is the core that holds E or M; `core_valid` are the cores that may have a copy (silent clean
// evictions leave a bit set, as on the machine).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/cache/cache_array.h"
#include "model/coherence/ports.h"
#include "model/fabric/link.h"
#include "model/fabric/spread.h"
#include "model/platform/platform.h"
#include "model/sim/random.h"
#include "model/sim/time.h"

namespace linefill::model {

enum class SocketState : std::uint8_t { kInvalid, kShared, kForward, kExclusive, kModified };

struct LlcLine {
    std::uint64_t core_valid = 0;
    std::uint32_t token = 0;
    SocketState state = SocketState::kInvalid;
    bool dirty = false;  ///< the LLC's own data differs from memory
    std::int8_t owner = -1;
};

/// Fixed latencies of the uncore in ticks, from the platform's components.
struct UncoreTiming {
    Tick request_leg = 0;  ///< core to slice, tags looked up
    Tick request_spread = 0;
    Tick fill_leg = 0;  ///< slice to core (LLC latency minus the request leg)
    Tick snoop_clean = 0;
    Tick snoop_dirty = 0;
    Tick home_processing = 0;
    Tick link = 0;
};

class Llc : public LlcPort, public PeerPort {
public:
    struct Wiring {
        std::vector<SnoopPort*> cores;    ///< of this socket, by index in the socket
        std::vector<PeerPort*> peers;     ///< by socket; null for the own one
        std::vector<MemoryPort*> memory;  ///< by node
        std::vector<Link*> links;         ///< to each socket; null for the own one
        std::vector<Link*> links_back;    ///< from each socket to this one
    };

    Llc(unsigned socket, unsigned cores_per_socket, const CacheConfig& config, std::uint64_t seed,
        Addr node_bytes);

    void wire(Wiring wiring) { wiring_ = std::move(wiring); }
    void set_timing(const UncoreTiming& timing) {
        timing_ = timing;
        request_spread_.set_width(timing.request_spread);
    }
    const UncoreTiming& timing() const { return timing_; }

    void request(CoherentTransaction& t) override;
    void write_back(unsigned core, Addr line, std::uint32_t token, Tick at) override;
    void peer(PeerTransaction& t) override;

    unsigned home_of(Addr line) const {
        return static_cast<unsigned>((line << kLineBits) / node_bytes_);
    }
    CacheArray<LlcLine>& array() { return array_; }
    /// Tokens of lines that are only in memory (coherence tester).
    void set_memory_tokens(std::unordered_map<Addr, std::uint32_t>* tokens) {
        memory_tokens_ = tokens;
    }
    std::uint64_t back_invalidations() const { return back_invalidations_; }

protected:
    // The transitions, each replaceable by a test that breaks it on purpose.

    /// Takes the copies of all cores in `mask` away. Returns when the last has answered; `t` is
    /// told whether one was dirty and what token it carried.
    virtual SnoopTransaction invalidate_cores(LlcLine& e, Addr line, std::uint64_t mask, Tick at,
                                              unsigned by, FieldId field, bool back_invalidate);
    /// Makes the owner keep a shared copy only, and takes its data if modified.
    virtual SnoopTransaction downgrade_owner(LlcLine& e, Addr line, Tick at, unsigned by,
                                             FieldId field);
    /// What the other socket's copy becomes when this socket reads the line.
    virtual SocketState state_after_peer_read(SocketState state);
    /// Asks all other sockets; the answer is combined.
    virtual PeerTransaction snoop_peers(Addr line, bool ownership, Tick at, bool from_home,
                                        unsigned home, unsigned by, FieldId field, Tick& data_here);

private:
    unsigned local(unsigned core) const { return core - socket_ * cores_; }
    std::uint64_t bit(unsigned core) const { return std::uint64_t{1} << local(core); }
    void serve_hit(CoherentTransaction& t, LlcLine& e, Tick at_slice);
    void serve_ownership(CoherentTransaction& t, LlcLine& e, Tick at_slice);
    void serve_miss(CoherentTransaction& t, Tick at_slice);
    void finish_across(CoherentTransaction& t, const PeerTransaction& p, unsigned home,
                       Tick data_here);
    /// `ready`: the data is at the home agent.
    void finish_from_memory(CoherentTransaction& t, LlcLine& e, Tick ready);
    void finish_awaited(CoherentTransaction& t);
    void grant(CoherentTransaction& t, LlcLine& e, bool peer_had_copy);
    Tick read_memory(Addr line, unsigned home, Tick at, Schedulable* requester);
    void write_memory(Addr line, std::uint32_t token, Tick at);
    LlcLine& install(Addr line, Tick at);

    unsigned socket_;
    unsigned cores_;
    Addr node_bytes_;
    CacheArray<LlcLine> array_;
    UncoreTiming timing_;
    Random random_;
    Spread request_spread_;
    Wiring wiring_;
    std::unordered_map<Addr, std::uint32_t>* memory_tokens_ = nullptr;
    std::uint64_t back_invalidations_ = 0;
};

}  // namespace linefill::model
