// SPDX-License-Identifier: Apache-2.0
#include "model/core/lru_shadow.h"

namespace linefill::model {

LruShadow::LruShadow(std::size_t capacity) : nodes_(capacity) {
    std::size_t slots = 4;
    while (slots < 4 * capacity) slots *= 2;
    table_.assign(slots, kNone);
    mask_ = slots - 1;
    // Twice as long as the table: to shorten it, seven of eight entries or more fall away.
    log_.assign(2 * slots, kNone);
    log_mask_ = 2 * slots - 1;
}

void LruShadow::insert(Addr line, std::size_t slot) {
    auto node = static_cast<Index>(used_);
    if (used_ < nodes_.size()) {
        ++used_;
    } else {
        node = oldest();
        forget(nodes_[node].line);
        slot = slot_of(line);  // forgetting may have moved entries
    }
    nodes_[node].line = line;
    table_[slot] = node;
    use(node);
}

LruShadow::Index LruShadow::oldest() {
    for (;;) {
        const std::uint64_t number = log_begin_++;
        const Index node = log_[number & log_mask_];
        if (nodes_[node].last_use == number) return node;
    }
}

// Entries that are not their line's last fall away; the others move up, in their order.
void LruShadow::shorten_log() {
    std::uint64_t end = log_begin_;
    for (std::uint64_t number = log_begin_; number != log_end_; ++number) {
        const Index node = log_[number & log_mask_];
        if (nodes_[node].last_use != number) continue;
        nodes_[node].last_use = end;
        log_[end++ & log_mask_] = node;
    }
    log_end_ = end;
}

// Entries behind the hole that probed past it move up, so that no search ends too early.
void LruShadow::forget(Addr line) {
    std::size_t hole = slot_of(line);
    table_[hole] = kNone;
    for (std::size_t slot = (hole + 1) & mask_; table_[slot] != kNone; slot = (slot + 1) & mask_) {
        const std::size_t home = home_of(nodes_[table_[slot]].line);
        if (((slot - home) & mask_) < ((slot - hole) & mask_)) continue;  // its home is behind it
        table_[hole] = table_[slot];
        table_[slot] = kNone;
        hole = slot;
    }
}

}  // namespace linefill::model
