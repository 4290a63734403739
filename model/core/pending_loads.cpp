// SPDX-License-Identifier: Apache-2.0
#include "model/core/pending_loads.h"

#include <algorithm>

#include "model/core/hw_thread.h"

namespace linefill::model {

void PendingAccess::fire(Tick now) { owner_.perform(*this, now); }

PendingLoads::PendingLoads(HwThread& owner, std::uint32_t first_rank, unsigned slots,
                           unsigned socket)
    : states_(slots) {
    for (unsigned i = 0; i < slots; ++i) {
        slots_.push_back(std::make_unique<PendingAccess>(owner, first_rank + i, socket,
                                                         static_cast<std::int32_t>(i)));
    }
}

std::int32_t PendingLoads::allocate_in(std::size_t first, std::size_t last, Tick now) {
    // The first free one, so that the same few stay in the host's caches.
    for (std::size_t i = first; i < last; ++i) {
        if (states_[i].ready > now) continue;
        ++states_[i].generation;
        states_[i].ready = kNever;
        PendingAccess& p = *slots_[i];
        p.queued = p.nta = p.in_window = p.counted = false;
        p.ready = kNever;
        p.source = DataSource::kL1;
        p.children.clear();
        return static_cast<std::int32_t>(i);
    }
    return -1;
}

std::int32_t PendingLoads::find_line(Addr line, bool ownership) const {
    for (const std::int32_t i : unresolved_) {
        const PendingAccess& p = *slots_[static_cast<std::size_t>(i)];
        if (line_of(physical(p.addr)) != line) continue;
        const bool owns = p.kind == PendingKind::kStore || p.kind == PendingKind::kLocked ||
                          p.kind == PendingKind::kPrefetchOwn;
        if (!ownership || owns) return i;
    }
    return -1;
}

std::int64_t PendingLoads::lookups_to_come() const {
    std::int64_t n = 0;
    for (const std::int32_t i : unresolved_) {
        const PendingAccess& p = *slots_[static_cast<std::size_t>(i)];
        if (!p.counted && p.kind != PendingKind::kCode && p.kind != PendingKind::kWalk) ++n;
    }
    return n;
}

void PendingLoads::update_oldest() {
    oldest_unresolved_ = ~std::uint64_t{0};
    for (const std::int32_t i : unresolved_) {
        const PendingAccess& p = *slots_[static_cast<std::size_t>(i)];
        if (p.kind == PendingKind::kLoad) {
            oldest_unresolved_ = std::min(oldest_unresolved_, p.sequence);
        }
    }
}

void PendingLoads::note_unresolved(std::int32_t slot) {
    unresolved_.push_back(slot);
    const PendingAccess& p = at(slot);
    if (p.kind == PendingKind::kLoad) {
        oldest_unresolved_ = std::min(oldest_unresolved_, p.sequence);
    }
}

void PendingLoads::note_resolved(std::int32_t slot, Tick ready) {
    states_[static_cast<std::size_t>(slot)].ready = ready;
    const auto found = std::find(unresolved_.begin(), unresolved_.end(), slot);
    if (found == unresolved_.end()) return;
    *found = unresolved_.back();
    unresolved_.pop_back();
    const PendingAccess& p = at(slot);
    if (p.kind == PendingKind::kLoad && p.sequence == oldest_unresolved_) update_oldest();
}

}  // namespace linefill::model
