// SPDX-License-Identifier: Apache-2.0
// The store buffer of a hardware thread: stores retire into it and drain in order, each when its line
// is owned. The request for ownership starts when the store executes, so several overlap; a store whose
// line is taken away again before its turn asks again then.
#pragma once

#include <cstdint>
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
        std::uint64_t sequence = 0;  ///< program order among loads and stores
        Tick issue = 0;
        Tick floor = 0;          ///< all older loads have completed by then
        Tick owned_at = kNever;  ///< kNever: ownership not granted yet
        Tick drain = kNever;     ///< kNever: not known yet
        StoreEffect effect;
        FieldId field = kNoField;
        unsigned size = 0;
        bool requested = false;  ///< a request for ownership is under way
    };

    /// A new store that nobody owns or asks for, at local time `now`. The caller fills all else in;
    /// push() then adds it.
    Entry& prepare(Tick now);
    /// `owned_at` is kNever if ownership must still be got (the caller starts that).
    void push();
    /// Entries that have not drained by `now`.
    std::size_t occupancy(Tick now) const;
    /// At least as many.
    std::size_t size() const { return entries_.size(); }
    /// When the oldest entry that has not drained by `now` drains (kNever: not known yet; `now` if none).
    Tick head_drain(Tick now) const;
    /// When everything has drained (kNever: not known yet).
    Tick drained_at() const;
    /// The stores that drain after `now`, in order, as (when, field): a thread that waits for the
    /// buffer waits for each from the drain of the one before. Only while drained_at() is known.
    template <class Function>
    void each_drain(Function&& function) const {
        for (const Drained& d : visible_) function(d.at, d.field);
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            function(entries_[i].drain, entries_[i].field);
        }
    }
    /// Of the entry that head_drain() names.
    FieldId head_field(Tick now) const;
    /// The youngest store not drained by `at` that covers the bytes, or null.
    const Entry* forwards(Addr addr, unsigned size, Tick at) const;
    /// An undrained store to this line whose ownership is under way.
    bool line_requested(Addr line) const;
    bool may_hold(Addr line) const { return (mask_ & bit(line)) != 0; }

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
    /// Stores in program order. A ring: nothing is allocated once it is as large as it gets.
    class Queue {
    public:
        [[nodiscard]] std::size_t size() const { return size_; }
        [[nodiscard]] bool empty() const { return size_ == 0; }
        Entry& operator[](std::size_t i) { return slots_[(head_ + i) & (slots_.size() - 1)]; }
        const Entry& operator[](std::size_t i) const {
            return slots_[(head_ + i) & (slots_.size() - 1)];
        }
        Entry& front() { return slots_[head_]; }
        [[nodiscard]] const Entry& front() const { return slots_[head_]; }
        Entry& back() { return (*this)[size_ - 1]; }
        /// The slot behind the last, which push_back() then takes in.
        Entry& next() {
            if (size_ == slots_.size()) grow();
            return (*this)[size_];
        }
        void push_back() { ++size_; }
        void pop_front() {
            // An empty one starts over: the first slots are in the host's caches.
            head_ = --size_ == 0 ? 0 : (head_ + 1) & (slots_.size() - 1);
        }
        void erase(std::size_t i);

    private:
        void grow();
        std::vector<Entry> slots_{8};  // a power of two of them
        std::size_t head_ = 0, size_ = 0;
    };

    static std::uint64_t bit(Addr line) { return std::uint64_t{1} << (line & 63); }
    /// When the stores drain, from what is known now, and when this buffer must act.
    void recompute();
    /// The same after a store has been added and nothing else has changed.
    void compute_last();
    /// When `e` drains, `previous` being when the one before it does (out of order: the last one with an
    /// effect), and when the buffer must act because of it (kNever: it need not).
    Tick place(Entry& e, Tick& previous, Tick cycle, std::uint64_t oldest_load) const;
    void act_at(Tick when);
    void renew_mask();
    void complete_through(std::size_t index, Tick now);
    /// Out of order: of a line what has drained, and releases that were due before.
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
    Queue entries_;
    std::vector<Drained> visible_;  // while attribution is on
    Tick last_drain_ = 0;
    Tick cycle_ = 0;          // period of the core's clock at the last recompute()
    std::uint64_t mask_ = 0;  // which lines (mod 64) may be in entries_
};

}  // namespace linefill::model
