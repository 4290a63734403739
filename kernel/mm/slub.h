// SPDX-License-Identifier: Apache-2.0
// A SLUB cache: objects of one size in slabs of the order that SLUB would choose, handed out from
// the CPU's slab in freelist order, without colouring.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernel/mm/page_frames.h"

namespace linefill::kernel {

/// Order of slabs for objects of `size` bytes on a machine of `cpus` CPUs (slub_max_order 3,
/// slub_min_order 0, waste of at most a sixteenth, then an eighth, then a quarter of the slab).
[[nodiscard]] unsigned slub_order(unsigned size, unsigned cpus);

class SlabCache {
public:
    /// `draw_freelist`: the first slab of each node is one that boot has half used, its free objects
    /// in an order drawn from the seed; else all slabs are fresh.
    SlabCache(std::string name, unsigned size, unsigned align, unsigned cpus, PageFrames& frames,
              std::uint64_t seed, bool draw_freelist);

    [[nodiscard]] model::Addr alloc(unsigned node);
    void free(model::Addr addr);

    [[nodiscard]] unsigned object_size() const { return size_; }
    [[nodiscard]] unsigned order() const { return order_; }
    [[nodiscard]] unsigned objects_per_slab() const { return objects_; }
    /// Base of the slab that `addr` lies in.
    [[nodiscard]] model::Addr slab_of(model::Addr addr) const;

private:
    std::vector<model::Addr>& freelist(unsigned node);

    std::string name_;
    unsigned size_, order_, objects_;
    PageFrames& frames_;
    model::Random random_;
    bool draw_freelist_;
    std::map<unsigned, std::vector<model::Addr>> free_;  // per node; next object is at the back
};

}  // namespace linefill::kernel
