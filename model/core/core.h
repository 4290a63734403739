// SPDX-License-Identifier: Apache-2.0
// A core: what its hardware threads share. L1I, L1D, L2, TLBs, line-fill buffers; the private part of
// the coherence protocol (snoops, evictions, upgrades).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/cache/cache_array.h"
#include "model/cache/tlb.h"
#include "model/coherence/ports.h"
#include "model/core/counters.h"
#include "model/core/miss_classifier.h"
#include "model/platform/platform.h"
#include "model/sim/time.h"

namespace linefill::model {

class HwThread;
class Machine;

struct PrivateLine {
    Tick touched = 0;  ///< local time of the last access: a snoop answers no earlier
    std::uint32_t token = 0;
    LineState state = LineState::kInvalid;
};

/// A fill in flight.
struct FillBuffer {
    Addr line = ~Addr{0};
    Tick ready = 0;
    DataSource source = DataSource::kL2;
};

class Core final : public SnoopPort {
public:
    Core(Machine& machine, const Platform& platform, unsigned index, std::uint64_t seed);

    void add_thread(HwThread& t) { threads_.push_back(&t); }
    void connect(LlcPort& llc) { llc_ = &llc; }

    unsigned index() const { return index_; }
    unsigned socket() const { return socket_; }
    Machine& machine() { return machine_; }
    const std::vector<HwThread*>& threads() const { return threads_; }
    HwThread* sibling_of(const HwThread& t) const;

    // ---- lookups (no time passes; hits may run ahead of global time) -------------------------
    /// L1D slot that holds the line with at least the right to read, or kMiss.
    std::size_t find_l1d(Addr line) const { return l1d_.find(line); }
    PrivateLine& l1d_line(std::size_t slot) { return l1d_.meta(slot); }
    /// The line is used up to `at`: a snoop before that is answered no earlier. What runs ahead of
    /// global time only notes the use in l1d().
    void touch_l1d(std::size_t slot, Tick at) {
        l1d_.touch(slot);
        PrivateLine& p = l1d_.meta(slot);
        if (at > p.touched) p.touched = at;
    }
    /// The fill buffer of `line` if its fill is still in flight at `at`.
    const FillBuffer* fill_in_flight(Addr line, Tick at) const {
        if (!may_be_filling(line, at)) return nullptr;
        for (const FillBuffer& f : fills_) {
            if (f.line == line && f.ready > at) return &f;
        }
        return nullptr;
    }
    /// May a fill of `line` be in flight at `at`? (No means no.)
    bool may_be_filling(Addr line, Tick at) const {
        return at < last_fill_ready_ && (fill_mask_ & fill_bit(line)) != 0;
    }
    /// When a fill buffer is free: `at` or later, kNever if all wait for a memory that answers later.
    Tick fill_buffer_free_at(Tick at) const;
    /// State of the core's copy, wherever it is (L1D first, then L2).
    LineState state_of(Addr line) const;
    bool in_l2(Addr line) const { return l2_.find(line) != CacheArray<PrivateLine>::kMiss; }

    // ---- accesses that change state; in global time order ------------------------------------
    /// L1D fill from L2 (present there): returns the L1D slot. Takes a fill buffer until `ready`.
    std::size_t fill_from_l2(Addr line, Tick at, Tick ready, Counters& c);
    /// Asks the LLC for `line`; the in-flight table has let the request in. Installs the line and
    /// counts where it came from. Returns the transaction with its answer; or with `awaits_memory`
    /// set: `requester` is fired when memory has answered, and finishes it. The line and a fill
    /// buffer are held until then.
    CoherentTransaction request(Addr line, RequestKind kind, Tick at, bool from_queue,
                                bool bypass_l2, FieldId field, Schedulable& requester, Counters& c);
    /// The rest of request(), when the requester was fired at `now`.
    void finish_awaited(CoherentTransaction& t, Tick now, bool bypass_l2, Counters& c);
    /// All fill buffers wait for memory: `who` is fired when one of them is told its time.
    void wait_for_fill_buffer(Schedulable& who) { fill_waiters_.push_back(&who); }
    /// The core has written the line (it must hold it modified or exclusive): tokens, watchers of the
    /// sibling. `by` is the writing thread.
    void written(Addr line, std::size_t slot, Tick at, HwThread* by);
    /// A store that finds the right to write here has gone into the store buffer at `at`, ahead of
    /// global time perhaps. It writes the line when it drains: until then a snoop takes the line away
    /// without waiting, and the store asks for it again.
    void buffered(Addr line, std::size_t slot, Tick at, HwThread* by);

    /// Code fetch of one line; returns when it is there. May block the thread.
    bool l1i_hit(Addr line);
    void fill_l1i(Addr line);
    std::uint64_t l1i_generation() const { return l1i_generation_; }
    void install_code_line_in_l2(Addr line, Tick at, Counters& c);

    void snoop(SnoopTransaction& t) override;

    // ---- waiting on a line --------------------------------------------------------------------
    void watch(HwThread& t, Addr line);
    void unwatch(HwThread& t);

    Tlbs& tlbs() { return tlbs_; }
    /// Deep idle: private caches are written back and emptied.
    void flush_private(Tick at);
    std::size_t l1d_resident() const { return l1d_.resident(); }
    /// Fills, evictions and snoops that no thread's counters were at hand for (snoops by others).
    const Counters& unattributed() const { return snooped_; }
    CacheArray<PrivateLine>& l1d() { return l1d_; }
    CacheArray<PrivateLine>& l2() { return l2_; }

    Tick walker_free_at = 0;  ///< one page walker per core

private:
    static constexpr unsigned kFillsPerMask = 8;  // after so many the mask is made anew
    static std::uint64_t fill_bit(Addr line) { return std::uint64_t{1} << (line & 63); }
    void take_answer(const CoherentTransaction& t, Tick at, bool bypass_l2, Counters& c);
    void install(Addr line, LineState state, std::uint32_t token, Tick at, bool bypass_l2,
                 Counters& c);
    std::size_t install_l1d(Addr line, const PrivateLine& meta, Counters& c);
    void install_l2(Addr line, const PrivateLine& meta);
    void take_fill_buffer(Addr line, Tick at, Tick ready, DataSource source);
    void wake_watchers(Addr line, Tick at, const HwThread* except);

    Machine& machine_;
    unsigned index_;
    unsigned socket_;
    LlcPort* llc_ = nullptr;
    std::vector<HwThread*> threads_;
    CacheArray<PrivateLine> l1d_, l2_, l1i_;
    Tlbs tlbs_;
    std::vector<FillBuffer> fills_;
    Tick last_fill_ready_ = 0;
    std::size_t free_hint_ = 0;    ///< in fills_: is free, or all must be looked at
    std::uint64_t fill_mask_ = 0;  // which lines (mod 64) may be in fills_
    unsigned fills_noted_ = 0;
    unsigned open_fills_ = 0;  ///< fill buffers of requests that memory has not answered
    std::vector<Schedulable*> fill_waiters_;
    std::uint64_t l1i_generation_ = 1;
    struct Watch {
        HwThread* thread = nullptr;
        Addr line = 0;
    };
    std::array<Watch, 4> watches_{};
    unsigned watch_count_ = 0;
    Counters snooped_;
};

}  // namespace linefill::model
