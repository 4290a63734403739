// SPDX-License-Identifier: Apache-2.0
// Keys of counting, of ablation studies and of measured behaviour.
#include <array>

#include "model/platform/schema_build.h"

namespace linefill::model::schema_build {

namespace {

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

void add_measure_keys(Schema& out) {
    add_pmu(out);
    add_mechanisms(out);
    add_targets(out);
}

}  // namespace linefill::model::schema_build
