// SPDX-License-Identifier: Apache-2.0
// Streaming reads of memory of the own node by a growing number of cores of one socket.
#include <algorithm>

#include "scenarios/probes/probe_machine.h"
#include "scenarios/probes/targets.h"

namespace linefill::scenarios {
namespace {

using model::Addr;
using model::HwThread;
using model::Tick;

constexpr std::uint64_t kBytes = std::uint64_t{2} << 20;  ///< read by each core
constexpr Tick kStep = 2 * model::kMillisecond;           ///< time slot of one measurement

/// Reads line after line; the addresses are known, so the loads overlap.
void stream(HwThread& hw, Addr base) {
    model::Token last;
    for (Addr at = 0; at < kBytes; at += model::kLineBytes) {
        last = hw.load(base + at, 8, model::kNoField);
        hw.execute(1);  // the sum; the loop is unrolled
    }
    hw.use(last);
    hw.fence();
}

}  // namespace

ProbeTable probe_bandwidth(const model::Platform& platform, const ProbeOptions& options) {
    ProbeMachine probe(platform, options.seed);
    model::Machine& machine = probe.machine();
    std::vector<unsigned> cpus;  // one per core of socket 0
    std::vector<unsigned> seen;
    for (unsigned cpu = 0; cpu < machine.cpus(); ++cpu) {
        const unsigned core = machine.core_of(cpu);
        if (machine.socket_of(cpu) != 0 ||
            std::find(seen.begin(), seen.end(), core) != seen.end()) {
            continue;
        }
        seen.push_back(core);
        cpus.push_back(cpu);
    }
    std::vector<std::size_t> counts;
    for (std::size_t n = 1; n < cpus.size(); n *= 2) counts.push_back(n);
    counts.push_back(cpus.size());

    std::vector<Tick> ends(counts.size(), 0);
    for (std::size_t i = 0; i < cpus.size(); ++i) {
        probe.add(cpus[i], [&, i](HwThread& hw) {
            for (std::size_t step = 0; step < counts.size(); ++step) {
                if (i >= counts[step]) continue;
                wait_until(hw, static_cast<Tick>(step + 1) * kStep);
                stream(hw, probe.memory(0, (step * cpus.size() + i) * 2 * kBytes));
                ends[step] = std::max(ends[step], hw.now());
            }
        });
    }
    probe.run();

    ProbeTable table;
    table.title = "Streaming reads of the own node's memory, without hardware prefetchers";
    for (std::size_t step = 0; step < counts.size(); ++step) {
        const Tick time = ends[step] - static_cast<Tick>(step + 1) * kStep;
        ProbeRow row;
        row.what = "read";
        row.parameter = std::to_string(counts[step]) + (counts[step] == 1 ? " core" : " cores");
        row.unit = "GB/s";
        // Bytes per nanosecond are GB/s.
        row.predicted = static_cast<double>(kBytes * counts[step]) / model::ns_from_ticks(time);
        if (counts[step] == cpus.size()) {
            row.target = platform.memory.bandwidth_gbs;
            row.target_key = "memory.bandwidth";
            const auto from = platform.provenance.find(row.target_key);
            if (from != platform.provenance.end()) row.target_source = from->second.source;
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

}  // namespace linefill::scenarios
