// SPDX-License-Identifier: Apache-2.0
// Which lines a fully associative cache with least-recently-used replacement would hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/core/access.h"

namespace linefill::model {

/// A hash table of the lines, and a log of their uses: touch() is on the path of every access while
/// attribution is on. A line's last entry in the log is the one that counts; the oldest of these that
/// is its line's last is that of the line that goes.
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
            use(table_[slot]);
        }
    }
    [[nodiscard]] bool contains(Addr line) const { return table_[slot_of(line)] != kNone; }

private:
    using Index = std::uint16_t;
    static constexpr Index kNone = 0xffff;

    struct Node {
        Addr line = ~Addr{0};
        std::uint64_t last_use = 0;  ///< number of its last entry in the log
    };

    void use(Index node) {
        nodes_[node].last_use = log_end_;
        log_[log_end_ & log_mask_] = node;
        if (++log_end_ - log_begin_ > log_mask_) shorten_log();
    }
    void shorten_log();
    void insert(Addr line, std::size_t slot);
    [[nodiscard]] Index oldest();
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
    std::size_t used_ = 0;    // nodes
    std::vector<Index> log_;  // a ring of the uses numbered from log_begin_ to before log_end_
    std::size_t log_mask_;
    std::uint64_t log_begin_ = 0, log_end_ = 0;
    Addr youngest_ = ~Addr{0};
};

}  // namespace linefill::model
