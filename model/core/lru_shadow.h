// SPDX-License-Identifier: Apache-2.0
// Which lines a fully associative cache with least-recently-used replacement would hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/core/access.h"

namespace linefill::model {

/// A list in order of use and a hash table of its nodes, both in plain arrays: touch() is on the path
/// of every access while attribution is on.
class LruShadow {
public:
    explicit LruShadow(std::size_t capacity);

    /// An access to `line`: it is the youngest now, and the oldest falls out if there is no room.
    void touch(Addr line) {
        if (used_ != 0 && nodes_[youngest_].line == line) return;
        touch_other(line);
    }
    [[nodiscard]] bool contains(Addr line) const { return table_[slot_of(line)] != kNone; }

private:
    using Index = std::uint32_t;
    static constexpr Index kNone = ~Index{0};

    struct Node {
        Addr line = 0;
        Index older = kNone, younger = kNone;
    };

    void touch_other(Addr line);
    void unlink(Index node);
    void make_youngest(Index node);
    void forget(Addr line);
    [[nodiscard]] std::size_t home_of(Addr line) const {
        return static_cast<std::size_t>(line * 0x9e3779b97f4a7c15U >> 32U) & (table_.size() - 1);
    }
    /// Of the table: where the line is, or the free slot where it would go.
    [[nodiscard]] std::size_t slot_of(Addr line) const {
        std::size_t slot = home_of(line);
        while (table_[slot] != kNone && nodes_[table_[slot]].line != line) {
            slot = (slot + 1) & (table_.size() - 1);
        }
        return slot;
    }

    std::vector<Node> nodes_;
    std::vector<Index> table_;  // at most a quarter in use
    std::size_t used_ = 0;
    Index youngest_ = kNone, oldest_ = kNone;
};

}  // namespace linefill::model
