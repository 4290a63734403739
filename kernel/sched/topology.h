// SPDX-License-Identifier: Apache-2.0
// Scheduling domains: per CPU a chain SMT, MC (the CPUs of a last-level cache), NUMA (all), each with
// groups that its CPUs share. A level that adds nothing is left out, as the kernel degenerates it.
#pragma once

#include <memory>
#include <vector>

#include "kernel/layout/layout.h"
#include "kernel/mm/memory.h"
#include "kernel/sched/rq.h"

namespace linefill::kernel {

class SchedTopology {
public:
    SchedTopology(model::Machine& machine, Memory& memory, const Layout& layout);

    /// The lowest domain of `cpu`; null on a machine of one CPU.
    SchedDomain* lowest(unsigned cpu) const { return lowest_[cpu]; }
    /// The highest domain of `cpu` whose CPUs share its last-level cache.
    SchedDomain* llc(unsigned cpu) const { return llc_[cpu]; }
    int llc_id(unsigned cpu) const { return llc_id_[cpu]; }
    int llc_size(unsigned cpu) const { return llc_size_[cpu]; }
    /// per_cpu(sd_llc), per_cpu(sd_busy): pointers that are loaded before the domain is used.
    Field<u64>& sd_llc_pointer(unsigned cpu) { return *sd_llc_[cpu]; }

private:
    struct Level;
    void build_level(const Level& level, Memory& memory, const Layout& layout);

    unsigned cpus_;
    std::vector<unsigned> node_of_;
    std::vector<SchedDomain*> lowest_, highest_, llc_;
    std::vector<int> llc_id_, llc_size_;
    std::vector<std::unique_ptr<SchedDomain>> domains_;
    std::vector<std::unique_ptr<SchedGroup>> groups_;
    std::vector<std::unique_ptr<Field<u64>>> sd_llc_;
};

/// for_each_cpu over a mask, from the lowest; `f` returns nothing.
template <class F>
void for_each_cpu(u64 mask, F&& f) {
    for (; mask != 0; mask &= mask - 1) f(__builtin_ctzll(mask));
}

}  // namespace linefill::kernel
