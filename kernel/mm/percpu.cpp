// SPDX-License-Identifier: Apache-2.0
// Per-CPU units: one block of pages per node, cut into units.
#include "kernel/mm/percpu.h"

#include "model/sim/error.h"

namespace linefill::kernel {

using model::Addr;

namespace {

constexpr Addr kLargePage = 2U << 20;
constexpr Addr kStagger = 67 * model::kLineBytes;  // no multiple of a page, prime number of lines

}  // namespace

PercpuUnits::PercpuUnits(PageFrames& frames, const std::vector<unsigned>& node_of_cpu,
                         bool page_aligned)
    : units_(node_of_cpu.size()) {
    unsigned nodes = 0;
    for (const unsigned n : node_of_cpu) nodes = n + 1 > nodes ? n + 1 : nodes;
    for (unsigned node = 0; node < nodes; ++node) {
        unsigned count = 0;
        for (const unsigned n : node_of_cpu) count += n == node ? 1 : 0;
        if (count == 0) continue;
        // The embedding allocator asks for whole 2 MiB pages, aligned to that, early in boot.
        const std::uint64_t stride = kUnitSize + (page_aligned ? 0 : kStagger);
        const std::uint64_t bytes = (stride * count + kLargePage - 1) / kLargePage * kLargePage;
        Addr at = frames.alloc_boot(node, bytes, kLargePage);
        for (std::size_t cpu = 0; cpu < node_of_cpu.size(); ++cpu) {
            if (node_of_cpu[cpu] != node) continue;
            units_[cpu] = at;
            at += stride;
        }
    }
}

Addr PercpuUnits::variable(std::string_view symbol, unsigned cpu, unsigned size, unsigned align) {
    const auto it = offsets_.find(symbol);
    if (it != offsets_.end()) return units_.at(cpu) + it->second;
    const Addr offset = (next_ + align - 1) / align * align;
    next_ = offset + size;
    if (next_ > kUnitSize) {
        throw model::InternalError("per-CPU unit is full: " + std::string(symbol));
    }
    offsets_.emplace(std::string(symbol), offset);
    return units_.at(cpu) + offset;
}

}  // namespace linefill::kernel
