// SPDX-License-Identifier: Apache-2.0
// Page frames: splits and joins aligned blocks of a node's memory.
#include "kernel/mm/page_frames.h"

#include <algorithm>
#include <string>
#include <utility>

#include "model/sim/error.h"

namespace linefill::kernel {

using model::Addr;

namespace {

constexpr std::uint64_t kWholeBlock = kPageSize << PageFrames::kMaxOrder;

Addr align_up(Addr at, std::uint64_t to) { return (at + to - 1) / to * to; }

Addr align_down(Addr at, std::uint64_t to) { return at / to * to; }

}  // namespace

PageFrames::PageFrames(std::vector<Node> nodes, std::uint64_t seed, bool draw)
    : nodes_(std::move(nodes)), random_(seed, "page frames"), draw_(draw) {
    for (const Node& n : nodes_) {
        Zone& zone = zones_.emplace_back();
        zone.first = n.base + n.reserved;
        zone.end = n.base + n.size;
        zone.next = align_up(zone.first, kWholeBlock);
    }
}

Addr PageFrames::alloc_boot(unsigned node, std::uint64_t bytes, std::uint64_t align) {
    Zone& zone = zones_.at(node);
    if (zone.boot_is_over) {
        throw model::InternalError("boot memory asked for after pages were handed out");
    }
    if (zone.end - zone.first < bytes + align) {
        throw model::SimulationError("out of memory: no " + std::to_string(bytes) +
                                     " bytes for boot on node " + std::to_string(node));
    }
    zone.end = align_down(zone.end - bytes, align);
    used_.emplace(zone.end, bytes);
    return zone.end;
}

void PageFrames::free_range(Zone& zone, Addr from, Addr to) {
    while (from < to) {
        unsigned order = kMaxOrder;
        while (from % (kPageSize << order) != 0 || from + (kPageSize << order) > to) --order;
        zone.free[order].insert(from);
        from += kPageSize << order;
    }
}

void PageFrames::end_boot(Zone& zone) {
    zone.boot_is_over = true;
    const Addr whole_first = align_up(zone.first, kWholeBlock);
    const Addr whole_end = align_down(zone.end, kWholeBlock);
    if (whole_first >= whole_end) {
        free_range(zone, zone.first, zone.end);
        return;
    }
    free_range(zone, zone.first, whole_first);
    free_range(zone, whole_end, zone.end);
}

Addr PageFrames::take_whole_block(Zone& zone) {
    const Addr first = align_up(zone.first, kWholeBlock);
    const Addr end = align_down(zone.end, kWholeBlock);
    if (first >= end) return 0;
    const std::uint64_t blocks = (end - first) / kWholeBlock;
    if (zone.begun.size() == blocks) return 0;
    Addr at = draw_ ? first + random_.below(blocks) * kWholeBlock : zone.next;
    // One that was begun: the next one up, around the end.
    while (at >= end || zone.begun.count(at) != 0) at = at >= end ? first : at + kWholeBlock;
    zone.begun.insert(at);
    zone.next = at + kWholeBlock;
    return at;
}

Addr PageFrames::alloc(unsigned node, unsigned order) {
    Zone& zone = zones_.at(node);
    if (!zone.boot_is_over) end_boot(zone);
    unsigned from = order;
    while (from <= kMaxOrder && zone.free[from].empty()) ++from;
    Addr at = 0;
    if (from <= kMaxOrder) {
        at = *zone.free[from].begin();
        zone.free[from].erase(zone.free[from].begin());
    } else {
        from = kMaxOrder;
        at = order <= kMaxOrder ? take_whole_block(zone) : 0;
        if (at == 0) {
            throw model::SimulationError("out of memory: no free block of 2^" +
                                         std::to_string(order) + " pages on node " +
                                         std::to_string(node));
        }
    }
    // The lower half goes on being split, the upper halves stay behind.
    while (from > order) {
        --from;
        zone.free[from].insert(at + (kPageSize << from));
    }
    used_.emplace(at, kPageSize << order);
    return at;
}

Addr PageFrames::alloc_long_ago(unsigned node, unsigned order) {
    Zone& zone = zones_.at(node);
    if (!zone.boot_is_over) end_boot(zone);
    const Addr at = take_whole_block(zone);
    // Too little memory for blocks that nothing else begins.
    if (at == 0) return alloc(node, order);
    used_.emplace(at, kPageSize << order);
    return at;
}

void PageFrames::free(Addr addr, unsigned order) {
    const auto it = used_.find(addr);
    if (it == used_.end() || it->second != (kPageSize << order)) {
        throw model::InternalError("free of pages that were not allocated as such a block");
    }
    used_.erase(it);
    Zone& zone = zones_[node_of(addr)];
    while (order < kMaxOrder && zone.free[order].erase(addr ^ (kPageSize << order)) != 0) {
        addr &= ~(kPageSize << order);
        ++order;
    }
    zone.free[order].insert(addr);
}

bool PageFrames::is_allocated(Addr addr) const {
    const auto after = used_.upper_bound(addr);
    if (after == used_.begin()) return false;
    const auto block = std::prev(after);
    return addr - block->first < block->second;
}

unsigned PageFrames::node_of(Addr addr) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (addr >= nodes_[i].base && addr - nodes_[i].base < nodes_[i].size) {
            return static_cast<unsigned>(i);
        }
    }
    throw model::InternalError("address outside of all nodes");
}

}  // namespace linefill::kernel
