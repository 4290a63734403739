// SPDX-License-Identifier: Apache-2.0
// Accesses of a hardware thread that are not finished when the instruction stream goes on: they wait
// for the load their address depends on, for their issue time, for a fill buffer, or for a line in
// flight, and are performed as events in global time order.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/cache/tlb.h"
#include "model/coherence/inflight.h"
#include "model/coherence/transaction.h"
#include "model/core/access.h"

namespace linefill::model {

class HwThread;

enum class PendingKind : std::uint8_t {
    kLoad,
    kPrefetch,
    kPrefetchOwn,
    kStore,
    kLocked,
    kCode,
    kWalk
};

class PendingAccess final : public LineRequester {
public:
    PendingAccess(HwThread& owner, std::uint32_t rank, unsigned socket, std::int32_t slot)
        : LineRequester(rank), slot(slot), owner_(owner) {
        requester_socket = socket;
    }

    const std::int32_t slot;  ///< its place in the pool
    Addr addr = 0;
    unsigned size = 0;
    PendingKind kind = PendingKind::kLoad;
    FieldId field = kNoField;
    FunctionId function = kNoFunction;
    FunctionId caller = kNoFunction;
    std::uint64_t sequence = 0;  ///< program order
    Tick issue = 0;
    Tick earliest = 0;     ///< when the instruction stream reached it
    Tick translation = 0;  ///< from a known address to the access: TLB miss
    Tick ready = kNever;   ///< kNever: not performed yet
    DataSource source = DataSource::kL1;
    bool queued = false;                 ///< waits for a line in flight
    bool nta = false;                    ///< prefetch that bypasses L2
    bool in_window = false;              ///< something in the reorder window waits for its value
    bool counted = false;                ///< its lookup is counted (a retry is not counted again)
    std::vector<std::int32_t> children;  ///< slots whose address depends on this one
    /// The request that a memory of one's own has not answered yet, and why it missed.
    std::unique_ptr<CoherentTransaction> awaited;
    MissClass miss = MissClass::kHit;

protected:
    void fire(Tick now) override;

private:
    HwThread& owner_;
};

/// The pool of one hardware thread.
class PendingLoads {
public:
    PendingLoads(HwThread& owner, std::uint32_t first_rank, unsigned slots, unsigned socket);

    PendingAccess& at(std::int32_t slot) { return *slots_[static_cast<std::size_t>(slot)]; }
    const PendingAccess& at(std::int32_t slot) const {
        return *slots_[static_cast<std::size_t>(slot)];
    }
    /// A free slot, or -1. A slot is free again when its access is ready at local time `now`.
    std::int32_t allocate(Tick now) { return allocate_in(0, slots_.size() - kStoreSlots, now); }
    /// The same from the slots kept for stores, of which there are more than store buffer entries.
    /// They come last: of a load and a store that learn their address at the same time, the store is
    /// the younger, and the load brings the line.
    std::int32_t allocate_for_store(Tick now) {
        return allocate_in(slots_.size() - kStoreSlots, slots_.size(), now);
    }
    /// Ready time of a token (kNever: not known yet).
    Tick ready_of(const Token& t) const {
        if (t.pending < 0) return t.ready;
        const State& s = states_[static_cast<std::size_t>(t.pending)];
        return s.generation == t.generation ? s.ready : t.ready;
    }
    /// Whether the slot that the token names is still that access's.
    bool is_current(const Token& t) const {
        return states_[static_cast<std::size_t>(t.pending)].generation == t.generation;
    }
    Token token_of(std::int32_t slot) const {
        Token t;
        t.pending = slot;
        t.generation = states_[static_cast<std::size_t>(slot)].generation;
        return t;
    }
    /// Program-order number of the oldest load not performed yet (max if none).
    std::uint64_t oldest_unresolved() const { return oldest_unresolved_; }
    /// A slot that is on its way to get `line` and will have it with enough rights, or -1.
    std::int32_t find_line(Addr line, bool ownership) const;
    void note_unresolved(std::int32_t slot);
    /// The access has been performed: its value is there at `ready`.
    void note_resolved(std::int32_t slot, Tick ready);
    /// Of the unresolved: those whose lookup in L1D is not counted yet.
    std::int64_t lookups_to_come() const;
    unsigned unresolved() const { return static_cast<unsigned>(unresolved_.size()); }

private:
    static constexpr std::size_t kStoreSlots = 64;
    std::int32_t allocate_in(std::size_t first, std::size_t last, Tick now);
    void update_oldest();
    /// What is asked most often of a slot, close together.
    struct State {
        Tick ready = 0;  ///< kNever: not performed yet; the slot is free from then on
        std::uint32_t generation = 0;
    };
    std::vector<State> states_;
    std::vector<std::unique_ptr<PendingAccess>> slots_;
    std::vector<std::int32_t> unresolved_;
    std::uint64_t oldest_unresolved_ = ~std::uint64_t{0};
};

}  // namespace linefill::model
