// SPDX-License-Identifier: Apache-2.0
#include "model/core/lru_shadow.h"

namespace linefill::model {

LruShadow::LruShadow(std::size_t capacity) : nodes_(capacity) {
    std::size_t slots = 4;
    while (slots < 4 * capacity) slots *= 2;
    table_.assign(slots, kNone);
}

void LruShadow::touch_other(Addr line) {
    const std::size_t slot = slot_of(line);
    if (table_[slot] != kNone) {
        const Index node = table_[slot];
        unlink(node);
        make_youngest(node);
        return;
    }
    Index node = static_cast<Index>(used_);
    if (used_ == nodes_.size()) {
        node = oldest_;
        forget(nodes_[node].line);
        unlink(node);
    } else {
        ++used_;
    }
    nodes_[node].line = line;
    table_[slot_of(line)] = node;  // forgetting may have moved entries
    make_youngest(node);
}

void LruShadow::unlink(Index node) {
    const Node& n = nodes_[node];
    (n.younger != kNone ? nodes_[n.younger].older : youngest_) = n.older;
    (n.older != kNone ? nodes_[n.older].younger : oldest_) = n.younger;
}

void LruShadow::make_youngest(Index node) {
    Node& n = nodes_[node];
    n.older = youngest_;
    n.younger = kNone;
    (youngest_ != kNone ? nodes_[youngest_].younger : oldest_) = node;
    youngest_ = node;
}

// Entries behind the hole that probed past it move up, so that no search ends too early.
void LruShadow::forget(Addr line) {
    const std::size_t mask = table_.size() - 1;
    std::size_t hole = slot_of(line);
    table_[hole] = kNone;
    for (std::size_t slot = (hole + 1) & mask; table_[slot] != kNone; slot = (slot + 1) & mask) {
        const std::size_t home = home_of(nodes_[table_[slot]].line);
        if (((slot - home) & mask) < ((slot - hole) & mask))
            continue;  // its home is behind the hole
        table_[hole] = table_[slot];
        table_[slot] = kNone;
        hole = slot;
    }
}

}  // namespace linefill::model
