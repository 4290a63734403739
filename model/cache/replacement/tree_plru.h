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

}  // namespace linefill::model
