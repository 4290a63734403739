// SPDX-License-Identifier: Apache-2.0
// A machine description as plain data: what a platform file (TOML) says, checked and with units
// resolved. The model is built from this and from nothing else; it never sees the file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace linefill::model {

/// A latency that is fixed either in core cycles (scales with the clock) or in time.
struct Latency {
    double cycles = 0;  ///< core clock cycles, used when `is_cycles`
    double ns = 0;      ///< nanoseconds otherwise
    bool is_cycles = true;
    /// In nanoseconds when the core runs at `ghz`.
    double to_ns(double ghz) const { return is_cycles ? cycles / ghz : ns; }
    bool operator==(const Latency&) const = default;
};

struct TopologyConfig {
    unsigned sockets = 1;  ///< each is a NUMA node
    unsigned cores_per_socket = 1;
    unsigned cluster = 0;           ///< cores that share an L2; 0 or 1: private
    unsigned threads_per_core = 1;  ///< hardware threads (SMT siblings) of one core
    /// How logical CPUs are numbered: "sockets-cores-threads" (Linux on Xeon: CPU 0-7 the cores of
    /// socket 0, 8-15 of socket 1, 16-31 their siblings in the same order) or "interleaved"
    /// (even CPUs on socket 0).
    std::string numbering = "sockets-cores-threads";
    /// Logical CPUs of the machine.
    unsigned cpus() const { return sockets * cores_per_socket * threads_per_core; }
    bool operator==(const TopologyConfig&) const = default;
};

struct ClockConfig {
    double base_ghz = 1;  ///< rated core clock, GHz
    double tsc_ghz = 1;   ///< rate of rdtsc and sched_clock, GHz
    /// Core clock in GHz by number of active cores of the socket: turbo_ghz[i] holds for i+1 active
    /// cores; the last entry holds for all larger numbers.
    std::vector<double> turbo_ghz;
    std::string uncore = "core";  ///< "core": the ring follows the fastest core (SNB, IVB)
    bool operator==(const ClockConfig&) const = default;
};

struct CoreConfig {
    unsigned width = 4;            ///< issue slots per cycle
    double cpi_kernel = 1;         ///< base cycles per instruction of kernel code, all hits
    double cpi_user = 1;           ///< of user code, all hits
    double smt_issue_share = 0.6;  ///< rate of one thread while its sibling issues too, 0.5..1
    unsigned window = 168;         ///< reorder buffer, instructions; halved while the sibling runs
    /// Scheduler entries. Instructions that wait for a load in flight stay there, so the overlap ends
    /// when they fill it, if the reorder buffer has not filled before. The siblings compete for them:
    /// each has those that the other does not use, and at least half.
    unsigned scheduler = 54;
    unsigned rdtsc_uops = 1;  ///< entries of the reorder buffer that RDTSC takes
    /// Share of the instructions behind a load in flight that need its value, directly or not: they
    /// wait in the scheduler and are executed when it is there. The others go on meanwhile.
    double dependent_share = 0.6;
    unsigned load_buffer = 64;       ///< entries; halved while the sibling runs
    unsigned store_buffer = 36;      ///< entries; halved while the sibling runs
    unsigned fill_buffers = 10;      ///< line-fill buffers: L1D misses in flight per core
    std::uint64_t xsave_area = 512;  ///< bytes of a thread's register state that XSAVE writes
    Latency mispredict;              ///< a mispredicted branch
    Latency store_forward;           ///< a load served by an own store still in the store buffer
    Latency lock_rmw;         ///< LOCK-prefixed RMW or XCHG on a line owned in L1, total latency
    Latency mfence;           ///< MFENCE with no store pending
    Latency pause;            ///< PAUSE
    Latency rdtsc;            ///< RDTSC
    Latency irq_flags_on;     ///< POPF or STI: interrupts let in again
    Latency irq_flags_off;    ///< PUSHF and CLI: interrupts kept out
    Latency syscall;          ///< SYSCALL + SYSRET + entry code of an empty system call
    Latency interrupt_entry;  ///< recognition to first handler instruction
    Latency interrupt_exit;   ///< the rest of an interrupt but its handler: entry code, EOI, IRET
    Latency wrmsr;            ///< WRMSR
    Latency cr3_write;        ///< change of address space
    Latency divide;           ///< 64-bit division
    Latency indirect_branch_miss;  ///< indirect call or jump to a wrongly predicted target
    bool operator==(const CoreConfig&) const = default;
};

struct CacheConfig {
    std::uint64_t size = 0;                   ///< bytes of one instance (LLC: of one socket)
    unsigned ways = 0;                        ///< lines of one set
    unsigned line = 64;                       ///< bytes
    std::string policy = "tree-plru";         ///< tree-plru, lru, random, mru-n
    std::string inclusion = "non-inclusive";  ///< inclusive, non-inclusive
    Latency latency;                          ///< total load-to-use, unloaded
    unsigned slices = 1;                      ///< LLC only
    bool present = false;                     ///< whether the machine has this level
    /// Sets of one instance, all slices together.
    std::uint64_t sets() const { return size / line / ways; }
    bool operator==(const CacheConfig&) const = default;
};

struct TlbConfig {
    unsigned entries = 0;  ///< of one core; of itlb_4k: of one hardware thread
    unsigned ways = 0;     ///< entries of one set; as many as entries: fully associative
    bool operator==(const TlbConfig&) const = default;
};

struct TlbsConfig {
    TlbConfig dtlb_4k, dtlb_2m, dtlb_1g;
    TlbConfig itlb_4k, itlb_2m;
    TlbConfig stlb;                 ///< second level
    std::string stlb_pages = "4k";  ///< "4k", "4k+2m"
    Latency stlb_hit;               ///< penalty of a first-level miss that hits the second level
    Latency walk;  ///< page walk with the paging-structure caches warm, without the leaf access
    std::string linear_map_page = "1GiB";   ///< of the kernel's linear map: 4KiB, 2MiB, 1GiB
    std::string kernel_text_page = "2MiB";  ///< of the kernel's image: code and static data
    bool operator==(const TlbsConfig&) const = default;
};

/// Switches of the hardware prefetchers. The model has none yet, so the loader takes only "false".
struct PrefetchConfig {
    bool dcu_next_line = false;  ///< next line into L1D
    bool dcu_ip_stride = false;  ///< stride per load instruction into L1D
    bool l2_adjacent = false;    ///< other half of 128 bytes into L2
    bool l2_streamer = false;    ///< streams within a page into L2 or LLC
    bool operator==(const PrefetchConfig&) const = default;
};

/// Component latencies of the coherent fabric. There is no hand-over and no HitM figure here: both
/// come out of these and of lines held in flight; the probes compare them with provenance.targets.
struct CoherenceConfig {
    std::string protocol = "MESIF";  ///< between the sockets
    std::string snoop = "source";    ///< source snoop: the requester's agent snoops the peer socket
    Latency core_snoop_clean;        ///< LLC to a core's L1/L2 and back when the copy is clean (E)
    Latency core_snoop_dirty;        ///< the same when it is modified (data comes along)
    Latency request_leg;  ///< core to LLC slice: what a request that waits at the LLC has behind it
    /// Width of the even distribution around request_leg: way on the ring, arbitration.
    Latency request_spread;
    Latency home_processing;  ///< home agent: one pass through the tracker (conflict, completion)
    bool operator==(const CoherenceConfig&) const = default;
};

struct LinkConfig {
    Latency latency;           ///< one way, agent to agent, unloaded
    Latency spread;            ///< width of the even distribution around `latency`
    double bandwidth_gbs = 0;  ///< per direction, all links of the pair, GB/s
    bool operator==(const LinkConfig&) const = default;
};

struct MemoryConfig {
    std::uint64_t size_per_node = 0;  ///< bytes
    Latency latency;                  ///< home agent to data, idle (channel, row-buffer average)
    double bandwidth_gbs = 0;         ///< per node, read, achieved
    bool operator==(const MemoryConfig&) const = default;
};

struct IrqConfig {
    Latency ipi_same_socket, ipi_other_socket;  ///< ICR write to interrupt pending at the target
    bool operator==(const IrqConfig&) const = default;
};

struct TimerConfig {
    std::string kind = "tsc-deadline";  ///< local timer
    Latency program;                    ///< programming it
    bool operator==(const TimerConfig&) const = default;
};

struct IdleStateConfig {
    std::string name;
    Latency exit;                         ///< wake-up to first instruction
    Latency residency;                    ///< shortest stay for which it is chosen
    bool flushes_private_caches = false;  ///< whether L1 and L2 are empty afterwards
    bool operator==(const IdleStateConfig&) const = default;
};

/// How perf names map to model events (measure/ interprets the right-hand sides).
struct PmuConfig {
    /// Perf event name -> sum of model events, or "not supported".
    std::map<std::string, std::string> events;
    bool count_fill_into_invalid = true;  ///< L1D.REPLACEMENT counts fills into emptied ways
    bool count_upgrades = false;          ///< ... and S->M upgrades, which move no data
    bool operator==(const PmuConfig&) const = default;
};

/// Where a value comes from.
struct Provenance {
    std::string source;  ///< publication, dump or arithmetic
    std::string range;   ///< plausible values: "fixed", "LOW..HIGH" with units, "a|b"
    std::string tag;     ///< measured, manual, derived, assumed
    std::string reason;  ///< why the value deviates from the reference's use column, if it does
    bool operator==(const Provenance&) const = default;
};

struct Platform {
    std::string name;    ///< "xeon-snb-2s"
    std::string title;   ///< the machine in one line
    std::string isa;     ///< "x86_64"
    std::string source;  ///< where the figures come from, in one line
    TopologyConfig topology;
    ClockConfig clock;
    CoreConfig core;
    CacheConfig l1i, l1d, l2, llc;
    TlbsConfig tlb;
    PrefetchConfig prefetch;
    CoherenceConfig coherence;
    LinkConfig link;  ///< between sockets; unused on one-socket machines
    MemoryConfig memory;
    IrqConfig irq;
    TimerConfig timer;
    std::vector<IdleStateConfig> idle_states;
    PmuConfig pmu;
    std::map<std::string, Provenance> provenance;  ///< by dotted key of a value or section
    /// [provenance.targets]: measured behaviour; only the probes read it.
    std::map<std::string, Latency> targets;
    /// Mechanisms that an ablation can switch off, all on by default ([ablation] keys):
    struct Mechanisms {
        bool inflight_hold = true;  ///< a line is held at the home from request to completion
        bool inorder_drain = true;  ///< stores drain in order, and become visible then
        bool finite_window = true;  ///< reorder window and fill buffers bound the overlap
        bool numa_distance = true;  ///< links cost; off: the peer socket is as near as the own
        bool prefetch_shared_only = true;  ///< off: a prefetch obtains ownership too
        bool operator==(const Mechanisms&) const = default;
    } mechanisms;
    bool operator==(const Platform&) const = default;
};

}  // namespace linefill::model
