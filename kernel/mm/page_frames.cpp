// SPDX-License-Identifier: Apache-2.0
// Page frames: draws aligned free blocks of a node.
#include "kernel/mm/page_frames.h"

#include <string>
#include <utility>

#include "model/sim/error.h"

namespace linefill::kernel {

using model::Addr;

PageFrames::PageFrames(std::vector<Node> nodes, std::uint64_t seed, bool draw)
    : nodes_(std::move(nodes)), random_(seed, "page frames"), draw_(draw) {
    for (const Node& n : nodes_) next_.push_back(n.base + n.reserved);
}

bool PageFrames::is_free(Addr addr, std::uint64_t bytes) const {
    const auto after = used_.upper_bound(addr);
    if (after != used_.end() && after->first < addr + bytes) return false;
    if (after == used_.begin()) return true;
    const auto before = std::prev(after);
    return before->first + before->second <= addr;
}

Addr PageFrames::alloc(unsigned node, unsigned order) {
    const Node& n = nodes_.at(node);
    const std::uint64_t bytes = kPageSize << order;
    const Addr end = n.base + n.size;
    const Addr first = (n.base + n.reserved + bytes - 1) / bytes * bytes;
    if (draw_ && first + bytes <= end) {
        const std::uint64_t blocks = (end - first) / bytes;
        // A node with free memory gives a hit within a few draws; a full one is searched below.
        for (int i = 0; i < 64; ++i) {
            const Addr at = first + random_.below(blocks) * bytes;
            if (!is_free(at, bytes)) continue;
            used_.emplace(at, bytes);
            return at;
        }
    }
    for (Addr at = (next_[node] + bytes - 1) / bytes * bytes; at + bytes <= end; at += bytes) {
        if (!is_free(at, bytes)) continue;
        used_.emplace(at, bytes);
        if (!draw_) next_[node] = at + bytes;
        return at;
    }
    throw model::SimulationError("out of memory: no free block of 2^" + std::to_string(order) +
                                 " pages on node " + std::to_string(node));
}

void PageFrames::free(Addr addr, unsigned order) {
    const auto it = used_.find(addr);
    if (it == used_.end() || it->second != (kPageSize << order)) {
        throw model::InternalError("free of pages that were not allocated as such a block");
    }
    used_.erase(it);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (node_of(addr) == i && addr < next_[i]) next_[i] = addr;
    }
}

bool PageFrames::is_allocated(Addr addr) const { return !is_free(addr, 1); }

unsigned PageFrames::node_of(Addr addr) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (addr >= nodes_[i].base && addr - nodes_[i].base < nodes_[i].size) {
            return static_cast<unsigned>(i);
        }
    }
    throw model::InternalError("address outside of all nodes");
}

}  // namespace linefill::kernel
