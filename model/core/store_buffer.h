// SPDX-License-Identifier: Apache-2.0
// The store buffer of a hardware thread: stores retire into it and drain in order, each when its line
// is owned. The request for ownership starts when the store executes, so several overlap; a store whose
// line is taken away again before its turn asks again then.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "model/core/access.h"
#include "model/sim/scheduler.h"

namespace linefill::model {

class HwThread;

/// What happens when a store becomes visible: the release of a lock. Runs in global time order.
struct StoreEffect {
    void (*function)(void* object, std::uint64_t value) = nullptr;
    void* object = nullptr;
    std::uint64_t value = 0;
};

class StoreBuffer final : public Schedulable {
public:
    StoreBuffer(HwThread& owner, std::uint32_t rank, bool in_order);

    struct Entry {
        Addr addr = 0;
        Addr line = 0;
        unsigned size = 0;
        FieldId field = kNoField;
        FunctionId function = kNoFunction;
        std::uint64_t sequence = 0;  ///< program order among loads and stores
        Tick issue = 0;
        Tick floor = 0;          ///< all older loads have completed by then
        Tick owned_at = kNever;  ///< kNever: ownership not granted yet
        bool requested = false;  ///< a request for ownership is under way
        Tick drain = kNever;     ///< kNever: not known yet
        StoreEffect effect;
    };

    /// Adds a store; `owned_at` is kNever if ownership must still be got (the caller starts that).
    /// Returns its sequence.
    void push(const Entry& e);
    /// Entries that have not drained by `now`.
    std::size_t occupancy(Tick now) const;
    /// When the oldest entry that has not drained by `now` drains (kNever: not known yet; `now` if none).
    Tick head_drain(Tick now) const;
    /// When everything has drained (kNever: not known yet).
    Tick drained_at() const;
    /// The stores that drain after `now`, in order, as (when, field): a thread that waits for the
    /// buffer waits for each from the drain of the one before. Only while drained_at() is known.
    template <class Function>
    void each_drain(Function&& function) const {
        for (const Drained& d : visible_) function(d.at, d.field);
        for (const Entry& e : entries_) function(e.drain, e.field);
    }
    /// Of the entry that head_drain() names.
    FieldId head_field(Tick now) const;
    /// The youngest store not drained by `at` that covers the bytes, or null.
    const Entry* forwards(Addr addr, unsigned size, Tick at) const;
    /// An undrained store to this line whose ownership is under way.
    bool line_requested(Addr line) const;
    bool may_hold(Addr line) const { return (mask_ >> (line & 63) & 1) != 0; }

    /// Ownership of `line` was granted, data at `ready`.
    void owned(Addr line, Tick ready);
    /// A load older than `sequence`s above it completed at `ready`.
    void load_resolved(std::uint64_t sequence, Tick ready);
    /// Another agent takes `line` at `at`; entries that are about to drain do, and push `at` back.
    void snooped(Addr line, Tick& at);
    bool empty() const { return entries_.empty(); }

protected:
    void fire(Tick now) override;

private:
    void recompute();
    void complete_through(std::size_t index, Tick now);
    void complete_line(Addr line, Tick now);
    void prune(Tick now);

    /// A store that others see and its own thread, which is behind them in time, still waits for.
    struct Drained {
        Tick at;
        FieldId field;
    };
    void note_visible(const Entry& e);

    HwThread& owner_;
    bool in_order_;
    std::deque<Entry> entries_;
    std::vector<Drained> visible_;  // while attribution is on
    Tick last_drain_ = 0;
    std::uint64_t mask_ = 0;  // which lines (mod 64) may be in entries_
};

}  // namespace linefill::model
