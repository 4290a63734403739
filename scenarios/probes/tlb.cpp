// SPDX-License-Identifier: Apache-2.0
// TLB reach: a chase with one line in each of N pages of 4 KiB.
#include "model/cache/tlb.h"

#include <algorithm>

#include "model/sim/random.h"
#include "scenarios/probes/probe_machine.h"
#include "scenarios/probes/targets.h"

namespace linefill::scenarios {
namespace {

using model::Addr;
using model::HwThread;
using model::Tick;

constexpr std::size_t kLoads = 20'000;
constexpr Addr kPage = 4096;

std::vector<Addr> pages(Addr base, unsigned count, std::uint64_t seed) {
    std::vector<Addr> chain(count);
    for (unsigned i = 0; i < count; ++i) {
        // Another line in each page, so that the lines spread over all sets of the caches.
        chain[i] =
            model::kSmallPageBit | (base + i * kPage + (i * 29 + i / 64) % (kPage / 64) * 64);
    }
    model::Random random(seed, "probe tlb");
    for (std::size_t i = count; i > 1; --i) std::swap(chain[i - 1], chain[random.below(i)]);
    return chain;
}

}  // namespace

ProbeTable probe_tlb(const model::Platform& platform, const ProbeOptions& options) {
    std::vector<unsigned> counts;
    for (unsigned n = 16; n <= 4096; n *= 2) counts.push_back(n);
    ProbeMachine probe(platform, options.seed);
    std::vector<Tick> times;
    Tick period = 1;
    probe.add(0, [&](HwThread& hw) {
        for (const unsigned count : counts) {
            const std::vector<Addr> chain =
                pages(probe.memory(0, Addr{count} * 2 * kPage), count, options.seed);
            (void)chase(hw, chain);
            std::vector<Addr> measured;
            while (measured.size() < kLoads) {
                const std::size_t n = std::min(chain.size(), kLoads - measured.size());
                measured.insert(measured.end(), chain.begin(),
                                chain.begin() + static_cast<std::ptrdiff_t>(n));
            }
            times.push_back(chase(hw, measured));
        }
        period = hw.period();
    });
    probe.run();

    ProbeTable table;
    table.title = "TLB reach: chase through one line of each of N 4 KiB pages";
    for (std::size_t i = 0; i < counts.size(); ++i) {
        ProbeRow row;
        row.what = "load";
        row.parameter = std::to_string(counts[i]) + " pages";
        row.unit = "cycles";
        row.level = counts[i] <= platform.tlb.dtlb_4k.entries ? "DTLB"
                    : counts[i] <= platform.tlb.stlb.entries  ? "STLB"
                                                              : "walk";
        // Where the lines still fit the L1D, the TLB's share is all there is besides its latency.
        const bool in_l1 = counts[i] * model::kLineBytes <= platform.l1d.size / 2;
        if (in_l1 && row.level != "walk") {
            const bool stlb = row.level == "STLB" && counts[i] >= 2 * platform.tlb.dtlb_4k.entries;
            row.target = platform.l1d.latency.cycles + (stlb ? platform.tlb.stlb_hit.cycles : 0);
            row.target_key = stlb ? "cache.l1d.latency + tlb.stlb.hit" : "cache.l1d.latency";
            row.tolerance = kLevelTolerance;
        }
        set_time(row, times[i], period);
        table.rows.push_back(std::move(row));
    }
    return table;
}

}  // namespace linefill::scenarios
