// SPDX-License-Identifier: Apache-2.0
// The modelled machine: built from a platform, one per process. SystemC modules and sockets are inside
// (machine.cpp); this header is free of SystemC so that what includes it compiles fast.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/coherence/inflight.h"
#include "model/core/access.h"
#include "model/core/counters.h"
#include "model/core/execution_context.h"
#include "model/core/hw_thread.h"
#include "model/core/miss_classifier.h"
#include "model/devices/local_apic.h"
#include "model/platform/platform.h"
#include "model/sim/random.h"
#include "model/sim/scheduler.h"

namespace linefill::model {

class Core;
class Llc;
class Link;
class MemoryController;
struct MemoryBinder;

/// For tests: makes the LLC of a socket (a subclass with a broken transition, say).
struct LlcFactory {
    virtual ~LlcFactory() = default;
    virtual std::unique_ptr<Llc> make(unsigned socket, unsigned cores, const CacheConfig& config,
                                      std::uint64_t seed, Addr node_bytes) = 0;
};

struct MachineOptions {
    std::uint64_t seed = 1;
    Tick quantum = kMicrosecond;  ///< run-ahead bound; 0 synchronises on every access
    bool track_tokens = false;    ///< write-sequence tokens for the coherence tester
    LlcFactory* llc_factory = nullptr;
    MemoryBinder* memory_binder = nullptr;  ///< memory from outside (model/memory/memory_target.h)
};

class Machine {
public:
    Machine(const Platform& platform, const MachineOptions& options);
    Machine(const Platform& platform, std::uint64_t seed)
        : Machine(platform, MachineOptions{seed, kMicrosecond, false, nullptr}) {}
    ~Machine();
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    const Platform& platform() const { return platform_; }
    Scheduler& scheduler() { return scheduler_; }
    unsigned cpus() const { return static_cast<unsigned>(threads_.size()); }
    HwThread& hw(unsigned cpu) { return *threads_.at(cpu); }
    LocalApic& apic(unsigned cpu) { return *apics_.at(cpu); }
    Core& core(unsigned index) { return *cores_.at(index); }
    unsigned cores() const { return static_cast<unsigned>(cores_.size()); }
    Llc& llc(unsigned socket) { return *llcs_.at(socket); }
    Link& link(unsigned from, unsigned to);

    // ---- topology ---------------------------------------------------------------------------
    unsigned sockets() const { return platform_.topology.sockets; }
    unsigned socket_of(unsigned cpu) const { return socket_of_cpu_.at(cpu); }
    unsigned node_of(unsigned cpu) const { return socket_of(cpu); }
    unsigned core_of(unsigned cpu) const { return core_of_cpu_.at(cpu); }
    /// The other hardware thread of the core; `cpu` itself if there is none.
    unsigned sibling(unsigned cpu) const { return sibling_of_cpu_.at(cpu); }

    // ---- physical memory --------------------------------------------------------------------
    Addr node_base(unsigned node) const { return Addr{node} * platform_.memory.size_per_node; }
    Addr node_size() const { return platform_.memory.size_per_node; }
    unsigned node_of_addr(Addr a) const {
        return static_cast<unsigned>(a / platform_.memory.size_per_node);
    }
    /// The page-table entry that a walk for `addr` reads last.
    static Addr page_table_entry(Addr addr, PageSize page);
    /// Bytes at the start of node 0 that hold page tables and kernel text; not for allocation.
    static constexpr Addr kReservedBytes = Addr{256} << 20;

    // ---- running ----------------------------------------------------------------------------
    void set_interrupt_sink(InterruptSink* sink) { sink_ = sink; }
    InterruptSink* interrupt_sink() { return sink_; }
    /// `cpu` begins in `first` at `at`, with interrupts disabled.
    void start(unsigned cpu, ExecutionContext& first, Tick at = 0);
    /// Runs until Scheduler::stop(). Throws SimulationError on a deadlock (with describe_waits()), and
    /// what a fiber threw.
    void run();
    /// Who waits for what.
    std::string describe_waits();
    /// Names a field in describe_waits(); installed by the layer above.
    void set_field_namer(std::string (*namer)(FieldId)) { field_namer_ = namer; }

    /// Instructions behind a load in flight until those that wait for it fill the scheduler.
    unsigned scheduler_window() const { return scheduler_window_; }
    Tick quantum() const { return options_.quantum; }
    double tsc_ghz() const { return platform_.clock.tsc_ghz; }
    /// A CPU of the socket went idle or woke: the clock may change.
    void activity_changed(unsigned socket);

    // ---- attribution ------------------------------------------------------------------------
    void set_observer(AccessObserver* o);
    AccessObserver* observer() const { return observer_; }
    MissClassifier& classifier() { return classifier_; }

    // ---- coherence bookkeeping --------------------------------------------------------------
    InFlightTable& inflight() { return *inflight_; }
    void note_write(Addr line, std::uint32_t& token) {
        if (options_.track_tokens) token = reference_[line] = ++last_token_;
    }
    /// The token of the last write to the line (0: never written).
    std::uint32_t reference_token(Addr line) const {
        const auto found = reference_.find(line);
        return found == reference_.end() ? 0 : found->second;
    }
    /// A host value changed without a store that takes its line; wakes those who wait on it.
    void notify_host_write(Addr line, Tick at, const HwThread* by) {
        if (!watches_.empty()) wake_watches(line, at, by);
        wake_monitors(line, at);
    }
    /// A thread polls `line` (Core::watch).
    void add_watch(Addr line, HwThread& t) { watches_.push_back({line, &t}); }
    void remove_watch(const HwThread& t);
    /// A halted thread waits for a write to `line` (MONITOR): whoever writes it, and whether or not
    /// the line is in the halted core's caches, which a fast-forwarded core does not keep.
    void add_monitor(Addr line, HwThread& t) {
        monitors_.push_back({line, &t});
        monitored_.set(monitor_bit(line));
    }
    void remove_monitor(const HwThread& t);
    void wake_monitors(Addr line, Tick at) {
        if (monitored_.test(monitor_bit(line))) wake_monitors_slow(line, at);
    }

    /// L1D identities over all cores: fills = evictions + snoops + back-invalidations + resident.
    /// `total` is the sum of all counter banks of the run. Throws SimulationError.
    void check_identities(const Counters& total);

private:
    struct SystemCParts;
    void build_topology();
    void retime(unsigned socket);

    Platform platform_;
    MachineOptions options_;
    Scheduler scheduler_;
    unsigned scheduler_window_ = ~0U;
    std::unique_ptr<InFlightTable> inflight_;
    MissClassifier classifier_;
    std::vector<std::unique_ptr<Core>> cores_;
    std::vector<std::unique_ptr<HwThread>> threads_;
    std::vector<std::unique_ptr<LocalApic>> apics_;
    std::vector<std::unique_ptr<Llc>> llcs_;
    Random link_random_;
    std::vector<std::unique_ptr<Link>> links_;
    std::vector<std::unique_ptr<MemoryController>> memory_;
    std::unique_ptr<SystemCParts> parts_;
    std::vector<unsigned> socket_of_cpu_, core_of_cpu_, sibling_of_cpu_;
    std::vector<double> clock_ghz_;         // by socket
    std::map<double, CoreTiming> timings_;  // by clock: of all that were set so far
    struct Monitor {
        Addr line;
        HwThread* thread;
    };
    void wake_monitors_slow(Addr line, Tick at);
    void wake_watches(Addr line, Tick at, const HwThread* by);
    std::vector<Monitor> monitors_;
    std::vector<Monitor> watches_;
    // Which lines may be monitored: idle CPUs are many, and every write asks.
    static constexpr unsigned kMonitorBits = 10;
    static std::size_t monitor_bit(Addr line) {
        return static_cast<std::size_t>(line * 0x9e3779b97f4a7c15U >> (64 - kMonitorBits));
    }
    std::bitset<std::size_t{1} << kMonitorBits> monitored_;
    InterruptSink* sink_ = nullptr;
    AccessObserver* observer_ = nullptr;
    std::string (*field_namer_)(FieldId) = nullptr;
    std::unordered_map<Addr, std::uint32_t> reference_;
    std::unordered_map<Addr, std::uint32_t> memory_tokens_;
    std::uint32_t last_token_ = 0;
};

}  // namespace linefill::model
