// SPDX-License-Identifier: Apache-2.0
// The modelled machine's memory as the kernel hands it out: pages of a node, slabs, per-CPU units,
// kernel data. Addresses only; what lies there are host objects.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kernel/base/sections.h"
#include "kernel/mm/page_frames.h"
#include "kernel/mm/percpu.h"
#include "kernel/mm/slub.h"

namespace linefill::model {
class Machine;
}  // namespace linefill::model

namespace linefill::kernel {

struct KernelOptions;

class Memory final : public Sections {
public:
    Memory(model::Machine& machine, const KernelOptions& options);

    model::Addr per_cpu(std::string_view symbol, unsigned cpu, unsigned size,
                        unsigned align) override;
    model::Addr data(std::string_view symbol, unsigned size, unsigned align) override;
    /// Offset of a CPU's unit: what __per_cpu_offset[cpu] holds.
    model::Addr per_cpu_base(unsigned cpu) const { return percpu_->unit(cpu); }

    /// 2^order pages on `node`, aligned to their size.
    model::Addr alloc_pages(unsigned node, unsigned order);
    /// 16 KiB, aligned to that.
    model::Addr alloc_stack(unsigned node);
    void free_pages(model::Addr addr, unsigned order);
    /// kmem_cache_alloc_node for a named cache; the first call fixes size and alignment.
    model::Addr alloc_object(std::string_view cache, unsigned size, unsigned align, unsigned node);
    void free_object(std::string_view cache, model::Addr addr);
    /// kmalloc_node: the cache of the next size up (8, 16, 32, 64, 96, 128, 192, 256, 512, ...).
    model::Addr kmalloc(unsigned size, unsigned node);

    /// Boot is over. With the freelists drawn, slabs are from now on those of a machine that has been
    /// up for a while.
    void end_boot();

    SlabCache& cache(std::string_view name) { return *caches_.at(std::string(name)); }

private:
    SlabCache& cache_for(std::string_view name, unsigned size, unsigned align);

    std::uint64_t seed_;
    bool draw_freelists_;
    bool boot_is_over_ = false;
    unsigned cpus_;
    std::unique_ptr<PageFrames> frames_;
    std::unique_ptr<PercpuUnits> percpu_;
    std::map<std::string, std::unique_ptr<SlabCache>, std::less<>> caches_;
    std::map<std::string, model::Addr, std::less<>> data_;
    model::Addr data_base_ = 0, data_next_ = 0, data_end_ = 0;
};

}  // namespace linefill::kernel
