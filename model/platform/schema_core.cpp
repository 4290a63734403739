// SPDX-License-Identifier: Apache-2.0
// Keys of the machine, its cores, caches and TLBs. Bounds refuse what no machine is like or what
// the model cannot do; the plausible values of one machine stand in that machine's [provenance].
#include "model/cache/replacement/policy.h"
#include "model/platform/schema_build.h"

namespace linefill::model::schema_build {

namespace {

void add_machine(Schema& out) {
    out.push_back(text(
        "name", [](Platform& p) { return &p.name; }, "name of the platform"));
    out.push_back(text(
        "title", [](Platform& p) { return &p.title; }, "the machine in one line"));
    KeySpec isa = choice(
        "isa", {"x86_64"}, [](Platform& p) { return &p.isa; }, "instruction set");
    isa.is_figure = false;
    out.push_back(std::move(isa));
    out.push_back(text(
        "source", [](Platform& p) { return &p.source; },
        "where the figures come from, in one line"));

    out.push_back(count(
        "topology.sockets", 1, 2, [](Platform& p) { return &p.topology.sockets; },
        "sockets; each is a NUMA node"));
    out.push_back(count(
        "topology.cores_per_socket", 1, 64,
        [](Platform& p) { return &p.topology.cores_per_socket; }, "cores of one socket"));
    out.push_back(with_default(count(
        "topology.cluster", 0, 1, [](Platform& p) { return &p.topology.cluster; },
        "cores that share one L2; 0 or 1: every core has its own")));
    out.push_back(count(
        "topology.threads_per_core", 1, 2, [](Platform& p) { return &p.topology.threads_per_core; },
        "hardware threads of one core"));
    out.push_back(choice(
        "topology.numbering", {"sockets-cores-threads", "interleaved"},
        [](Platform& p) { return &p.topology.numbering; },
        "how Linux numbers the CPUs: cores of socket 0, of socket 1, then the "
        "siblings in the same order; or even CPUs on socket 0"));

    constexpr double kSlowest = 0.1;
    constexpr double kFastest = 10;
    out.push_back(bounded(
        "clock.base", ValueKind::kClock, kSlowest, kFastest,
        [](Platform& p) { return &p.clock.base_ghz; }, "rated core clock"));
    out.push_back(bounded(
        "clock.tsc", ValueKind::kClock, kSlowest, kFastest,
        [](Platform& p) { return &p.clock.tsc_ghz; },
        "rate of the time-stamp counter and of sched_clock"));
    out.push_back(bounded(
        "clock.turbo", ValueKind::kClockList, kSlowest, kFastest,
        [](Platform& p) { return &p.clock.turbo_ghz; },
        "core clock with 1, 2, ... cores of the socket active; the last one "
        "holds for all more"));
    out.push_back(choice(
        "clock.uncore", {"core"}, [](Platform& p) { return &p.clock.uncore; },
        "clock of ring and LLC; core: that of the socket's fastest core"));
}

void add_core(Schema& out) {
    constexpr double kMostEntries = 4096;
    out.push_back(count(
        "core.width", 1, 16, [](Platform& p) { return &p.core.width; }, "issue slots per cycle"));
    out.push_back(real(
        "core.cpi_kernel", 0.05, 20, [](Platform& p) { return &p.core.cpi_kernel; },
        "base cycles per instruction of kernel code when all accesses hit"));
    out.push_back(real(
        "core.cpi_user", 0.05, 20, [](Platform& p) { return &p.core.cpi_user; },
        "base cycles per instruction of user code when all accesses hit"));
    out.push_back(real(
        "core.smt_issue_share", 0.5, 1, [](Platform& p) { return &p.core.smt_issue_share; },
        "rate of a hardware thread while its sibling issues too; 1: unhindered"));
    out.push_back(count(
        "core.window", 1, kMostEntries, [](Platform& p) { return &p.core.window; },
        "reorder buffer, instructions; half of it while the sibling runs"));
    out.push_back(count(
        "core.scheduler", 1, kMostEntries, [](Platform& p) { return &p.core.scheduler; },
        "scheduler, entries: instructions that wait for a load stay in it, those of both "
        "siblings"));
    out.push_back(count(
        "core.rdtsc_uops", 1, kMostEntries, [](Platform& p) { return &p.core.rdtsc_uops; },
        "entries of the reorder buffer that RDTSC takes"));
    out.push_back(real(
        "core.dependent_share", 0, 1, [](Platform& p) { return &p.core.dependent_share; },
        "share of the instructions behind a load in flight that need its value, directly or not"));
    out.push_back(count(
        "core.load_buffer", 1, kMostEntries, [](Platform& p) { return &p.core.load_buffer; },
        "load buffer, entries; half of it while the sibling runs"));
    out.push_back(count(
        "core.store_buffer", 1, kMostEntries, [](Platform& p) { return &p.core.store_buffer; },
        "store buffer, entries; half of it while the sibling runs"));
    out.push_back(count(
        "core.fill_buffers", 1, kMostEntries, [](Platform& p) { return &p.core.fill_buffers; },
        "line-fill buffers: L1D misses in flight per core"));
    out.push_back(bounded(
        "core.xsave_area", ValueKind::kSize, 512, 1 << 16,
        [](Platform& p) { return &p.core.xsave_area; },
        "bytes of a thread's register state that XSAVE writes"));
    out.push_back(latency(
        "core.mispredict", [](Platform& p) { return &p.core.mispredict; },
        "a mispredicted branch"));
    out.push_back(latency(
        "core.store_forward", [](Platform& p) { return &p.core.store_forward; },
        "a load served by an own store that is still in the store buffer"));
    out.push_back(latency(
        "core.lock_rmw", [](Platform& p) { return &p.core.lock_rmw; },
        "a LOCK-prefixed instruction or XCHG on a line owned in L1D, in all"));
    out.push_back(latency(
        "core.mfence", [](Platform& p) { return &p.core.mfence; }, "MFENCE with no store pending"));
    out.push_back(latency(
        "core.pause", [](Platform& p) { return &p.core.pause; }, "PAUSE"));
    out.push_back(latency(
        "core.rdtsc", [](Platform& p) { return &p.core.rdtsc; }, "RDTSC"));
    out.push_back(latency(
        "core.irq_flags_on", [](Platform& p) { return &p.core.irq_flags_on; },
        "letting interrupts in again: POPF or STI"));
    out.push_back(latency(
        "core.irq_flags_off", [](Platform& p) { return &p.core.irq_flags_off; },
        "keeping interrupts out: PUSHF and CLI"));
    out.push_back(latency(
        "core.syscall", [](Platform& p) { return &p.core.syscall; },
        "an empty system call: SYSCALL, SYSRET and the entry code between"));
    out.push_back(latency(
        "core.interrupt_entry", [](Platform& p) { return &p.core.interrupt_entry; },
        "from recognising an interrupt to the handler's first instruction"));
    out.push_back(latency(
        "core.interrupt_exit", [](Platform& p) { return &p.core.interrupt_exit; },
        "the rest of an interrupt but its handler: entry code, EOI, IRET"));
    out.push_back(latency(
        "core.wrmsr", [](Platform& p) { return &p.core.wrmsr; }, "WRMSR"));
    out.push_back(latency(
        "core.cr3_write", [](Platform& p) { return &p.core.cr3_write; },
        "a write of CR3, the change of address space"));
    out.push_back(latency(
        "core.divide", [](Platform& p) { return &p.core.divide; }, "a 64-bit division"));
    out.push_back(latency(
        "core.indirect_branch_miss", [](Platform& p) { return &p.core.indirect_branch_miss; },
        "an indirect call or jump whose target was predicted wrongly"));
}

struct CacheLevel {
    const char* name;
    CacheConfig Platform::*cache;
    double largest;  // bytes: what the host's memory can take, beyond any machine
    bool is_llc;
    bool has_upper;  // whether it can include another level
};

void add_cache(Schema& out, const CacheLevel& level) {
    const auto cache = level.cache;
    const std::string prefix = std::string("cache.") + level.name + ".";
    const std::string share = level.is_llc ? " of one socket" : " of one core";
    out.push_back(bounded(
        prefix + "size", ValueKind::kSize, 64, level.largest,
        [cache](Platform& p) { return &(p.*cache).size; }, "bytes" + share));
    // 63: replacement policies keep a bit per way in a word.
    out.push_back(count(
        prefix + "ways", 1, 63, [cache](Platform& p) { return &(p.*cache).ways; },
        "lines of one set"));
    out.push_back(count(
        prefix + "line", 64, 64, [cache](Platform& p) { return &(p.*cache).line; },
        "bytes of one line"));
    out.push_back(choice(
        prefix + "policy", policy_names(), [cache](Platform& p) { return &(p.*cache).policy; },
        "replacement policy"));
    KeySpec inclusion = choice(
        prefix + "inclusion", {level.is_llc ? "inclusive" : "non-inclusive"},
        [cache](Platform& p) { return &(p.*cache).inclusion; },
        "whether it holds every line of the levels above it");
    out.push_back(level.has_upper ? inclusion : with_default(inclusion));
    out.push_back(latency(
        prefix + "latency", [cache](Platform& p) { return &(p.*cache).latency; },
        "load-to-use in all, unloaded", 0.1));
    KeySpec slices = count(
        prefix + "slices", 1, level.is_llc ? 64 : 1,
        [cache](Platform& p) { return &(p.*cache).slices; },
        "slices over which the addresses spread evenly");
    out.push_back(level.is_llc ? slices : with_default(slices));
}

void add_tlb(Schema& out, const std::string& name, TlbConfig TlbsConfig::*tlb,
             const std::string& doc) {
    const std::string prefix = "tlb." + name + ".";
    out.push_back(count(
        prefix + "entries", 1, 65536, [tlb](Platform& p) { return &(p.tlb.*tlb).entries; },
        doc + ", entries"));
    out.push_back(count(
        prefix + "ways", 1, 65536, [tlb](Platform& p) { return &(p.tlb.*tlb).ways; },
        doc + ", entries of one set; all: fully associative"));
}

void add_caches(Schema& out) {
    add_cache(out, {"l1i", &Platform::l1i, 4 * kMiB, false, false});
    add_cache(out, {"l1d", &Platform::l1d, 4 * kMiB, false, false});
    add_cache(out, {"l2", &Platform::l2, 64 * kMiB, false, true});
    add_cache(out, {"llc", &Platform::llc, kGiB, true, true});

    add_tlb(out, "dtlb_4k", &TlbsConfig::dtlb_4k, "first-level data TLB for 4 KiB pages");
    add_tlb(out, "dtlb_2m", &TlbsConfig::dtlb_2m, "first-level data TLB for 2 MiB pages");
    add_tlb(out, "dtlb_1g", &TlbsConfig::dtlb_1g, "first-level data TLB for 1 GiB pages");
    add_tlb(out, "itlb_4k", &TlbsConfig::itlb_4k, "first-level code TLB for 4 KiB pages");
    add_tlb(out, "itlb_2m", &TlbsConfig::itlb_2m, "first-level code TLB for 2 MiB pages");
    add_tlb(out, "stlb", &TlbsConfig::stlb, "second-level TLB");
    out.push_back(choice(
        "tlb.stlb.pages", {"4k", "4k+2m"}, [](Platform& p) { return &p.tlb.stlb_pages; },
        "page sizes that the second level holds"));
    out.push_back(latency(
        "tlb.stlb.hit", [](Platform& p) { return &p.tlb.stlb_hit; },
        "penalty of a first-level miss that hits the second level"));
    out.push_back(latency(
        "tlb.walk.latency", [](Platform& p) { return &p.tlb.walk; },
        "page walk with warm paging-structure caches, without the access to "
        "the last entry"));
    const Names pages{"4KiB", "2MiB", "1GiB"};
    out.push_back(choice(
        "tlb.linear_map_page", pages, [](Platform& p) { return &p.tlb.linear_map_page; },
        "page size of the kernel's linear map"));
    out.push_back(choice(
        "tlb.kernel_text_page", pages, [](Platform& p) { return &p.tlb.kernel_text_page; },
        "page size of the kernel's image: code and static data"));
}

}  // namespace

void add_core_keys(Schema& out) {
    add_machine(out);
    add_core(out);
    add_caches(out);
}

}  // namespace linefill::model::schema_build
