// SPDX-License-Identifier: Apache-2.0
// Loads, stores, prefetches and locked operations of a hardware thread.
#include <algorithm>
#include <cassert>

#include "model/core/core.h"
#include "model/core/hw_thread.h"
#include "model/machine.h"

namespace linefill::model {

namespace {
constexpr std::size_t kMiss = CacheArray<PrivateLine>::kMiss;

bool wants_write(PendingKind k) {
    return k == PendingKind::kStore || k == PendingKind::kLocked || k == PendingKind::kPrefetchOwn;
}

RequestKind request_kind(PendingKind k) {
    if (wants_write(k)) return RequestKind::kReadForOwnership;
    if (k == PendingKind::kPrefetch) return RequestKind::kPrefetchRead;
    if (k == PendingKind::kCode) return RequestKind::kCodeRead;
    return RequestKind::kRead;
}
}  // namespace

Tick HwThread::translate_slow(Addr addr, bool is_store, Tick at) {
    switch (core_tlbs_.data(addr)) {
        case TlbResult::kHit:
            return 0;
        case TlbResult::kStlbHit:
            return timing_->stlb_hit;
        case TlbResult::kWalk:
            break;
    }
    ++(*bank_)[is_store ? Event::kDtlbWalkStore : Event::kDtlbWalkLoad];
    // One walker per core; the leaf entry is read through the caches. Of a load whose address is not
    // known yet only the walk's length is, and it does not keep the walker busy meanwhile.
    const bool known_at = at != kNever;
    const Tick from = known_at ? at : now_;
    const Tick start = known_at ? std::max(at, core_.walker_free_at) : now_;
    const Addr leaf = Machine::page_table_entry(addr, core_tlbs_.page_of(addr));
    const Addr line = line_of(leaf);
    Tick leaf_latency = timing_->l1;
    // The delay shows in the access that waits for the walk.
    if (const std::size_t slot = core_.find_l1d(line); slot != kMiss) {
        core_.l1d().touch(slot);
    } else {
        const Token t = miss(leaf, 8, kNoField, PendingKind::kWalk, start, {}, false);
        leaf_latency = known(t) - start;
    }
    const Tick end = start + timing_->walk + leaf_latency;
    if (known_at) core_.walker_free_at = end;
    return end - from;
}

std::int32_t HwThread::new_slot() {
    for (;;) {
        const std::int32_t slot = pending_.allocate(now_);
        if (slot >= 0) return slot;
        // All in use: wait for the oldest in the window, or for anything.
        if (window_count_ != 0) {
            const Outstanding& o = window_[window_head_];
            stall_until(known(o.token), component_of(o.token), o.field);
            pop_window();
        } else {
            drain_stores();
        }
    }
}

Token HwThread::load_other(Addr addr, unsigned size, FieldId field, Token dep) {
    if (functional_) return {};
    Token t = load_detailed(addr, size, field, dep);
    report_issue(AccessKind::kLoad, addr, size, field, dep, &t);
    return t;
}

Token HwThread::load_detailed(Addr addr, unsigned size, FieldId field, Token dep) {
    if (!check()) return running().load(addr, size, field);
    issue(1);
    ++(*bank_)[Event::kLoads];
    ++sequence_;
    // The translation starts when the address is known, as the access itself would.
    const Tick at = std::max(now_, pending_.ready_of(dep));
    const Tick walk = translate(addr, false, at);
    // The usual case: the line is in L1D, with neither a fill nor an own store to it under way.
    const Addr line = line_of(physical(addr));
    if (at == kNever || walk != 0 || stores_.may_hold(line) || core_.may_be_filling(line, at)) {
        return load_special(addr, size, field, dep, at, walk);
    }
    const std::size_t slot = core_.find_l1d(line);
    if (slot == kMiss) return load_special(addr, size, field, dep, at, walk);
    ++(*bank_)[Event::kL1dHit];
    core_.l1d().touch(slot);
    Token t;
    t.ready = at + timing_->l1;
    if (at > now_) push_window(t, field, CpiComponent::kBase);
    report_hit(AccessKind::kLoad, field, addr, at, timing_->l1, DataSource::kL1);
    retire_window();
    return t;
}

Token HwThread::load_special(Addr addr, unsigned size, FieldId field, Token dep, Tick at,
                             Tick walk) {
    Counters& c = *bank_;
    const bool unknown = at == kNever;
    if (!unknown) at += walk;
    const Addr line = line_of(physical(addr));
    if (stores_.may_hold(line)) {
        if (const StoreBuffer::Entry* e = stores_.forwards(addr, size, unknown ? now_ : at)) {
            ++c[Event::kL1dHit];
            const Tick ready = std::max(unknown ? now_ : at, e->issue) + timing_->store_forward;
            report_hit(AccessKind::kLoad, field, addr, at, timing_->store_forward,
                       DataSource::kForward);
            Token t;
            t.ready = ready;
            return t;
        }
    }
    const std::size_t slot = unknown ? kMiss : core_.find_l1d(line);
    if (slot != kMiss) {
        core_.l1d().touch(slot);
        Token t;
        if (const FillBuffer* f = core_.fill_in_flight(line, at)) {
            ++c[Event::kL1dMerge];
            t.ready = f->ready;
            push_window(t, field, component_of(f->source));
            report_hit(AccessKind::kLoad, field, addr, at, f->ready - at, DataSource::kFillBuffer);
        } else {
            ++c[Event::kL1dHit];
            t.ready = at + timing_->l1;
            if (at > now_)
                push_window(t, field, walk > 0 ? CpiComponent::kTlb : CpiComponent::kBase);
            report_hit(AccessKind::kLoad, field, addr, at, timing_->l1, DataSource::kL1);
        }
        retire_window();
        return t;
    }
    const Token t = miss(addr, size, field, PendingKind::kLoad, unknown ? kNever : at, dep, false);
    if (unknown && t.pending >= 0) pending_.at(t.pending).translation = walk;
    push_window(t, field, CpiComponent::kL2);
    retire_window();
    return t;
}

Token HwThread::miss(Addr addr, unsigned size, FieldId field, PendingKind kind, Tick issue_at,
                     const Token& dep, bool nta) {
    const Addr line = line_of(physical(addr));
    // Merge with an access that is on its way to the same line.
    if (pending_.unresolved() != 0 && issue_at != kNever && kind != PendingKind::kLocked &&
        kind != PendingKind::kStore) {
        const std::int32_t same = pending_.find_line(line, false);
        if (same >= 0) {
            if (kind != PendingKind::kWalk) ++(*bank_)[Event::kL1dMerge];
            if (kind != PendingKind::kWalk && kind != PendingKind::kCode) {
                report_hit(kind == PendingKind::kLoad ? AccessKind::kLoad : AccessKind::kPrefetch,
                           field, addr, issue_at, 0, DataSource::kFillBuffer);
            }
            return pending_.token_of(same);
        }
    }
    const std::int32_t slot = new_slot();
    if (issue_at == kNever) {
        // A page walk or the wait for a slot may have let the load finish that the address needs.
        const Tick ready = pending_.ready_of(dep);
        if (ready != kNever) issue_at = std::max(ready, now_);
    }
    PendingAccess& p = pending_.at(slot);
    p.addr = addr;
    p.size = size;
    p.kind = kind;
    p.field = field;
    p.function = context_ != nullptr ? context_->top() : kNoFunction;
    p.caller = context_ != nullptr ? context_->caller() : kNoFunction;
    p.sequence = sequence_;
    p.issue = issue_at;
    p.earliest = now_;
    p.translation = 0;
    p.nta = nta;
    const Token t = pending_.token_of(slot);
    if (issue_at == kNever) {
        pending_.note_unresolved(slot);
        pending_.at(dep.pending).children.push_back(slot);
        return t;
    }
    // L2 is private: no other agent sees a hit there.
    const bool l2_serves = kind != PendingKind::kCode && core_.in_l2(line) &&
                           (!wants_write(kind) || core_.state_of(line) != LineState::kShared) &&
                           core_.find_l1d(line) == kMiss;
    const Tick free_at = core_.fill_buffer_free_at(issue_at);
    const bool room = free_at <= issue_at;
    if (l2_serves && room) {
        perform(p, issue_at);
        return t;
    }
    pending_.note_unresolved(slot);
    if (room && issue_at <= now_ && scheduler_.is_next(*this, issue_at)) {
        scheduler_.sync(*this, issue_at);
        perform(p, issue_at);
        return t;
    }
    // With all fill buffers waiting for memory it finds out when it is fired.
    scheduler_.schedule(p, free_at == kNever ? issue_at : std::max(issue_at, free_at));
    return t;
}

void HwThread::perform(PendingAccess& p, Tick now) {
    if (p.awaited != nullptr) {
        core_.finish_awaited(*p.awaited, now, p.nta, *bank_);
        const auto t = std::move(p.awaited);
        filled(p, *t, now);
        return;
    }
    const Addr line = line_of(physical(p.addr));
    Counters& c = *bank_;
    const bool write = wants_write(p.kind);
    const bool asks_again = p.kind == PendingKind::kLocked && locked_fresh_;
    const bool lookup_counts =
        !p.counted && !asks_again && p.kind != PendingKind::kCode && p.kind != PendingKind::kWalk;
    bool l2_has = false;
    if (p.kind != PendingKind::kCode) {
        const std::size_t slot = core_.find_l1d(line);
        if (slot != kMiss && (!write || core_.l1d_line(slot).state != LineState::kShared)) {
            core_.touch_l1d(slot, now);
            const FillBuffer* f = core_.fill_in_flight(line, now);
            if (lookup_counts) ++c[f != nullptr ? Event::kL1dMerge : Event::kL1dHit];
            if (p.queued) machine_.inflight().leave(line, p, now);
            const DataSource from = f != nullptr ? f->source : DataSource::kL1;
            if (write) core_.written(line, slot, now, this);
            p.source = f != nullptr ? DataSource::kFillBuffer : DataSource::kL1;
            p.ready = f != nullptr ? f->ready : now + timing_->l1;
            report(p, MissClass::kHit, now);
            resolve(p, p.ready, from);
            return;
        }
        if (lookup_counts) {
            ++c[Event::kL1dMiss];
            p.counted = true;
        }
        l2_has = core_.in_l2(line);
        if (l2_has && slot == kMiss && (!write || core_.state_of(line) != LineState::kShared)) {
            ++c[Event::kL2Hit];
            if (p.queued) machine_.inflight().leave(line, p, now);
            const Tick ready = now + timing_->l2;
            const std::size_t filled = core_.fill_from_l2(line, now, ready, c);
            if (write) core_.written(line, filled, now, this);
            p.source = DataSource::kL2;
            p.ready = ready;
            report(p, machine_.classifier().classify(core_.index(), physical(p.addr), p.size), now);
            resolve(p, ready, DataSource::kL2);
            return;
        }
        const Tick room = core_.fill_buffer_free_at(now);
        if (room > now && !p.queued) {
            if (room == kNever) {
                core_.wait_for_fill_buffer(p);
            } else {
                scheduler_.schedule(p, room);
            }
            return;
        }
    }
    const bool was_queued = p.queued;
    if (!machine_.inflight().begin(line, p, now)) {
        p.queued = true;
        ++c[Event::kInflightConflict];
        return;
    }
    p.queued = false;
    if (p.kind != PendingKind::kCode && !l2_has) ++c[Event::kL2Miss];
    p.miss = MissClass::kHit;
    if (machine_.classifier().enabled()) {
        p.miss = write && core_.state_of(line) == LineState::kShared
                     ? MissClass::kUpgrade
                     : machine_.classifier().classify(core_.index(), physical(p.addr), p.size);
    }
    const CoherentTransaction t =
        core_.request(line, request_kind(p.kind), now, was_queued, p.nta, p.field, p, c);
    if (t.awaits_memory) {
        p.awaited = std::make_unique<CoherentTransaction>(t);
    } else {
        filled(p, t, now);
    }
}

void HwThread::filled(PendingAccess& p, const CoherentTransaction& t, Tick now) {
    if (wants_write(p.kind)) {
        const Addr line = line_of(physical(p.addr));
        const std::size_t slot = core_.find_l1d(line);
        core_.written(line, slot, now, this);
        core_.touch_l1d(slot, t.done_at);
    }
    p.source = t.source;
    p.ready = t.done_at;
    report(p, p.miss, p.issue);
    resolve(p, t.done_at, t.source);
}

void HwThread::resolve(PendingAccess& p, Tick ready, DataSource source) {
    p.ready = ready;
    p.source = source;
    pending_.note_resolved(p.slot, ready);
    if (p.in_window) {
        known_ready_ = std::max(known_ready_, ready);
        head_ready_ = 0;  // it may be this one
    }
    for (const std::int32_t child : p.children) {
        PendingAccess& ch = pending_.at(child);
        ch.issue = std::max(ready, ch.earliest) + ch.translation;
        scheduler_.schedule(ch, ch.issue);
    }
    p.children.clear();
    if (p.kind == PendingKind::kStore) stores_.owned(line_of(physical(p.addr)), ready);
    if (p.kind == PendingKind::kLoad) stores_.load_resolved(p.sequence, ready);
    if (blocked_ && blocked_for_ == p.slot) scheduler_.schedule(*this, scheduler_.now());
}

void HwThread::request_ownership(Addr addr, unsigned size, FieldId field, Tick at) {
    const std::int32_t slot = pending_.allocate_for_store(at);
    assert(slot >= 0 && "more stores ask for ownership than there are slots");
    PendingAccess& p = pending_.at(slot);
    p.addr = addr;
    p.size = size;
    p.kind = PendingKind::kStore;
    p.field = field;
    p.function = context_ != nullptr ? context_->top() : kNoFunction;
    p.caller = context_ != nullptr ? context_->caller() : kNoFunction;
    p.sequence = sequence_;
    p.issue = at;
    p.counted = true;  // the store's own lookup was counted when it executed
    pending_.note_unresolved(slot);
    scheduler_.schedule(p, at);
}

void HwThread::store(Addr addr, unsigned size, FieldId field, Token dep, StoreEffect effect) {
    if (functional_) {
        if (effect.function != nullptr) effect.function(effect.object, effect.value);
        machine_.notify_host_write(line_of(physical(addr)), scheduler_.now(), this);
        return;
    }
    if (!check()) return running().store(addr, size, field, {}, effect);
    if (recording_issues_) report_issue(AccessKind::kStore, addr, size, field, dep, nullptr);
    issue(1);
    Counters& c = *bank_;
    ++c[Event::kStores];
    ++sequence_;
    const unsigned room = store_room_;
    while (stores_.size() >= room && stores_.occupancy(now_) >= room) {
        const Tick head = stores_.head_drain(now_);
        if (head == kNever) {
            block(kWaitForRoom);
        } else {
            stall_until(head, CpiComponent::kStoreBuffer, stores_.head_field(now_));
        }
    }
    Tick at = std::max(now_, known(dep));
    at += translate(addr, true, at);
    const Addr line = line_of(physical(addr));
    if (classifying_) machine_.classifier().on_write(core_.index(), physical(addr), size);
    StoreBuffer::Entry& e = stores_.prepare(now_);
    e.addr = addr;
    e.line = line;
    e.size = size;
    e.field = field;
    e.sequence = sequence_;
    e.issue = at;
    e.effect = effect;
    e.floor = loads_complete();
    const std::size_t slot = core_.find_l1d(line);
    const bool mine = slot != kMiss && core_.l1d_line(slot).state != LineState::kShared;
    if (mine) {
        const FillBuffer* f = core_.fill_in_flight(line, at);
        ++c[f != nullptr ? Event::kL1dMerge : Event::kL1dHit];
        core_.l1d().touch(slot);
        core_.buffered(line, slot, at, this);
        e.owned_at = f != nullptr ? f->ready : at;
        report_hit(AccessKind::kStore, field, addr, at, 0,
                   f != nullptr ? DataSource::kFillBuffer : DataSource::kL1);
        stores_.push();
        return;
    }
    e.requested = true;
    if (stores_.line_requested(line)) {
        ++c[Event::kL1dMerge];
        report_hit(AccessKind::kStore, field, addr, at, 0, DataSource::kFillBuffer);
        stores_.push();
        return;
    }
    ++c[Event::kL1dMiss];
    stores_.push();
    request_ownership(addr, size, field, at);
}

void HwThread::store_visible(const StoreBuffer::Entry& e, Tick now) {
    e.effect.function(e.effect.object, e.effect.value);
    machine_.notify_host_write(e.line, now, this);
}

void HwThread::store_buffer_changed() {
    if (!blocked_) return;
    const bool drains_known = blocked_for_ == kWaitForDrains && stores_.drained_at() != kNever;
    if (drains_known || blocked_for_ == kWaitForRoom) scheduler_.schedule(*this, scheduler_.now());
}

void HwThread::prefetch(Addr addr, FieldId field, PrefetchKind kind, Token dep) {
    if (functional_) return;
    if (!check()) return running().prefetch(addr, field, kind);
    if (recording_issues_) report_issue(AccessKind::kPrefetch, addr, 1, field, dep, nullptr);
    issue(1);
    Counters& c = *bank_;
    ++c[Event::kSoftwarePrefetch];
    const Tick at = std::max(now_, pending_.ready_of(dep));
    const Addr line = line_of(physical(addr));
    if (at != kNever) {
        const Tick walk = translate(addr, false, at);
        const std::size_t slot = core_.find_l1d(line);
        if (slot != kMiss) {
            ++c[Event::kL1dHit];
            core_.l1d().touch(slot);
            report_hit(AccessKind::kPrefetch, field, addr, at, 0, DataSource::kL1);
            return;
        }
        const bool own = !machine_.platform().mechanisms.prefetch_shared_only;
        miss(addr, 1, field, own ? PendingKind::kPrefetchOwn : PendingKind::kPrefetch, at + walk,
             {}, kind == PrefetchKind::kNta);
        return;
    }
    const bool own = !machine_.platform().mechanisms.prefetch_shared_only;
    miss(addr, 1, field, own ? PendingKind::kPrefetchOwn : PendingKind::kPrefetch, kNever, dep,
         kind == PrefetchKind::kNta);
}

HwThread& HwThread::begin_locked(Addr addr, unsigned size, FieldId field, Token dep) {
    locked_fresh_ = false;
    if (functional_) return *this;
    if (!check()) return running().begin_locked(addr, size, field, {});
    if (recording_issues_) report_issue(AccessKind::kRmw, addr, size, field, dep, nullptr);
    issue(1);
    ++sequence_;
    drain_loads();
    drain_stores();
    stall_until(known(dep), component_of(dep), field_of(dep));
    const Tick walk = translate(addr, true, now_);
    if (walk > 0) stall_until(now_ + walk, CpiComponent::kTlb, field);
    const Addr line = line_of(physical(addr));
    scheduler_.sync(*this, now_);
    // Counted together with its lookup, so that the sums agree whenever a run is stopped.
    Counters& c = *bank_;
    ++c[Event::kLoads];
    ++c[Event::kStores];
    ++c[Event::kLockedOps];
    ++c[Event::kL1dHit];  // the store half: the load half brought the line
    for (;;) {
        const std::size_t slot = core_.find_l1d(line);
        if (slot != kMiss && core_.l1d_line(slot).state != LineState::kShared) {
            if (!locked_fresh_) {
                const FillBuffer* f = core_.fill_in_flight(line, now_);
                ++c[f != nullptr ? Event::kL1dMerge : Event::kL1dHit];
                report_hit(AccessKind::kRmw, field, addr, now_, timing_->lock_rmw, DataSource::kL1);
            }
            // The line may still be in the sibling's locked operation, or on its way.
            stall_until(core_.l1d_line(slot).touched, CpiComponent::kSameSocket, field);
            break;
        }
        const Token t = miss(addr, size, field, PendingKind::kLocked, now_, {}, false);
        const Tick ready = known(t);
        const std::size_t got = core_.find_l1d(line);
        const bool ours = got != kMiss && core_.l1d_line(got).state != LineState::kShared;
        stall_until(ready, component_of(t), field);
        locked_fresh_ = true;
        // A line that came by our own transaction is held for us: the operation happens before it can
        // go. One that the sibling had brought is not, and may have gone at this very time.
        if (ours) break;
    }
    machine_.classifier().on_write(core_.index(), physical(addr), size);
    return *this;
}

void HwThread::end_locked(Addr addr, FieldId field) {
    const Addr line = line_of(physical(addr));
    if (functional_) {
        machine_.notify_host_write(line, scheduler_.now(), this);
        return;
    }
    // The load-to-use part of a locked operation is in the miss that brought the line.
    const Tick cost =
        locked_fresh_ ? std::max<Tick>(0, timing_->lock_rmw - timing_->l1) : timing_->lock_rmw;
    now_ += cost;
    count_time(cost, CpiComponent::kLockedOp, field);
    const std::size_t slot = core_.find_l1d(line);
    if (slot != kMiss) core_.written(line, slot, now_, this);
    if (locked_fresh_) machine_.inflight().extend(line, now_);
    machine_.wake_monitors(line, now_);
    check();
}

}  // namespace linefill::model
