// SPDX-License-Identifier: Apache-2.0
// Keys of what is outside the cores, and of the switches of the prefetchers.
#include <array>

#include "model/platform/schema_build.h"

namespace linefill::model::schema_build {

namespace {

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
        "fabric.request_spread", [](Platform& p) { return &p.coherence.request_spread; },
        "width of the even distribution that a request's way to the LLC is drawn from, around "
        "request_leg"));
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
    link = latency(
        "link.socket.spread", [](Platform& p) { return &p.link.spread; },
        "width of the even distribution that a message's time on the link is drawn from, around "
        "its latency");
    link.required = false;
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

}  // namespace

void add_uncore_keys(Schema& out) {
    add_prefetchers(out);
    add_uncore(out);
}

}  // namespace linefill::model::schema_build
