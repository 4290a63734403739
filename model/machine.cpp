// SPDX-License-Identifier: Apache-2.0
#include "model/machine.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <sstream>

#include "model/coherence/llc.h"
#include "model/coherence/sockets.h"
#include "model/core/core.h"
#include "model/fabric/link.h"
#include "model/memory/memory_bridge.h"
#include "model/memory/memory_controller.h"
#include "model/memory/memory_target.h"
#include "model/sim/error.h"
#include "model/sim/stack_bounds.h"
#include "model/sim/systemc_time.h"

namespace linefill::model {

namespace {

struct ServeLlc {
    Llc* llc;
    void operator()(LlcMessage& m) const {
        if (m.request != nullptr) {
            llc->request(*m.request);
        } else {
            llc->write_back(m.core, m.line, m.token, m.at);
        }
    }
};
struct ServeCore {
    SnoopPort* core;
    void operator()(SnoopTransaction& t) const { core->snoop(t); }
};
struct ServePeer {
    PeerPort* peer;
    void operator()(PeerTransaction& t) const { peer->peer(t); }
};

/// Core's end of its connection to the LLC.
class LlcConnection final : public LlcPort {
public:
    LlcConnection(const std::string& name, Llc& llc) : line_(name.c_str(), ServeLlc{&llc}) {}
    void request(CoherentTransaction& t) override {
        LlcMessage m;
        m.request = &t;
        line_.send(m);
    }
    void write_back(unsigned core, Addr line, std::uint32_t token, Tick at) override {
        LlcMessage m;
        m.core = core;
        m.line = line;
        m.token = token;
        m.at = at;
        line_.send(m);
    }

private:
    Connection<LlcMessage, ServeLlc> line_;
};

class SnoopConnection final : public SnoopPort {
public:
    SnoopConnection(const std::string& name, SnoopPort& core)
        : line_(name.c_str(), ServeCore{&core}) {}
    void snoop(SnoopTransaction& t) override { line_.send(t); }

private:
    Connection<SnoopTransaction, ServeCore> line_;
};

class PeerConnection final : public PeerPort {
public:
    PeerConnection(const std::string& name, PeerPort& peer)
        : line_(name.c_str(), ServePeer{&peer}) {}
    void peer(PeerTransaction& t) override { line_.send(t); }

private:
    Connection<PeerTransaction, ServePeer> line_;
};

/// The SystemC process that drives the scheduler.
class Driver : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(Driver);
    Driver(sc_core::sc_module_name name, Scheduler& scheduler, std::function<bool()> awaits_answer)
        : sc_core::sc_module(name), scheduler_(scheduler) {
        SC_THREAD(drive);
        set_stack_size(kStackBytes);
        Scheduler::External e;
        e.next_due = [] {
            const sc_core::sc_time next = sc_core::sc_time_to_pending_activity();
            const auto now = systemc_now();
            const auto delta = next.value();
            if (delta >= static_cast<sc_dt::uint64>(kNever - now)) return kNever;
            return now + static_cast<Tick>(delta);
        };
        e.run_until = [](Tick until) {
            const auto now = systemc_now();
            const StackBounds stack = StackBounds::from_here(kStackBytes / 2);
            sc_core::wait(time_of(until - now));
            stack.announce();
        };
        e.awaits_answer = std::move(awaits_answer);
        scheduler_.set_external(std::move(e));
    }

    std::exception_ptr error;
    bool finished = false;
    bool has_outsiders = false;  ///< processes that are not the model's, and may never end

private:
    static constexpr int kStackBytes = 256 * 1024;

    void drive() {
        StackBounds::from_here(kStackBytes / 2).announce();
        try {
            finished = scheduler_.run();
        } catch (...) {
            error = std::current_exception();
        }
        // SystemC's time ends where the model's does.
        const auto now = systemc_now();
        if (scheduler_.now() > now) {
            wait(time_of(scheduler_.now() - now));
        }
        if (has_outsiders) sc_core::sc_pause();
    }
    Scheduler& scheduler_;
};

}  // namespace

struct Machine::SystemCParts {
    std::vector<std::unique_ptr<LlcConnection>> to_llc;      // by core
    std::vector<std::unique_ptr<SnoopConnection>> to_core;   // by core
    std::vector<std::unique_ptr<PeerConnection>> to_socket;  // by socket
    std::vector<std::unique_ptr<MemoryInitiator>> home;      // by node
    std::vector<std::unique_ptr<MemoryBridge>> bridge;       // by node, in place of `home`
    std::vector<std::unique_ptr<MemoryTarget>> memory;
    MemoryPort* port(unsigned node) const {
        if (bridge[node] != nullptr) return bridge[node].get();
        return home[node].get();
    }
    unsigned reads_open() const {
        unsigned n = 0;
        for (const auto& b : bridge) n += b != nullptr ? b->reads_open() : 0;
        return n;
    }
    std::vector<std::unique_ptr<ApicInitiator>> apic_bus;  // by CPU
    std::vector<std::unique_ptr<ApicTarget>> apic;
    std::unique_ptr<Driver> driver;
};

void Machine::build_topology() {
    const TopologyConfig& t = platform_.topology;
    const unsigned cores = t.sockets * t.cores_per_socket;
    for (unsigned cpu = 0; cpu < t.cpus(); ++cpu) {
        unsigned core = 0;
        unsigned thread = 0;
        if (t.numbering == "interleaved") {
            // even CPUs on socket 0: thread, then core, then socket changes fastest
            const unsigned in_pass = cpu % cores;
            thread = cpu / cores;
            core = (in_pass % t.sockets) * t.cores_per_socket + in_pass / t.sockets;
        } else {
            core = cpu % cores;
            thread = cpu / cores;
        }
        core_of_cpu_.push_back(core);
        socket_of_cpu_.push_back(core / t.cores_per_socket);
        (void)thread;
    }
    for (unsigned cpu = 0; cpu < t.cpus(); ++cpu) {
        unsigned sibling = cpu;
        for (unsigned other = 0; other < t.cpus(); ++other) {
            if (other != cpu && core_of_cpu_[other] == core_of_cpu_[cpu]) sibling = other;
        }
        sibling_of_cpu_.push_back(sibling);
    }
}

Machine::Machine(const Platform& platform, const MachineOptions& options)
    : platform_(platform),
      options_(options),
      link_random_(options.seed, "links between sockets"),
      parts_(std::make_unique<SystemCParts>()) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    build_topology();
    if (platform_.core.dependent_share > 0) {
        scheduler_window_ =
            static_cast<unsigned>(platform_.core.scheduler / platform_.core.dependent_share);
    }
    const unsigned sockets = platform_.topology.sockets;
    const unsigned per_socket = platform_.topology.cores_per_socket;
    const double full_ghz = platform_.clock.turbo_ghz.empty() ? platform_.clock.base_ghz
                                                              : platform_.clock.turbo_ghz.back();
    const bool far = platform_.mechanisms.numa_distance;
    const Tick link = far ? ticks_from_ns(platform_.link.latency.to_ns(full_ghz)) : 0;
    const Tick link_spread = far ? ticks_from_ns(platform_.link.spread.to_ns(full_ghz)) : 0;
    const double link_gbs = far ? platform_.link.bandwidth_gbs : 0;
    const Tick home = ticks_from_ns(platform_.coherence.home_processing.to_ns(full_ghz));

    InFlightTable::Config hold;
    hold.enabled = platform_.mechanisms.inflight_hold;
    hold.remote_ack = home;
    hold.remote_ack_far = link + home;
    inflight_ = std::make_unique<InFlightTable>(scheduler_, hold);

    for (unsigned c = 0; c < sockets * per_socket; ++c) {
        cores_.push_back(std::make_unique<Core>(*this, platform_, c, options_.seed));
    }
    for (unsigned cpu = 0; cpu < platform_.topology.cpus(); ++cpu) {
        threads_.push_back(std::make_unique<HwThread>(*this, *cores_[core_of_cpu_[cpu]], cpu));
    }
    for (unsigned cpu = 0; cpu < cpus(); ++cpu) {
        if (sibling_of_cpu_[cpu] != cpu)
            threads_[cpu]->sibling_ = threads_[sibling_of_cpu_[cpu]].get();
        apics_.push_back(std::make_unique<LocalApic>(*this, *threads_[cpu]));
    }
    for (unsigned s = 0; s < sockets; ++s) {
        llcs_.push_back(options_.llc_factory != nullptr
                            ? options_.llc_factory->make(s, per_socket, platform_.llc,
                                                         options_.seed,
                                                         platform_.memory.size_per_node)
                            : std::make_unique<Llc>(s, per_socket, platform_.llc, options_.seed,
                                                    platform_.memory.size_per_node));
        if (options_.track_tokens) llcs_.back()->set_memory_tokens(&memory_tokens_);
        memory_.push_back(std::make_unique<MemoryController>(
            ticks_from_ns(platform_.memory.latency.to_ns(full_ghz)),
            platform_.memory.bandwidth_gbs));
    }
    for (unsigned from = 0; from < sockets; ++from) {
        for (unsigned to = 0; to < sockets; ++to) {
            links_.push_back(
                std::make_unique<Link>(link, link_gbs, Spread(link_spread, link_random_)));
        }
    }

    const auto named = [](const char* what, unsigned i) { return what + std::to_string(i); };
    for (unsigned c = 0; c < cores(); ++c) {
        parts_->to_llc.push_back(
            std::make_unique<LlcConnection>(named("core_to_llc", c), *llcs_[c / per_socket]));
        parts_->to_core.push_back(
            std::make_unique<SnoopConnection>(named("llc_to_core", c), *cores_[c]));
        cores_[c]->connect(*parts_->to_llc.back());
    }
    for (unsigned s = 0; s < sockets; ++s) {
        parts_->to_socket.push_back(
            std::make_unique<PeerConnection>(named("fabric_to_socket", s), *llcs_[s]));
        const std::string agent = named("home_agent", s);
        const bool bridged = options_.memory_binder != nullptr && options_.memory_binder->waits(s);
        parts_->bridge.push_back(bridged ? std::make_unique<MemoryBridge>(agent.c_str(), scheduler_)
                                         : nullptr);
        parts_->home.push_back(bridged ? nullptr
                                       : std::make_unique<MemoryInitiator>(agent.c_str()));
        if (bridged) {
            options_.memory_binder->bind(s, parts_->bridge[s]->socket);
            continue;
        }
        if (options_.memory_binder != nullptr) {
            options_.memory_binder->bind(s, parts_->home[s]->socket);
            continue;
        }
        parts_->memory.push_back(
            std::make_unique<MemoryTarget>(named("memory", s).c_str(), *memory_[s]));
        parts_->home[s]->socket.bind(parts_->memory[s]->socket);
    }
    for (unsigned cpu = 0; cpu < cpus(); ++cpu) {
        parts_->apic_bus.push_back(std::make_unique<ApicInitiator>(named("apic_bus", cpu).c_str()));
        parts_->apic.push_back(
            std::make_unique<ApicTarget>(named("apic", cpu).c_str(), *apics_[cpu]));
        parts_->apic_bus[cpu]->socket.bind(parts_->apic[cpu]->socket);
        apics_[cpu]->connect(*parts_->apic_bus[cpu]);
    }
    for (unsigned s = 0; s < sockets; ++s) {
        Llc::Wiring w;
        for (unsigned c = 0; c < per_socket; ++c) {
            w.cores.push_back(parts_->to_core[s * per_socket + c].get());
        }
        for (unsigned p = 0; p < sockets; ++p) {
            w.peers.push_back(p == s ? nullptr : parts_->to_socket[p].get());
            w.links.push_back(p == s ? nullptr : &this->link(s, p));
            w.links_back.push_back(p == s ? nullptr : &this->link(p, s));
            w.memory.push_back(parts_->port(p));
        }
        llcs_[s]->wire(std::move(w));
    }
    clock_ghz_.assign(sockets, 0);
    for (unsigned s = 0; s < sockets; ++s) retime(s);
    parts_->driver = std::make_unique<Driver>("driver", scheduler_,
                                              [this] { return parts_->reads_open() != 0; });
    parts_->driver->has_outsiders = options_.memory_binder != nullptr;
}

Machine::~Machine() {
    for (auto& t : threads_) t->fiber = nullptr;
}

Link& Machine::link(unsigned from, unsigned to) { return *links_.at(from * sockets() + to); }

void Machine::retime(unsigned socket) {
    // Turbo: by the number of cores of the socket that have a hardware thread that is not halted.
    unsigned active = 0;
    const unsigned per_socket = platform_.topology.cores_per_socket;
    for (unsigned c = socket * per_socket; c < (socket + 1) * per_socket; ++c) {
        for (const HwThread* t : cores_[c]->threads()) {
            if (!t->halted()) {
                ++active;
                break;
            }
        }
    }
    const auto& turbo = platform_.clock.turbo_ghz;
    const double ghz =
        turbo.empty()
            ? platform_.clock.base_ghz
            : turbo[std::min<std::size_t>(active == 0 ? 0 : active - 1, turbo.size() - 1)];
    if (ghz == clock_ghz_[socket]) return;
    clock_ghz_[socket] = ghz;
    const CoreTiming& timing = timings_.try_emplace(ghz, platform_, ghz).first->second;
    for (unsigned c = socket * per_socket; c < (socket + 1) * per_socket; ++c) {
        for (HwThread* t : cores_[c]->threads()) t->retime(timing);
    }
    const auto ticks = [ghz](const Latency& l) { return ticks_from_ns(l.to_ns(ghz)); };
    UncoreTiming u;
    u.request_leg = ticks(platform_.coherence.request_leg);
    u.request_spread = ticks(platform_.coherence.request_spread);
    u.fill_leg = ticks(platform_.llc.latency) - u.request_leg;
    u.snoop_clean = ticks(platform_.coherence.core_snoop_clean);
    u.snoop_dirty = ticks(platform_.coherence.core_snoop_dirty);
    u.home_processing = ticks(platform_.coherence.home_processing);
    u.link = platform_.mechanisms.numa_distance ? ticks(platform_.link.latency) : 0;
    llcs_[socket]->set_timing(u);
}

void Machine::activity_changed(unsigned socket) { retime(socket); }

Addr Machine::page_table_entry(Addr addr, PageSize page) {
    constexpr Addr kTables = Addr{64} << 20;
    constexpr Addr kOfImage = Addr{32} << 20;
    constexpr Addr kOfSmallPages = Addr{64} << 20;
    const Addr number = physical(addr) >> page_bits(page);
    if (page == PageSize::k4K) return kTables + kOfSmallPages + number % (Addr{1} << 22) * 8;
    return kTables + ((addr & kImageBit) != 0 ? kOfImage : 0) + number * 8;
}

void Machine::start(unsigned cpu, ExecutionContext& first, Tick at) {
    HwThread& t = hw(cpu);
    t.context_ = &first;
    t.fiber = &first.fiber();
    t.begin_at(at);
    scheduler_.schedule(t, at);
    activity_changed(socket_of(cpu));
}

void Machine::run() {
    const StackBounds stack = StackBounds::of_host_thread();
    sc_core::sc_start();
    stack.announce();
    if (parts_->driver->error) std::rethrow_exception(parts_->driver->error);
    if (!parts_->driver->finished) {
        throw SimulationError("deadlock: nothing is left to run", describe_waits());
    }
    for (auto& t : threads_) t->settle();
}

std::string Machine::describe_waits() {
    std::ostringstream out;
    out << "at " << ns_from_ticks(scheduler_.now()) << " ns";
    for (const auto& t : threads_) {
        out << "\nCPU " << t->cpu() << ": ";
        if (t->halted()) {
            out << "halted";
        } else if (t->spinning()) {
            out << "spins on address 0x" << std::hex << t->waiting_for() << std::dec;
            if (field_namer_ != nullptr) out << " (" << field_namer_(t->waiting_for_field()) << ")";
        } else {
            out << "waits at local time " << ns_from_ticks(t->now()) << " ns";
        }
    }
    out << "\n" << inflight_->waiting() << " requests wait for lines in flight";
    if (const unsigned reads = parts_->reads_open(); reads != 0) {
        out << "\n" << reads << " reads wait for memory from outside";
    }
    return out.str();
}

void Machine::set_observer(AccessObserver* o) {
    observer_ = o;
    // Once enabled the classifier sees all accesses, observed or not, so that it knows the caches.
    if (o != nullptr && !classifier_.enabled()) {
        classifier_.enable(cores(), platform_.l1d.size / platform_.l1d.line);
    }
    for (unsigned cpu = 0; cpu < cpus(); ++cpu) {
        threads_[cpu]->set_observer(o, classifier_.shadow_of(core_of(cpu)));
    }
}

void Machine::wake_watches(Addr line, Tick at, const HwThread* by) {
    for (const Monitor& w : watches_) {
        if (w.line == line && w.thread != by) w.thread->line_taken(at);
    }
}

void Machine::remove_watch(const HwThread& t) {
    std::erase_if(watches_, [&t](const Monitor& w) { return w.thread == &t; });
}

void Machine::remove_monitor(const HwThread& t) {
    std::erase_if(monitors_, [&t](const Monitor& m) { return m.thread == &t; });
    monitored_.reset();
    for (const Monitor& m : monitors_) monitored_.set(monitor_bit(m.line));
}

void Machine::wake_monitors_slow(Addr line, Tick at) {
    for (const Monitor& m : monitors_) {
        if (m.line == line) m.thread->line_taken(at);
    }
}

void Machine::check_identities(const Counters& total) {
    Counters all = total;
    std::size_t resident = 0;
    for (const auto& c : cores_) {
        all += c->unattributed();
        resident += c->l1d_resident();
    }
    const auto gone =
        all[Event::kL1dEvict] + all[Event::kL1dSnoopInvalidate] + all[Event::kL1dBackInvalidate];
    if (all[Event::kL1dFill] != gone + static_cast<std::int64_t>(resident)) {
        throw SimulationError("identity broken: L1D fills " + std::to_string(all[Event::kL1dFill]) +
                              " != evictions + snooped + back-invalidated " + std::to_string(gone) +
                              " + resident " + std::to_string(resident));
    }
    // Where the run was stopped, some accesses were on their way.
    std::int64_t to_come = 0;
    for (const auto& t : threads_) to_come += t->lookups_to_come();
    const auto lookups =
        all[Event::kL1dHit] + all[Event::kL1dMiss] + all[Event::kL1dMerge] + to_come;
    const auto uops = all[Event::kLoads] + all[Event::kStores] + all[Event::kSoftwarePrefetch];
    if (lookups != uops) {
        throw SimulationError("identity broken: L1D hits + misses + merges " +
                              std::to_string(lookups) + " != loads + stores + prefetches " +
                              std::to_string(uops));
    }
}

}  // namespace linefill::model
