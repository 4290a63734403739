// SPDX-License-Identifier: Apache-2.0
#include "model/core/lru_shadow.h"

#include <algorithm>
#include <functional>

namespace linefill::model {

LruShadow::LruShadow(std::size_t capacity) : nodes_(capacity) {
    std::size_t slots = 4;
    while (slots < 4 * capacity) slots *= 2;
    table_.assign(slots, kNone);
    mask_ = slots - 1;
    oldest_.reserve(capacity);
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
    nodes_[node].use = next_use(node);
    nodes_[node].line = line;
    table_[slot] = node;
}

LruShadow::Index LruShadow::oldest() {
    for (;;) {
        if (oldest_.empty()) find_oldest();
        const Use use = oldest_.back();
        oldest_.pop_back();
        if (nodes_[node_of(use)].use == use) return node_of(use);
    }
}

void LruShadow::find_oldest() {
    for (const Node& n : nodes_) oldest_.push_back(n.use);
    const std::size_t some = (nodes_.size() + 1) / 2;
    const auto end = oldest_.begin() + static_cast<std::ptrdiff_t>(some);
    std::nth_element(oldest_.begin(), end - 1, oldest_.end());
    oldest_.erase(end, oldest_.end());
    std::sort(oldest_.begin(), oldest_.end(), std::greater<>());
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
