// SPDX-License-Identifier: Apache-2.0
// Which lines a fully associative cache with least-recently-used replacement would hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/core/access.h"

namespace linefill::model {

/// A hash table of the lines, each with the time of its last use: touch() is on the path of every
/// access while attribution is on. Which lines have not been used for longest is found out for many of
/// them at once, when one must go and no more are known.
class LruShadow {
public:
    /// At most 65535 lines.
    explicit LruShadow(std::size_t capacity);

    /// An access to `line`: it is the youngest now, and the oldest falls out if there is no room.
    void touch(Addr line) {
        if (line == youngest_) return;
        youngest_ = line;
        const std::size_t slot = slot_of(line);
        if (table_[slot] == kNone) {
            insert(line, slot);
        } else {
            nodes_[table_[slot]].use = next_use(table_[slot]);
        }
    }
    [[nodiscard]] bool contains(Addr line) const { return table_[slot_of(line)] != kNone; }

private:
    using Index = std::uint16_t;
    static constexpr Index kNone = 0xffff;

    /// When a node was used, and in the lowest bits which: one number to compare.
    using Use = std::uint64_t;
    static constexpr unsigned kIndexBits = 16;
    struct Node {
        Addr line = ~Addr{0};
        Use use = 0;
    };

    static Index node_of(Use use) { return static_cast<Index>(use); }
    [[nodiscard]] Use next_use(Index node) { return ++clock_ << kIndexBits | node; }
    void insert(Addr line, std::size_t slot);
    [[nodiscard]] Index oldest();
    void find_oldest();
    void forget(Addr line);
    [[nodiscard]] std::size_t home_of(Addr line) const {
        return static_cast<std::size_t>(line * 0x9e3779b97f4a7c15U >> 32U) & mask_;
    }
    /// Of the table: where the line is, or the free slot where it would go.
    [[nodiscard]] std::size_t slot_of(Addr line) const {
        std::size_t slot = home_of(line);
        while (table_[slot] != kNone && nodes_[table_[slot]].line != line)
            slot = (slot + 1) & mask_;
        return slot;
    }

    std::vector<Node> nodes_;
    std::vector<Index> table_;  // at most a quarter in use
    std::size_t mask_;
    std::size_t used_ = 0;  // nodes
    /// The last uses of the nodes that were the oldest at some time, the first of them last. Those that
    /// were used again since are not among the oldest any more; those that are not here are younger.
    std::vector<Use> oldest_;
    std::uint64_t clock_ = 0;
    Addr youngest_ = ~Addr{0};
};

}  // namespace linefill::model
