// SPDX-License-Identifier: Apache-2.0
// The kernel's memory: page frames, per-CPU units, slab caches and kernel data over one machine.
#include "kernel/mm/memory.h"

#include "kernel/kernel.h"
#include "model/cache/tlb.h"
#include "model/machine.h"
#include "model/sim/error.h"

namespace linefill::kernel {

using model::Addr;

namespace {

/// .data and .bss: behind the text and the page tables, which the machine keeps.
constexpr Addr kDataOffset = model::Machine::kReservedBytes;
constexpr Addr kDataBytes = 8ULL << 20;
/// Kernel image and data: never handed out; on other nodes their page descriptors.
constexpr std::uint64_t kReservedLow = kDataOffset + kDataBytes;
constexpr std::uint64_t kReservedNode = 4ULL << 20;

}  // namespace

Memory::Memory(model::Machine& machine, const KernelOptions& options)
    : seed_(options.seed), draw_freelists_(options.draws.freelists), cpus_(machine.cpus()) {
    std::vector<unsigned> node_of_cpu;
    unsigned nodes = 0;
    for (unsigned cpu = 0; cpu < cpus_; ++cpu) {
        node_of_cpu.push_back(machine.node_of(cpu));
        nodes = std::max(nodes, machine.node_of(cpu) + 1);
    }
    std::vector<PageFrames::Node> list;
    for (unsigned n = 0; n < nodes; ++n) {
        const std::uint64_t reserved = n == 0 ? kReservedLow : kReservedNode;
        if (machine.node_size() < 2 * kReservedLow) {
            throw model::UserError("memory of a node is too small for the kernel")
                .key("memory.size_per_node")
                .value(std::to_string(machine.node_size()) + " bytes")
                .expected("at least 528MiB");
        }
        list.push_back({machine.node_base(n), machine.node_size(), reserved});
    }
    frames_ =
        std::make_unique<PageFrames>(std::move(list), options.seed, options.draws.page_frames);
    percpu_ = std::make_unique<PercpuUnits>(*frames_, node_of_cpu, options.page_aligned_percpu);
    data_base_ = data_next_ = machine.node_base(0) + kDataOffset;
    data_end_ = data_base_ + kDataBytes;
}

Addr Memory::per_cpu(std::string_view symbol, unsigned cpu, unsigned size, unsigned align) {
    return percpu_->variable(symbol, cpu, size, align);
}

Addr Memory::data(std::string_view symbol, unsigned size, unsigned align) {
    const auto it = data_.find(symbol);
    if (it != data_.end()) return it->second;
    const Addr at = (data_next_ + align - 1) / align * align;
    data_next_ = at + size;
    if (data_next_ > data_end_) throw model::InternalError("kernel data section is full");
    data_.emplace(std::string(symbol), at | model::kImageBit);
    return at | model::kImageBit;
}

Addr Memory::alloc_pages(unsigned node, unsigned order) { return frames_->alloc(node, order); }

Addr Memory::alloc_stack(unsigned node) { return frames_->alloc(node, 2); }

void Memory::free_pages(Addr addr, unsigned order) { frames_->free(addr, order); }

SlabCache& Memory::cache_for(std::string_view name, unsigned size, unsigned align) {
    const auto it = caches_.find(name);
    if (it != caches_.end()) return *it->second;
    auto cache =
        std::make_unique<SlabCache>(std::string(name), size, align, cpus_, *frames_, seed_);
    if (boot_is_over_ && draw_freelists_) cache->age();
    return *caches_.emplace(std::string(name), std::move(cache)).first->second;
}

void Memory::end_boot() {
    boot_is_over_ = true;
    if (!draw_freelists_) return;
    for (const auto& [name, cache] : caches_) cache->age();
}

Addr Memory::alloc_object(std::string_view cache, unsigned size, unsigned align, unsigned node) {
    return cache_for(cache, size, align).alloc(node);
}

void Memory::free_object(std::string_view cache, Addr addr) {
    caches_.at(std::string(cache))->free(addr);
}

Addr Memory::kmalloc(unsigned size, unsigned node) {
    // The caches of 96 and 192 bytes exist because powers of two alone would waste a third.
    unsigned fits = 8;
    if (size > 64 && size <= 96) {
        fits = 96;
    } else if (size > 128 && size <= 192) {
        fits = 192;
    } else {
        while (fits < size) fits *= 2;
    }
    const bool is_power = (fits & (fits - 1)) == 0;
    return alloc_object("kmalloc-" + std::to_string(fits), fits, is_power && fits >= 64 ? 64 : 8,
                        node);
}

}  // namespace linefill::kernel
