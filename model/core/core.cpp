// SPDX-License-Identifier: Apache-2.0
#include "model/core/core.h"

#include <algorithm>
#include <cassert>

#include "model/coherence/llc.h"
#include "model/core/hw_thread.h"
#include "model/machine.h"

namespace linefill::model {

namespace {
constexpr std::size_t kMiss = CacheArray<PrivateLine>::kMiss;

Event event_of(DataSource s) {
    switch (s) {
        case DataSource::kSameSocketDirty:
            return Event::kHitmLocal;
        case DataSource::kOtherSocketDirty:
            return Event::kHitmRemote;
        case DataSource::kOtherSocketClean:
            return Event::kRemoteForward;
        case DataSource::kDramLocal:
            return Event::kDramLocal;
        case DataSource::kDramRemote:
            return Event::kDramRemote;
        default:
            return Event::kCount;
    }
}

bool beyond_the_socket(DataSource s) {
    return s == DataSource::kOtherSocketDirty || s == DataSource::kOtherSocketClean ||
           s == DataSource::kDramLocal || s == DataSource::kDramRemote;
}
}  // namespace

Core::Core(Machine& machine, const Platform& p, unsigned index, std::uint64_t seed)
    : machine_(machine),
      index_(index),
      socket_(index / p.topology.cores_per_socket),
      l1d_(p.l1d, seed),
      l2_(p.l2, seed),
      l1i_(p.l1i, seed),
      tlbs_(p.tlb),
      fills_(p.mechanisms.finite_window ? p.core.fill_buffers : 64) {}

HwThread* Core::sibling_of(const HwThread& t) const {
    for (HwThread* other : threads_) {
        if (other != &t) return other;
    }
    return nullptr;
}

Tick Core::fill_buffer_free_at(Tick at) const {
    if (open_fills_ != 0) {
        // So many more must be free as are promised to requests that are still out.
        if (open_fills_ >= fills_.size()) return kNever;
        std::vector<Tick> ready;
        for (const FillBuffer& f : fills_) ready.push_back(f.ready);
        std::sort(ready.begin(), ready.end());
        return std::max(at, ready[open_fills_]);
    }
    if (fills_[free_hint_].ready <= at) return at;
    Tick first = kNever;
    for (const FillBuffer& f : fills_) first = std::min(first, f.ready);
    return std::max(at, first);
}

void Core::take_fill_buffer(Addr line, Tick at, Tick ready, DataSource source) {
    const auto free = [at](const FillBuffer& f) { return f.ready <= at; };
    const auto earlier = [](const FillBuffer& a, const FillBuffer& b) { return a.ready < b.ready; };
    auto taken = std::find_if(fills_.begin(), fills_.end(), free);
    if (taken == fills_.end()) taken = std::min_element(fills_.begin(), fills_.end(), earlier);
    *taken = {line, ready, source};
    free_hint_ = static_cast<std::size_t>(taken - fills_.begin() + 1) % fills_.size();
    // A line stays in the mask for a while after its fill: that costs a look at fills_ at most.
    if (fills_noted_++ % kFillsPerMask == 0) {
        fill_mask_ = 0;
        for (const FillBuffer& f : fills_) fill_mask_ |= fill_bit(f.line);
    }
    fill_mask_ |= fill_bit(line);
    last_fill_ready_ = std::max(last_fill_ready_, ready);
}

LineState Core::state_of(Addr line) const {
    std::size_t slot = l1d_.find(line);
    if (slot != kMiss) return l1d_.meta(slot).state;
    slot = l2_.find(line);
    return slot == kMiss ? LineState::kInvalid : l2_.meta(slot).state;
}

std::size_t Core::install_l1d(Addr line, const PrivateLine& meta, Counters& c) {
    const std::size_t slot = l1d_.slot_for(line);
    if (l1d_.valid(slot)) {
        const PrivateLine victim = l1d_.meta(slot);
        const Addr old = l1d_.line_at(slot);
        l1d_.invalidate(slot);
        ++c[Event::kL1dEvict];
        machine_.classifier().on_evict(index_, old);
        if (victim.state == LineState::kModified) {
            const std::size_t below = l2_.find(old);
            if (below != kMiss) {
                l2_.meta(below) = victim;
            } else {
                install_l2(old, victim);
            }
        }
    } else {
        ++c[Event::kL1dFillIntoInvalid];
    }
    l1d_.fill(slot, line, meta);
    ++c[Event::kL1dFill];
    return slot;
}

void Core::install_l2(Addr line, const PrivateLine& meta) {
    const std::size_t slot = l2_.slot_for(line);
    if (l2_.valid(slot)) {
        const PrivateLine victim = l2_.meta(slot);
        const Addr old = l2_.line_at(slot);
        l2_.invalidate(slot);
        // L2 does not include L1: a line that L1 still has stays there, with its state.
        if (victim.state == LineState::kModified && l1d_.find(old) == kMiss) {
            llc_->write_back(index_, old, victim.token, machine_.scheduler().now());
        }
    }
    l2_.fill(slot, line, meta);
}

std::size_t Core::fill_from_l2(Addr line, Tick at, Tick ready, Counters& c) {
    const std::size_t below = l2_.find(line);
    assert(below != kMiss);
    l2_.touch(below);
    take_fill_buffer(line, at, ready, DataSource::kL2);
    PrivateLine meta = l2_.meta(below);
    meta.touched = at;
    return install_l1d(line, meta, c);
}

CoherentTransaction Core::request(Addr line, RequestKind kind, Tick at, bool from_queue,
                                  bool bypass_l2, FieldId field, Schedulable& requester,
                                  Counters& c) {
    CoherentTransaction t;
    t.line = line;
    t.kind = kind;
    t.core = index_;
    t.socket = socket_;
    t.at = at;
    t.from_queue = from_queue;
    t.field = field;
    t.requester = &requester;
    t.has_shared_copy = wants_ownership(kind) && state_of(line) == LineState::kShared;
    llc_->request(t);
    if (t.awaits_memory) {
        machine_.inflight().hold(line, kNever, socket_,
                                 machine_.node_of_addr(line << kLineBits) != socket_);
        if (kind != RequestKind::kCodeRead) ++open_fills_;
    } else {
        take_answer(t, at, bypass_l2, c);
    }
    return t;
}

void Core::finish_awaited(CoherentTransaction& t, Tick now, bool bypass_l2, Counters& c) {
    t.memory_answered = now;
    llc_->request(t);
    if (t.kind != RequestKind::kCodeRead) --open_fills_;
    take_answer(t, now, bypass_l2, c);
    for (Schedulable* who : fill_waiters_) machine_.scheduler().schedule(*who, now);
    fill_waiters_.clear();
}

void Core::take_answer(const CoherentTransaction& t, Tick at, bool bypass_l2, Counters& c) {
    const Addr line = t.line;
    if (t.hold || t.from_queue) {
        machine_.inflight().hold(line, t.hold ? t.hold_until : t.at, socket_,
                                 machine_.node_of_addr(line << kLineBits) != socket_);
    }
    if (t.kind == RequestKind::kCodeRead) return;

    if (wants_ownership(t.kind)) {
        ++c[Event::kLlcRfo];
        if (beyond_the_socket(t.source)) ++c[Event::kLlcRfoMiss];
    } else {
        ++c[Event::kLlcDataRead];
        if (beyond_the_socket(t.source)) ++c[Event::kLlcDataReadMiss];
    }
    const Event from = event_of(t.source);
    if (from != Event::kCount) ++c[from];

    take_fill_buffer(line, at, t.done_at, t.source);
    const std::size_t in_l1 = l1d_.find(line);
    if (in_l1 != kMiss) {  // an upgrade in place
        PrivateLine& mine = l1d_.meta(in_l1);
        mine.state = t.grant;
        mine.token = t.has_shared_copy ? mine.token : t.token;
        ++c[Event::kL1dUpgrade];
        const std::size_t below = l2_.find(line);
        if (below != kMiss) l2_.meta(below).state = t.grant;
        return;
    }
    install(line, t.grant, t.token, at, bypass_l2, c);
}

void Core::install(Addr line, LineState state, std::uint32_t token, Tick at, bool bypass_l2,
                   Counters& c) {
    PrivateLine meta;
    meta.touched = at;
    meta.state = state;
    meta.token = token;
    const std::size_t below = l2_.find(line);
    if (below != kMiss) {
        // An upgrade of a line that only L2 had: its data is here already.
        if (l2_.meta(below).token > meta.token) meta.token = l2_.meta(below).token;
        l2_.meta(below).state = state;
        l2_.touch(below);
    } else if (!bypass_l2) {
        install_l2(line, meta);
    }
    install_l1d(line, meta, c);
}

void Core::written(Addr line, std::size_t slot, Tick at, HwThread* by) {
    PrivateLine& p = l1d_.meta(slot);
    if (at > p.touched) p.touched = at;
    buffered(line, slot, at, by);
}

void Core::buffered(Addr line, std::size_t slot, Tick at, HwThread* by) {
    PrivateLine& p = l1d_.meta(slot);
    assert(p.state == LineState::kModified || p.state == LineState::kExclusive);
    p.state = LineState::kModified;
    machine_.note_write(line, p.token);
    machine_.wake_monitors(line, at);
    if (watch_count_ != 0) wake_watchers(line, at, by);
}

bool Core::l1i_hit(Addr line) {
    const std::size_t slot = l1i_.find(line);
    if (slot == kMiss) return false;
    l1i_.touch(slot);
    return true;
}

void Core::fill_l1i(Addr line) {
    const std::size_t slot = l1i_.slot_for(line);
    if (l1i_.valid(slot)) l1i_.invalidate(slot);
    l1i_.fill(slot, line, PrivateLine{});
    ++l1i_generation_;
}

void Core::install_code_line_in_l2(Addr line, Tick at, Counters&) {
    if (in_l2(line)) return;
    PrivateLine meta;
    meta.touched = at;
    meta.state = LineState::kShared;
    install_l2(line, meta);
}

void Core::snoop(SnoopTransaction& t) {
    t.answer_at = t.at;
    const std::size_t one = l1d_.find(t.line);
    const std::size_t two = l2_.find(t.line);
    if (one != kMiss) {
        PrivateLine& p = l1d_.meta(one);
        t.had_copy = true;
        t.dirty = p.state == LineState::kModified;
        t.token = p.token;
        if (p.touched > t.answer_at) t.answer_at = p.touched;
    }
    // A store that owns the line and is next to drain completes before the line goes; another one has
    // to ask for it again.
    if (one != kMiss || two != kMiss) {
        for (HwThread* h : threads_) h->store_buffer_snooped(t.line, t.answer_at);
    }
    if (one != kMiss) {
        PrivateLine& p = l1d_.meta(one);
        if (t.invalidate) {
            l1d_.invalidate(one);
            ++snooped_[t.back_invalidate ? Event::kL1dBackInvalidate : Event::kL1dSnoopInvalidate];
            machine_.classifier().on_invalidate(index_, t.line, t.back_invalidate);
        } else {
            p.state = LineState::kShared;
        }
    }
    if (two != kMiss) {
        PrivateLine& p = l2_.meta(two);
        if (!t.had_copy) {
            t.had_copy = true;
            t.dirty = p.state == LineState::kModified;
            t.token = p.token;
        }
        if (t.invalidate) {
            l2_.invalidate(two);
        } else {
            p.state = LineState::kShared;
            p.token = t.token;
        }
    }
    if (t.invalidate && watch_count_ != 0) wake_watchers(t.line, t.answer_at, nullptr);
    if (t.invalidate && t.back_invalidate) {
        const std::size_t code = l1i_.find(t.line);
        if (code != kMiss) {
            l1i_.invalidate(code);
            ++l1i_generation_;
        }
    }
    if (AccessObserver* o = machine_.observer(); o != nullptr && t.had_copy) {
        o->on_snoop(t.line, index_, t.by_core, t.invalidate, t.dirty, t.by_field);
    }
}

void Core::watch(HwThread& t, Addr line) {
    assert(watch_count_ < watches_.size());
    watches_[watch_count_++] = {&t, line};
    machine_.add_watch(line, t);
}

void Core::unwatch(HwThread& t) {
    for (unsigned i = 0; i < watch_count_; ++i) {
        if (watches_[i].thread == &t) {
            watches_[i] = watches_[--watch_count_];
            machine_.remove_watch(t);
            return;
        }
    }
}

void Core::wake_watchers(Addr line, Tick at, const HwThread* except) {
    for (unsigned i = 0; i < watch_count_; ++i) {
        if (watches_[i].line == line && watches_[i].thread != except) {
            watches_[i].thread->line_taken(at);
        }
    }
}

void Core::flush_private(Tick at) {
    for (CacheArray<PrivateLine>* array : {&l1d_, &l2_}) {
        for (std::size_t slot = 0; slot < array->slots(); ++slot) {
            if (!array->valid(slot)) continue;
            const Addr line = array->line_at(slot);
            const PrivateLine p = array->meta(slot);
            array->invalidate(slot);
            if (array == &l1d_) {
                ++snooped_[Event::kL1dEvict];
                const std::size_t below = l2_.find(line);
                if (below != kMiss) l2_.meta(below) = p;
                if (below != kMiss) continue;
            }
            if (p.state == LineState::kModified) llc_->write_back(index_, line, p.token, at);
        }
    }
}

}  // namespace linefill::model
