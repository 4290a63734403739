// SPDX-License-Identifier: Apache-2.0
#include "model/core/store_buffer.h"

#include <algorithm>
#include <utility>

#include "model/core/core.h"
#include "model/core/hw_thread.h"

namespace linefill::model {

StoreBuffer::StoreBuffer(HwThread& owner, std::uint32_t rank, bool in_order)
    : Schedulable(rank), owner_(owner), in_order_(in_order) {}

void StoreBuffer::Queue::erase(std::size_t i) {
    for (; i + 1 < size_; ++i) (*this)[i] = (*this)[i + 1];
    --size_;
}

void StoreBuffer::Queue::grow() {
    std::vector<Entry> larger(2 * slots_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = (*this)[i];
    slots_ = std::move(larger);
    head_ = 0;
}

StoreBuffer::Entry& StoreBuffer::prepare(Tick now) {
    prune(now);
    Entry& e = entries_.next();
    e.owned_at = kNever;
    e.drain = kNever;
    e.requested = false;
    return e;
}

void StoreBuffer::push() {
    entries_.push_back();
    mask_ |= bit(entries_.back().line);
    if (in_order_ && cycle_ == owner_.period()) {
        compute_last();
    } else {
        recompute();
    }
}

void StoreBuffer::renew_mask() {
    mask_ = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) mask_ |= bit(entries_[i].line);
}

void StoreBuffer::prune(Tick now) {
    bool popped = false;
    visible_.clear();
    while (!entries_.empty() && entries_.front().drain <= now &&
           entries_.front().effect.function == nullptr) {
        last_drain_ = std::max(last_drain_, entries_.front().drain);
        entries_.pop_front();
        popped = true;
    }
    if (popped) renew_mask();
}

std::size_t StoreBuffer::occupancy(Tick now) const {
    std::size_t n = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) n += entries_[i].drain > now ? 1 : 0;
    return n;
}

Tick StoreBuffer::head_drain(Tick now) const {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (entries_[i].drain > now) return entries_[i].drain;
    }
    return now;
}

FieldId StoreBuffer::head_field(Tick now) const {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (entries_[i].drain > now) return entries_[i].field;
    }
    return kNoField;
}

void StoreBuffer::note_visible(const Entry& e) {
    if (owner_.observing() && e.drain > owner_.now()) visible_.push_back({e.drain, e.field});
}

Tick StoreBuffer::drained_at() const {
    Tick last = last_drain_;
    // In order, the last one drains last.
    for (std::size_t i = entries_.size(); i-- > 0;) {
        last = std::max(last, entries_[i].drain);
        if (in_order_) break;
    }
    return last;
}

const StoreBuffer::Entry* StoreBuffer::forwards(Addr addr, unsigned size, Tick at) const {
    for (std::size_t i = entries_.size(); i-- > 0;) {
        const Entry& e = entries_[i];
        if (e.drain > at && e.addr <= addr && addr + size <= e.addr + e.size) return &e;
    }
    return nullptr;
}

bool StoreBuffer::line_requested(Addr line) const {
    if (!may_hold(line)) return false;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (entries_[i].line == line && entries_[i].requested) return true;
    }
    return false;
}

void StoreBuffer::owned(Addr line, Tick ready) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        Entry& e = entries_[i];
        if (e.line == line && e.owned_at == kNever) {
            e.owned_at = ready;
            e.requested = false;
        }
    }
    recompute();
}

void StoreBuffer::load_resolved(std::uint64_t sequence, Tick ready) {
    bool any = false;
    for (std::size_t i = entries_.size(); i-- > 0;) {
        Entry& e = entries_[i];
        if (e.sequence <= sequence) break;
        any = true;
        if (e.floor < ready) e.floor = ready;
    }
    if (any) recompute();
}

Tick StoreBuffer::place(Entry& e, Tick& previous, Tick cycle, std::uint64_t oldest_load) const {
    const bool retired = e.sequence < oldest_load || !in_order_;
    Tick act = kNever;
    if (e.owned_at == kNever || !retired) {
        e.drain = kNever;
        if (in_order_) {
            // The next in line has lost its line: it asks again when its turn comes.
            if (retired && previous != kNever && !e.requested) {
                act = std::max({previous, e.floor, e.issue});
            }
            previous = kNever;
        } else if (!e.requested) {
            act = e.issue;
        }
    } else if (in_order_) {
        e.drain = previous == kNever ? kNever
                                     : std::max({previous + cycle, e.owned_at, e.floor, e.issue});
        previous = e.drain;
    } else {
        e.drain = std::max(e.owned_at, e.issue);
    }
    if (!in_order_ && e.effect.function != nullptr) {
        // Releases keep their order among themselves even so: queued locks hand over by two of them.
        e.drain = previous == kNever ? kNever : std::max(e.drain, previous);
        previous = e.drain;
    }
    if (e.drain != kNever && e.effect.function != nullptr) act = std::min(act, e.drain);
    return act;
}

void StoreBuffer::recompute() {
    cycle_ = owner_.period();
    const std::uint64_t oldest_load = owner_.oldest_unresolved_load();
    Tick previous = in_order_ ? last_drain_ : 0;
    Tick act = kNever;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        act = std::min(act, place(entries_[i], previous, cycle_, oldest_load));
    }
    act_at(act);
    owner_.store_buffer_changed();
}

void StoreBuffer::compute_last() {
    const std::size_t n = entries_.size();
    Tick previous = n == 1 ? last_drain_ : entries_[n - 2].drain;
    const Tick act = place(entries_[n - 1], previous, cycle_, owner_.oldest_unresolved_load());
    if (act != kNever && (!scheduled() || act < due())) act_at(act);
}

void StoreBuffer::act_at(Tick when) {
    Scheduler& scheduler = owner_.scheduler();
    if (when == kNever) {
        scheduler.cancel(*this);
    } else if (!scheduled() || due() != when) {
        scheduler.schedule(*this, when);
    }
}

void StoreBuffer::complete_through(std::size_t index, Tick now) {
    for (std::size_t i = 0; i <= index; ++i) {
        const Entry e = entries_.front();
        entries_.pop_front();
        last_drain_ = std::max(last_drain_, e.drain);
        note_visible(e);
        if (e.effect.function != nullptr) owner_.store_visible(e, now);
    }
    renew_mask();
}

void StoreBuffer::complete_line(Addr line, Tick now) {
    for (std::size_t i = 0; i < entries_.size();) {
        const Entry e = entries_[i];
        const bool concerned = e.line == line || e.effect.function != nullptr;
        if (!concerned || e.drain > now) {
            ++i;
            continue;
        }
        entries_.erase(i);
        last_drain_ = std::max(last_drain_, e.drain);
        note_visible(e);
        if (e.effect.function != nullptr) owner_.store_visible(e, now);
    }
}

void StoreBuffer::fire(Tick now) {
    // Everything up to the last entry that is due, in order (out of order, for the ablation: each).
    if (in_order_) {
        std::size_t due_entries = 0;
        while (due_entries < entries_.size() && entries_[due_entries].drain <= now) ++due_entries;
        if (due_entries > 0) complete_through(due_entries - 1, now);
        if (!entries_.empty() && entries_.front().owned_at == kNever &&
            !entries_.front().requested) {
            Entry& e = entries_.front();
            e.requested = true;
            owner_.request_ownership(e.addr, e.size, e.field, now);
        }
    } else {
        for (std::size_t i = 0; i < entries_.size();) {
            if (entries_[i].drain <= now) {
                const Entry e = entries_[i];
                entries_.erase(i);
                last_drain_ = std::max(last_drain_, e.drain);
                note_visible(e);
                if (e.effect.function != nullptr) owner_.store_visible(e, now);
                continue;
            }
            if (entries_[i].owned_at == kNever && !entries_[i].requested) {
                entries_[i].requested = true;
                owner_.request_ownership(entries_[i].addr, entries_[i].size, entries_[i].field,
                                         now);
            }
            ++i;
        }
    }
    recompute();
}

void StoreBuffer::snooped(Addr line, Tick& at) {
    if (!may_hold(line)) return;
    bool lost = false;
    std::size_t complete = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        Entry& e = entries_[i];
        if (e.line != line || e.owned_at == kNever) continue;
        // It has drained, or all it waits for is its own line: the owner's access comes first. One that
        // has not executed yet, its thread being ahead of global time, has no part in it.
        const bool next = e.issue <= at && e.drain != kNever &&
                          e.drain <= std::max(e.owned_at, at) + owner_.period();
        if (next && !lost) {
            at = std::max(at, e.drain);
            complete = i + 1;
        } else {
            e.owned_at = kNever;
            e.requested = false;
            lost = true;
        }
    }
    if (complete > 0) {
        if (in_order_) {
            complete_through(complete - 1, at);
        } else {
            complete_line(line, at);
        }
    }
    recompute();
}

}  // namespace linefill::model
