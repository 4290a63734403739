// SPDX-License-Identifier: Apache-2.0
// SLUB: slab orders as SLUB computes them, freelists.
#include "kernel/mm/slub.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "model/sim/error.h"

namespace linefill::kernel {

using model::Addr;

namespace {

constexpr unsigned kMaxOrder = 3;  // slub_max_order: PAGE_ALLOC_COSTLY_ORDER

unsigned order_of_bytes(std::uint64_t bytes) {
    unsigned order = 0;
    while ((kPageSize << order) < bytes) ++order;
    return order;
}

/// Lowest order that holds `min_objects` and wastes no more than 1/fraction; kMaxOrder + 1: none.
unsigned try_order(unsigned size, unsigned min_objects, unsigned fraction) {
    for (unsigned order = order_of_bytes(std::uint64_t{min_objects} * size); order <= kMaxOrder;
         ++order) {
        const std::uint64_t slab = kPageSize << order;
        if (slab % size <= slab / fraction) return order;
    }
    return kMaxOrder + 1;
}

}  // namespace

unsigned slub_order(unsigned size, unsigned cpus) {
    // Enough objects per slab that CPUs seldom meet at the node's list.
    unsigned min_objects = 4 * (static_cast<unsigned>(std::bit_width(cpus)) + 1);
    const auto fits = static_cast<unsigned>((kPageSize << kMaxOrder) / size);
    min_objects = std::min(min_objects, std::max(fits, 1U));
    for (; min_objects > 1; --min_objects) {
        for (unsigned fraction = 16; fraction >= 4; fraction /= 2) {
            const unsigned order = try_order(size, min_objects, fraction);
            if (order <= kMaxOrder) return order;
        }
    }
    // One object per slab, whatever is wasted.
    return order_of_bytes(size);
}

unsigned slub_min_partial(unsigned size) {
    return std::clamp(static_cast<unsigned>(std::bit_width(size) - 1) / 2, 5U, 10U);
}

SlabCache::SlabCache(std::string name, unsigned size, unsigned align, unsigned cpus,
                     PageFrames& frames, std::uint64_t seed)
    : name_(std::move(name)),
      size_((size + align - 1) / align * align),
      order_(slub_order(size_, cpus)),
      objects_(static_cast<unsigned>((kPageSize << order_) / size_)),
      frames_(frames),
      random_(seed, "freelist of " + name_) {}

void SlabCache::age() {
    aged_ = true;
    free_.clear();
}

std::vector<Addr> SlabCache::partial_slab(unsigned node) {
    const Addr slab = frames_.alloc_long_ago(node, order_);
    std::vector<Addr> list;
    for (unsigned i = 0; i < objects_; ++i) list.push_back(slab + Addr{i} * size_);
    for (std::size_t i = list.size(); i > 1; --i) {
        std::swap(list[i - 1], list[random_.below(i)]);
    }
    list.resize(random_.below(objects_ - 1) + 1);
    return list;
}

std::vector<Addr>& SlabCache::freelist(unsigned node) {
    std::vector<Addr>& list = free_[node];
    if (!list.empty()) return list;
    if (aged_ && objects_ > 1 && partials_taken_[node] < slub_min_partial(size_)) {
        ++partials_taken_[node];
        list = partial_slab(node);
        return list;
    }
    const Addr slab = frames_.alloc(node, order_);
    // A fresh slab is handed out in address order: the last in the vector is the next one.
    for (unsigned i = objects_; i-- > 0;) list.push_back(slab + Addr{i} * size_);
    return list;
}

Addr SlabCache::alloc(unsigned node) {
    std::vector<Addr>& list = freelist(node);
    const Addr object = list.back();
    list.pop_back();
    return object;
}

void SlabCache::free(Addr addr) { free_[frames_.node_of(addr)].push_back(addr); }

Addr SlabCache::slab_of(Addr addr) const {
    return addr / (kPageSize << order_) * (kPageSize << order_);
}

}  // namespace linefill::kernel
