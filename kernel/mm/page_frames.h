// SPDX-License-Identifier: Apache-2.0
// Free page frames of each node. Which frames a request gets is drawn from the seed, as on a machine
// that has been up for a while.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/core/access.h"
#include "model/sim/random.h"

namespace linefill::kernel {

inline constexpr unsigned kPageShift = 12;
inline constexpr model::Addr kPageSize = model::Addr{1} << kPageShift;

class PageFrames {
public:
    struct Node {
        model::Addr base;
        std::uint64_t size;
        /// Low memory of the node that is never handed out: firmware, kernel image.
        std::uint64_t reserved;
    };

    /// `draw` off: frames in ascending order, the same in every run.
    PageFrames(std::vector<Node> nodes, std::uint64_t seed, bool draw);

    /// 2^order pages that lie together on `node`, aligned to their size. SimulationError if the node
    /// has none left.
    model::Addr alloc(unsigned node, unsigned order);
    void free(model::Addr addr, unsigned order);
    [[nodiscard]] bool is_allocated(model::Addr addr) const;
    [[nodiscard]] unsigned node_of(model::Addr addr) const;

private:
    [[nodiscard]] bool is_free(model::Addr addr, std::uint64_t bytes) const;

    std::vector<Node> nodes_;
    model::Random random_;
    bool draw_;
    std::vector<model::Addr> next_;
    std::map<model::Addr, std::uint64_t> used_;  // start -> bytes
};

}  // namespace linefill::kernel
