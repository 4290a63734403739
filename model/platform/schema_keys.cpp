// SPDX-License-Identifier: Apache-2.0
// The table of keys. Bounds refuse what no machine is like or what the model cannot do; a range of
// plausible values for one machine stands in that machine's [provenance].
#include <array>
#include <utility>

#include "model/cache/replacement/policy.h"
#include "model/platform/schema.h"

namespace linefill::model {

namespace {

constexpr double kKiB = 1024;
constexpr double kMiB = 1024 * kKiB;
constexpr double kGiB = 1024 * kMiB;
constexpr double kTiB = 1024 * kGiB;
constexpr double kLongestLatency = 1e9;  // cycles, or ns: one second

using Field = std::function<FieldRef(Platform&)>;
using Names = std::vector<std::string>;
using Schema = std::vector<KeySpec>;

KeySpec base(std::string key, ValueKind kind, Field field, std::string doc) {
    KeySpec spec;
    spec.key = std::move(key);
    spec.kind = kind;
    spec.field = std::move(field);
    spec.doc = std::move(doc);
    return spec;
}

KeySpec bounded(std::string key, ValueKind kind, double min, double max, Field field,
                std::string doc) {
    KeySpec spec = base(std::move(key), kind, std::move(field), std::move(doc));
    spec.min = min;
    spec.max = max;
    return spec;
}

KeySpec count(std::string key, double min, double max, Field field, std::string doc) {
    return bounded(std::move(key), ValueKind::kCount, min, max, std::move(field), std::move(doc));
}

KeySpec real(std::string key, double min, double max, Field field, std::string doc) {
    return bounded(std::move(key), ValueKind::kReal, min, max, std::move(field), std::move(doc));
}

KeySpec latency(std::string key, Field field, std::string doc, double min = 0) {
    return bounded(std::move(key), ValueKind::kLatency, min, kLongestLatency, std::move(field),
                   std::move(doc));
}

KeySpec choice(std::string key, Names allowed, Field field, std::string doc) {
    KeySpec spec = base(std::move(key), ValueKind::kChoice, std::move(field), std::move(doc));
    spec.allowed = std::move(allowed);
    return spec;
}

KeySpec flag(std::string key, Field field, std::string doc) {
    return base(std::move(key), ValueKind::kFlag, std::move(field), std::move(doc));
}

KeySpec text(std::string key, Field field, std::string doc) {
    KeySpec spec = base(std::move(key), ValueKind::kText, std::move(field), std::move(doc));
    spec.is_figure = false;
    return spec;
}

// A key that may be left out because all machines so far have the same value.
KeySpec with_default(KeySpec spec) {
    spec.required = false;
    spec.is_figure = false;
    return spec;
}

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
        "core.load_buffer", 1, kMostEntries, [](Platform& p) { return &p.core.load_buffer; },
        "load buffer, entries; half of it while the sibling runs"));
    out.push_back(count(
        "core.store_buffer", 1, kMostEntries, [](Platform& p) { return &p.core.store_buffer; },
        "store buffer, entries; half of it while the sibling runs"));
    out.push_back(count(
        "core.fill_buffers", 1, kMostEntries, [](Platform& p) { return &p.core.fill_buffers; },
        "line-fill buffers: L1D misses in flight per core"));
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
        "page size of the kernel's code"));
}

void add_prefetchers(Schema& out) {
    struct Prefetcher {
        const char* name;
        bool PrefetchConfig::*field;
        const char* doc;
    };
    constexpr std::array<Prefetcher, 4> kPrefetchers{
        {{"dcu_next_line", &PrefetchConfig::dcu_next_line, "next line into L1D"},
         {"dcu_ip_stride", &PrefetchConfig::dcu_ip_stride, "stride per load instruction, L1D"},
         {"l2_adjacent", &PrefetchConfig::l2_adjacent, "the other half of 128 bytes into L2"},
         {"l2_streamer", &PrefetchConfig::l2_streamer, "streams within a page into L2 or LLC"}}};
    for (const auto& prefetcher : kPrefetchers) {
        const auto field = prefetcher.field;
        // A switch that nothing obeys would be worse than none: until the model has hardware
        // prefetchers, "false" is the only value.
        KeySpec spec = flag(
            std::string("prefetch.") + prefetcher.name + ".enabled",
            [field](Platform& p) { return &(p.prefetch.*field); },
            std::string("hardware prefetcher: ") + prefetcher.doc +
                "; not modelled yet, so it can only be off");
        spec.allowed = {"false"};
        out.push_back(std::move(spec));
    }
}

void add_uncore(Schema& out) {
    constexpr double kMostBandwidth = 1e6;
    constexpr double kLeastBandwidth = 0.001;
    out.push_back(choice(
        "coherence.protocol", {"MESIF"}, [](Platform& p) { return &p.coherence.protocol; },
        "coherence protocol between the sockets"));
    out.push_back(choice(
        "coherence.snoop", {"source"}, [](Platform& p) { return &p.coherence.snoop; },
        "who snoops the other socket; source: the agent that wants the line"));
    out.push_back(latency(
        "coherence.core_snoop_clean", [](Platform& p) { return &p.coherence.core_snoop_clean; },
        "LLC to a core's private caches and back, line clean there"));
    out.push_back(latency(
        "coherence.core_snoop_dirty", [](Platform& p) { return &p.coherence.core_snoop_dirty; },
        "LLC to a core's private caches and back, line modified there"));
    out.push_back(latency(
        "fabric.request_leg", [](Platform& p) { return &p.coherence.request_leg; },
        "core to LLC slice: the part of the LLC's latency that a request "
        "waiting at the LLC has behind it"));
    out.push_back(latency(
        "fabric.home_processing", [](Platform& p) { return &p.coherence.home_processing; },
        "one pass through the home agent's tracker"));

    // One socket has no link; a file that describes one all the same (sockets set to 1) may.
    const auto has_link = [](const Platform& p) { return p.link.bandwidth_gbs > 0; };
    KeySpec link = latency(
        "link.socket.latency", [](Platform& p) { return &p.link.latency; },
        "between the sockets, one way from agent to agent, unloaded");
    link.required = false;  // with two sockets it is required; check.cpp says so
    link.present = has_link;
    out.push_back(link);
    link = bounded(
        "link.socket.bandwidth", ValueKind::kBandwidth, kLeastBandwidth, kMostBandwidth,
        [](Platform& p) { return &p.link.bandwidth_gbs; },
        "between the sockets, per direction, all links together, achieved");
    link.required = false;
    link.present = has_link;
    out.push_back(link);

    out.push_back(bounded(
        "memory.size_per_node", ValueKind::kSize, kMiB, 64 * kTiB,
        [](Platform& p) { return &p.memory.size_per_node; }, "memory of one NUMA node"));
    out.push_back(latency(
        "memory.latency", [](Platform& p) { return &p.memory.latency; },
        "home agent to data, idle, average over row-buffer states"));
    out.push_back(bounded(
        "memory.bandwidth", ValueKind::kBandwidth, kLeastBandwidth, kMostBandwidth,
        [](Platform& p) { return &p.memory.bandwidth_gbs; }, "of one node, read, achieved"));

    out.push_back(latency(
        "irq.ipi_same_socket", [](Platform& p) { return &p.irq.ipi_same_socket; },
        "from the write that sends an interrupt to its being pending at a CPU "
        "of the socket"));
    out.push_back(latency(
        "irq.ipi_other_socket", [](Platform& p) { return &p.irq.ipi_other_socket; },
        "the same to a CPU of the other socket"));
    out.push_back(choice(
        "timer.kind", {"tsc-deadline"}, [](Platform& p) { return &p.timer.kind; }, "local timer"));
    out.push_back(latency(
        "timer.program", [](Platform& p) { return &p.timer.program; },
        "programming the local timer"));
}

// perf's names, in the order in which -d -dd -ddd show them, then those that only -e asks for. The
// first kDetailEvents must be in every file, if only as "not supported": an event that was
// forgotten would look like one that the machine lacks.
constexpr std::array<const char*, 28> kPerfEvents{
    "cycles", "stalled-cycles-frontend", "stalled-cycles-backend", "instructions", "branches",
    "branch-misses", "L1-dcache-loads", "L1-dcache-load-misses", "LLC-loads", "LLC-load-misses",
    "L1-icache-loads", "L1-icache-load-misses", "dTLB-loads", "dTLB-load-misses", "iTLB-loads",
    "iTLB-load-misses", "L1-dcache-prefetches", "L1-dcache-prefetch-misses",
    // only with -e
    "cache-references", "cache-misses", "L1-dcache-stores", "L1-dcache-store-misses", "LLC-stores",
    "LLC-store-misses", "LLC-prefetches", "LLC-prefetch-misses", "dTLB-stores",
    "dTLB-store-misses"};
constexpr std::size_t kDetailEvents = 18;

void add_pmu(Schema& out) {
    out.push_back(flag(
        "pmu.count_fill_into_invalid", [](Platform& p) { return &p.pmu.count_fill_into_invalid; },
        "whether L1D fills into a way that a snoop had emptied are counted"));
    out.push_back(flag(
        "pmu.count_upgrades", [](Platform& p) { return &p.pmu.count_upgrades; },
        "whether ownership upgrades of L1D lines, which move no data, are counted "
        "as fills"));
    for (std::size_t i = 0; i < kPerfEvents.size(); ++i) {
        const std::string name = kPerfEvents[i];
        KeySpec spec = base(
            "pmu.events." + name, ValueKind::kEvents,
            [name](Platform& p) { return &p.pmu.events[name]; },
            "the model events that perf's " + name + " counts on this machine");
        spec.present = [name](const Platform& p) { return p.pmu.events.count(name) != 0; };
        spec.required = i < kDetailEvents;
        out.push_back(std::move(spec));
    }
}

void add_mechanisms(Schema& out) {
    using Mechanisms = Platform::Mechanisms;
    struct Mechanism {
        const char* name;
        bool Mechanisms::*field;
        const char* doc;
    };
    constexpr std::array<Mechanism, 5> kMechanisms{
        {{"inflight_hold", &Mechanisms::inflight_hold,
          "a line is held at its home from request to completion, and later requests queue"},
         {"inorder_drain", &Mechanisms::inorder_drain,
          "stores drain in order and become visible when they drain"},
         {"finite_window", &Mechanisms::finite_window,
          "reorder window and fill buffers bound how many misses overlap"},
         {"numa_distance", &Mechanisms::numa_distance,
          "links cost; off: the other socket is as near as the own"},
         {"prefetch_shared_only", &Mechanisms::prefetch_shared_only,
          "a software prefetch leaves the line shared; off: it obtains ownership too"}}};
    for (const auto& mechanism : kMechanisms) {
        const auto field = mechanism.field;
        KeySpec spec = flag(
            std::string("ablation.") + mechanism.name,
            [field](Platform& p) { return &(p.mechanisms.*field); },
            std::string("mechanism: ") + mechanism.doc);
        spec.required = false;
        spec.is_figure = false;
        out.push_back(std::move(spec));
    }
}

void add_targets(Schema& out) {
    struct Target {
        const char* name;
        const char* doc;
    };
    constexpr std::array<Target, 12> kTargets{
        {{"load_l1d", "load that hits L1D"},
         {"load_l2", "load that hits L2"},
         {"load_llc", "load that hits the LLC, no snoop"},
         {"load_local_dram", "load from the own node's idle memory"},
         {"load_remote_dram", "load from the other node's idle memory"},
         {"load_clean_same_socket", "load of a clean line in another core of the socket"},
         {"load_dirty_same_socket", "load of a modified line in another core of the socket"},
         {"load_clean_other_socket", "load of a clean line forwarded by the other socket"},
         {"load_dirty_other_socket", "load of a modified line in the other socket"},
         {"rmw_same_core", "locked exchange of a line with the sibling thread, one way"},
         {"rmw_same_socket", "locked exchange of a line with another core of the socket, one way"},
         {"rmw_other_socket", "locked exchange of a line with the other socket, one way"}}};
    for (const auto& target : kTargets) {
        const std::string name = target.name;
        KeySpec spec = latency(
            "provenance.targets." + name, [name](Platform& p) { return &p.targets[name]; },
            std::string("measured: ") + target.doc);
        spec.present = [name](const Platform& p) { return p.targets.count(name) != 0; };
        spec.required = false;
        out.push_back(std::move(spec));
    }
}

}  // namespace

const std::vector<KeySpec>& platform_schema() {
    static const Schema schema = [] {
        Schema out;
        add_machine(out);
        add_core(out);
        add_caches(out);
        add_prefetchers(out);
        add_uncore(out);
        add_pmu(out);
        add_mechanisms(out);
        add_targets(out);
        return out;
    }();
    return schema;
}

std::vector<KeySpec> idle_state_schema(const Platform& platform, std::size_t index) {
    const std::string prefix = "idle_state." + platform.idle_states[index].name + ".";
    Schema out;
    out.push_back(latency(
        prefix + "exit", [index](Platform& p) { return &p.idle_states[index].exit; },
        "from the wake-up to the first instruction"));
    out.push_back(latency(
        prefix + "residency", [index](Platform& p) { return &p.idle_states[index].residency; },
        "shortest stay for which it is chosen"));
    out.push_back(flag(
        prefix + "flushes_private_caches",
        [index](Platform& p) { return &p.idle_states[index].flushes_private_caches; },
        "whether L1 and L2 are empty afterwards"));
    return out;
}

}  // namespace linefill::model
