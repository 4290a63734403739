// SPDX-License-Identifier: Apache-2.0
// A SLUB cache: objects of one size in slabs of the order that SLUB would choose, handed out from
// the CPU's slab in freelist order, without colouring. On a machine that is up the first objects come
// from the partial slabs that earlier tasks left behind.
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

/// Slabs that a node's partial list keeps for objects of `size` bytes: half the size's logarithm, 5
/// to 10 (set_min_partial()).
[[nodiscard]] unsigned slub_min_partial(unsigned size);

class SlabCache {
public:
    SlabCache(std::string name, unsigned size, unsigned align, unsigned cpus, PageFrames& frames,
              std::uint64_t seed);

    /// The machine has been up for a while: what is free now is in use by others, and each node has
    /// slub_min_partial() slabs far from what is handed out now, with between one and all but one of
    /// their objects free, in an order drawn from the seed. Before: all slabs are fresh.
    void age();

    [[nodiscard]] model::Addr alloc(unsigned node);
    void free(model::Addr addr);

    [[nodiscard]] unsigned object_size() const { return size_; }
    [[nodiscard]] unsigned order() const { return order_; }
    [[nodiscard]] unsigned objects_per_slab() const { return objects_; }
    /// Base of the slab that `addr` lies in.
    [[nodiscard]] model::Addr slab_of(model::Addr addr) const;

private:
    /// Free objects of a node, those of another partial or fresh slab if there were none.
    std::vector<model::Addr>& freelist(unsigned node);
    std::vector<model::Addr> partial_slab(unsigned node);

    std::string name_;
    unsigned size_, order_, objects_;
    PageFrames& frames_;
    model::Random random_;
    bool aged_ = false;
    std::map<unsigned, unsigned> partials_taken_;        // per node
    std::map<unsigned, std::vector<model::Addr>> free_;  // per node; next object is at the back
};

}  // namespace linefill::kernel
