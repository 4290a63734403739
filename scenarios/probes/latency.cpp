// SPDX-License-Identifier: Apache-2.0
// Load-to-use latency by footprint: a chase through all lines of a buffer in random order.
#include <algorithm>
#include <numeric>

#include "model/platform/units.h"
#include "model/sim/random.h"
#include "scenarios/probes/probe_machine.h"
#include "scenarios/probes/targets.h"

namespace linefill::scenarios {
namespace {

using model::Addr;
using model::HwThread;
using model::Tick;

constexpr std::size_t kLoads = 20'000;       ///< measured per footprint, at most
constexpr std::size_t kMostLines = 1 << 20;  ///< of a chain; longer ones would only cost host time

/// Lines of `bytes` at `base` in random order; of larger footprints an even choice.
std::vector<Addr> shuffled_lines(Addr base, std::uint64_t bytes, std::uint64_t seed) {
    const std::uint64_t lines = bytes / model::kLineBytes;
    const std::size_t n = static_cast<std::size_t>(std::min<std::uint64_t>(lines, kMostLines));
    std::vector<Addr> chain(n);
    for (std::size_t i = 0; i < n; ++i) chain[i] = base + i * (lines / n) * model::kLineBytes;
    model::Random random(seed, "probe latency");
    for (std::size_t i = n; i > 1; --i) std::swap(chain[i - 1], chain[random.below(i)]);
    return chain;
}

/// Time per load once the buffer has been gone through before, as far as caches can hold it.
Tick measure(HwThread& hw, Addr base, std::uint64_t bytes, std::uint64_t llc_bytes,
             std::uint64_t seed) {
    std::vector<Addr> chain = shuffled_lines(base, bytes, seed);
    if (bytes <= 2 * llc_bytes) {
        (void)chase(hw, chain);
        if (chain.size() < kLoads) (void)chase(hw, chain);
    }
    // Short chains go round several times.
    std::vector<Addr> measured;
    while (measured.size() < kLoads) {
        const std::size_t n = std::min(chain.size(), kLoads - measured.size());
        measured.insert(measured.end(), chain.begin(),
                        chain.begin() + static_cast<std::ptrdiff_t>(n));
    }
    return chase(hw, measured);
}

std::string level_of(const model::Platform& p, std::uint64_t bytes) {
    if (bytes <= p.l1d.size) return "L1D";
    if (p.l2.present && bytes <= p.l2.size) return "L2";
    if (p.llc.present && bytes <= p.llc.size) return "LLC";
    return "DRAM";
}

}  // namespace

ProbeTable probe_latency(const model::Platform& platform, const ProbeOptions& options) {
    ProbeTable table;
    table.title = "Load-to-use latency by footprint: random chase, 64-byte lines, one core";
    std::vector<std::uint64_t> footprints;
    for (std::uint64_t bytes = 4096; bytes <= std::uint64_t{256} << 20; bytes *= 2) {
        footprints.push_back(bytes);
    }
    // The footprint that shows a level best: half of it; of memory the largest.
    const auto judged = [&](std::uint64_t bytes) -> std::string {
        const auto half = [bytes](std::uint64_t size) {
            return bytes <= size / 2 && 2 * bytes > size / 2;
        };
        if (half(platform.l1d.size)) return "load_l1d";
        if (half(platform.l2.size)) return "load_l2";
        if (half(platform.llc.size)) return "load_llc";
        return bytes == footprints.back() ? "load_local_dram" : "";
    };

    ProbeMachine probe(platform, options.seed);
    std::vector<Tick> times;
    Tick remote = 0;
    Tick period = 1;
    probe.add(0, [&](HwThread& hw) {
        for (const std::uint64_t bytes : footprints) {
            // A buffer of its own, so that none finds another's lines.
            const Addr base = probe.memory(0, bytes * 2);
            times.push_back(measure(hw, base, bytes, platform.llc.size, options.seed));
        }
        if (platform.topology.sockets > 1) {
            const std::uint64_t bytes = footprints.back();
            remote =
                measure(hw, probe.memory(1, bytes * 2), bytes, platform.llc.size, options.seed);
        }
        period = hw.period();
    });
    probe.run();

    const auto add = [&](std::uint64_t bytes, const std::string& level, const std::string& target,
                         Tick time) {
        ProbeRow row;
        row.what = "load, " + level;
        row.parameter = model::format_size(bytes);
        row.level = level;
        row.unit = "cycles";
        if (!target.empty()) set_target(row, platform, target, kLevelTolerance);
        set_time(row, time, period);
        table.rows.push_back(std::move(row));
    };
    for (std::size_t i = 0; i < footprints.size(); ++i) {
        add(footprints[i], level_of(platform, footprints[i]), judged(footprints[i]), times[i]);
    }
    if (remote != 0) add(footprints.back(), "DRAM, other node", "load_remote_dram", remote);
    return table;
}

}  // namespace linefill::scenarios
