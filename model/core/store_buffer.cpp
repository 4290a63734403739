// SPDX-License-Identifier: Apache-2.0
#include "model/core/store_buffer.h"

#include <algorithm>

#include "model/core/core.h"
#include "model/core/hw_thread.h"

namespace linefill::model {

StoreBuffer::StoreBuffer(HwThread& owner, std::uint32_t rank, bool in_order)
    : Schedulable(rank), owner_(owner), in_order_(in_order) {}

void StoreBuffer::push(const Entry& e) {
    prune(owner_.now());
    entries_.push_back(e);
    mask_ |= std::uint64_t{1} << (e.line & 63);
    recompute();
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
    if (popped) {
        mask_ = 0;
        for (const Entry& e : entries_) mask_ |= std::uint64_t{1} << (e.line & 63);
    }
}

std::size_t StoreBuffer::occupancy(Tick now) const {
    return static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(),
                                                  [&](const Entry& e) { return e.drain > now; }));
}

Tick StoreBuffer::head_drain(Tick now) const {
    for (const Entry& e : entries_) {
        if (e.drain > now) return e.drain;
    }
    return now;
}

FieldId StoreBuffer::head_field(Tick now) const {
    for (const Entry& e : entries_) {
        if (e.drain > now) return e.field;
    }
    return kNoField;
}

void StoreBuffer::note_visible(const Entry& e) {
    if (owner_.observing() && e.drain > owner_.now()) visible_.push_back({e.drain, e.field});
}

Tick StoreBuffer::drained_at() const {
    Tick last = last_drain_;
    for (const Entry& e : entries_) last = std::max(last, e.drain);
    return last;
}

const StoreBuffer::Entry* StoreBuffer::forwards(Addr addr, unsigned size, Tick at) const {
    for (auto e = entries_.rbegin(); e != entries_.rend(); ++e) {
        if (e->drain > at && e->addr <= addr && addr + size <= e->addr + e->size) return &*e;
    }
    return nullptr;
}

bool StoreBuffer::line_requested(Addr line) const {
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](const Entry& e) { return e.line == line && e.requested; });
}

void StoreBuffer::owned(Addr line, Tick ready) {
    for (Entry& e : entries_) {
        if (e.line == line && e.owned_at == kNever) {
            e.owned_at = ready;
            e.requested = false;
        }
    }
    recompute();
}

void StoreBuffer::load_resolved(std::uint64_t sequence, Tick ready) {
    bool any = false;
    for (Entry& e : entries_) {
        if (e.sequence > sequence) {
            any = true;
            if (e.floor < ready) e.floor = ready;
        }
    }
    if (any) recompute();
}

void StoreBuffer::recompute() {
    const Tick cycle = owner_.period();
    const std::uint64_t oldest_load = owner_.oldest_unresolved_load();
    Tick previous = last_drain_;
    Tick next_event = kNever;
    for (Entry& e : entries_) {
        const bool retired = e.sequence < oldest_load || !in_order_;
        if (e.owned_at == kNever || !retired) {
            e.drain = kNever;
            if (in_order_) {
                // The next in line has lost its line: it asks again when its turn comes.
                if (retired && previous != kNever && e.owned_at == kNever && !e.requested) {
                    next_event = std::min(next_event, std::max({previous, e.floor, e.issue}));
                }
                previous = kNever;
            } else if (!e.requested) {
                next_event = std::min(next_event, e.issue);
            }
        } else if (previous == kNever) {
            e.drain = kNever;
        } else if (in_order_) {
            e.drain = std::max({previous + cycle, e.owned_at, e.floor, e.issue});
            previous = e.drain;
        } else {
            e.drain = std::max(e.owned_at, e.issue);
        }
        if (e.drain != kNever && e.effect.function != nullptr) {
            next_event = std::min(next_event, e.drain);
        }
    }
    Scheduler& scheduler = owner_.scheduler();
    if (next_event == kNever) {
        scheduler.cancel(*this);
    } else if (!scheduled() || due() != next_event) {
        scheduler.schedule(*this, next_event);
    }
    owner_.store_buffer_changed();
}

void StoreBuffer::complete_through(std::size_t index, Tick now) {
    for (std::size_t i = 0; i <= index; ++i) {
        Entry e = entries_.front();
        entries_.pop_front();
        last_drain_ = std::max(last_drain_, e.drain);
        note_visible(e);
        if (e.effect.function != nullptr) owner_.store_visible(e, now);
    }
    mask_ = 0;
    for (const Entry& e : entries_) mask_ |= std::uint64_t{1} << (e.line & 63);
}

void StoreBuffer::complete_line(Addr line, Tick now) {
    for (std::size_t i = 0; i < entries_.size();) {
        const Entry e = entries_[i];
        if (e.line != line || e.drain > now) {
            ++i;
            continue;
        }
        entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
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
                entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
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
        // It has drained, or all it waits for is its own line: the new owner's access comes first.
        const bool next =
            e.drain != kNever && e.drain <= std::max(e.owned_at, at) + owner_.period();
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
