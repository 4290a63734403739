// SPDX-License-Identifier: Apache-2.0
// Free page frames of each node, by the buddy system: requests are cut from one large block until it
// is used up, so pages that are asked for in a row lie together. Which large block comes next is
// drawn from the seed.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "model/core/access.h"
#include "model/sim/random.h"

namespace linefill::kernel {

inline constexpr unsigned kPageShift = 12;
inline constexpr model::Addr kPageSize = model::Addr{1} << kPageShift;

class PageFrames {
public:
    /// Order of the largest block the buddy system keeps: 2^10 pages, 4 MiB.
    static constexpr unsigned kMaxOrder = 10;

    struct Node {
        model::Addr base;
        std::uint64_t size;
        /// Low memory of the node that is never handed out: firmware, kernel image.
        std::uint64_t reserved;
    };

    /// `draw` off: blocks in ascending order, the same in every run.
    PageFrames(std::vector<Node> nodes, std::uint64_t seed, bool draw);

    /// `bytes` (a whole number of pages) at the top of the node's memory, aligned to `align`, a power
    /// of two, as boot code allocates before there is a buddy system. They are never freed.
    /// SimulationError if pages have been handed out there.
    model::Addr alloc_boot(unsigned node, std::uint64_t bytes, std::uint64_t align);

    /// 2^order pages that lie together on `node`, aligned to their size; order up to kMaxOrder.
    /// SimulationError if the node has none left.
    model::Addr alloc(unsigned node, unsigned order);
    /// The same out of a whole block of its own, whose rest others have in use: pages that were handed
    /// out long ago, when memory elsewhere was free.
    model::Addr alloc_long_ago(unsigned node, unsigned order);
    void free(model::Addr addr, unsigned order);
    [[nodiscard]] bool is_allocated(model::Addr addr) const;
    [[nodiscard]] unsigned node_of(model::Addr addr) const;

private:
    struct Zone {
        model::Addr first, end;     // what the buddy system may hand out
        bool boot_is_over = false;  // blocks have been handed out: `end` is final
        /// Free blocks by order. Whole blocks that nothing was cut from yet are not in the lists.
        std::array<std::set<model::Addr>, kMaxOrder + 1> free;
        std::set<model::Addr> begun;  // whole blocks that were taken out of the untouched memory
        model::Addr next = 0;         // draw off: the next whole block
    };

    /// An untouched block of the largest order; 0: there is none.
    model::Addr take_whole_block(Zone& zone);
    /// Ends boot: what no whole block covers at both ends of the zone goes into the free lists.
    static void end_boot(Zone& zone);
    /// Puts [from, to) into the free lists as the largest aligned blocks that fit.
    static void free_range(Zone& zone, model::Addr from, model::Addr to);

    std::vector<Node> nodes_;
    model::Random random_;
    bool draw_;
    std::vector<Zone> zones_;
    std::map<model::Addr, std::uint64_t> used_;  // start -> bytes
};

}  // namespace linefill::kernel
