// SPDX-License-Identifier: Apache-2.0
// The paths of a tree-PLRU as masks, so that a hit is two bit operations in the array's fast path.
#pragma once

#include <array>
#include <cstdint>

namespace linefill::model {

inline constexpr unsigned kMaxPlruWays = 32;

/// A hit of `way` makes bits = (bits & keep[way]) | set[way].
struct PlruPaths {
    std::array<std::uint64_t, kMaxPlruWays> keep{};
    std::array<std::uint64_t, kMaxPlruWays> set{};
};

PlruPaths plru_paths(unsigned ways);

/// The way that the bits of a set point to. Node n has children 2n + 1 (its bit is 0) and 2n + 2.
inline unsigned plru_victim(std::uint64_t bits, unsigned ways) {
    unsigned node = 0;
    while (node < ways - 1) node = 2 * node + 1 + static_cast<unsigned>(bits >> node & 1);
    return node - (ways - 1);
}

}  // namespace linefill::model
