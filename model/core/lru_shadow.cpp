// SPDX-License-Identifier: Apache-2.0
#include "model/core/lru_shadow.h"

#include <algorithm>

namespace linefill::model {

LruShadow::LruShadow(std::size_t capacity) : nodes_(capacity) {
    std::size_t slots = 4;
    while (slots < 4 * capacity) slots *= 2;
    table_.assign(slots, kNone);
    mask_ = slots - 1;
    heap_.reserve(capacity);
}

void LruShadow::insert(Addr line, std::size_t slot) {
    auto node = static_cast<Index>(heap_.size());
    if (heap_.size() < nodes_.size()) {
        nodes_[node].use = next_use(node);
        heap_.push_back(nodes_[node].use);  // later than all others: it stays at the end
    } else {
        node = oldest();
        forget(nodes_[node].line);
        slot = slot_of(line);  // forgetting may have moved entries
        nodes_[node].use = next_use(node);
        replace_first(nodes_[node].use);
    }
    nodes_[node].line = line;
    table_[slot] = node;
}

// The first of the heap is the oldest if it was not used since it was put there: no other can be older.
LruShadow::Index LruShadow::oldest() {
    for (;;) {
        const Index node = node_of(heap_.front());
        if (heap_.front() == nodes_[node].use) return node;
        replace_first(nodes_[node].use);
    }
}

void LruShadow::replace_first(Use use) {
    const std::size_t size = heap_.size();
    std::size_t at = 0;
    for (;;) {
        const std::size_t first = 4 * at + 1;
        if (first >= size) break;
        std::size_t child = first;
        for (std::size_t c = first + 1; c < std::min(first + 4, size); ++c) {
            if (heap_[c] < heap_[child]) child = c;
        }
        if (heap_[child] >= use) break;
        heap_[at] = heap_[child];
        at = child;
    }
    heap_[at] = use;
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
