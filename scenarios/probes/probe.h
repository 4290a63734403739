// SPDX-License-Identifier: Apache-2.0
// Probes: measure the modelled machine as people measure real ones, by running small programs on its
// hardware threads, without a kernel. What they find is compared with what was measured on the real
// machine ([provenance.targets] of the platform file), which the model itself never reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/platform/platform.h"

namespace linefill::scenarios {

/// One line of a probe's table.
struct ProbeRow {
    std::string what;       ///< "pointer chase, 32 KiB", "other socket, locked hand-over"
    std::string parameter;  ///< footprint, pair of CPUs, number of cores
    double predicted = 0;   ///< in `unit`
    std::string unit;       ///< "ns", "cycles", "GB/s", "cycles/page"
    double cycles = 0;      ///< the same in core cycles; 0 where that makes no sense
    /// What the platform file says or was measured on the machine, in `unit`; nothing if unknown.
    std::optional<double> target;
    std::string target_key;     ///< key of the platform file that it comes from
    std::string target_source;  ///< where that is from
    double tolerance = 0;       ///< relative deviation that is accepted; 0: not judged
    std::string level;          ///< latency: level that the footprint fits in
    /// predicted / target - 1, in percent; 0 without a target.
    double deviation_pct() const;
};

struct ProbeTable {
    std::string title;
    std::vector<ProbeRow> rows;
};

struct ProbeOptions {
    std::uint64_t seed = 1;
};

/// Names of the probes, sorted: "bandwidth", "c2c", "latency", "tlb".
std::vector<std::string> probe_names();

/// Runs the probe of that name; UserError for an unknown one. Builds machines: as a run does, it
/// needs a process of its own.
ProbeTable run_probe(const std::string& name, const model::Platform& platform,
                     const ProbeOptions& options = {});

ProbeTable probe_latency(const model::Platform& platform, const ProbeOptions& options);
ProbeTable probe_c2c(const model::Platform& platform, const ProbeOptions& options);
ProbeTable probe_bandwidth(const model::Platform& platform, const ProbeOptions& options);
ProbeTable probe_tlb(const model::Platform& platform, const ProbeOptions& options);

}  // namespace linefill::scenarios
