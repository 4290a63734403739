// SPDX-License-Identifier: Apache-2.0
#include "model/core/lru_shadow.h"

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
    ++clock_;
    if (heap_.size() < nodes_.size()) {
        heap_.push_back({clock_, node});  // later than all others: it stays at the end
    } else {
        node = oldest();
        forget(nodes_[node].line);
        slot = slot_of(line);  // forgetting may have moved entries
        heap_.front().used = clock_;
        sift_down();
    }
    nodes_[node] = {line, clock_};
    table_[slot] = node;
}

// The first of the heap is the oldest if it was not used since it was put there: no other can be older.
LruShadow::Index LruShadow::oldest() {
    for (;;) {
        Use& first = heap_.front();
        const std::uint64_t used = nodes_[first.node].used;
        if (first.used == used) return first.node;
        first.used = used;
        sift_down();
    }
}

void LruShadow::sift_down() {
    const Use moved = heap_.front();
    std::size_t at = 0;
    for (;;) {
        std::size_t child = 2 * at + 1;
        if (child >= heap_.size()) break;
        if (child + 1 < heap_.size() && heap_[child + 1].used < heap_[child].used) ++child;
        if (heap_[child].used >= moved.used) break;
        heap_[at] = heap_[child];
        at = child;
    }
    heap_[at] = moved;
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
