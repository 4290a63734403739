// SPDX-License-Identifier: Apache-2.0
#include "scenarios/probes/probe.h"

#include <functional>
#include <map>

#include "model/sim/error.h"
#include "scenarios/probes/targets.h"

namespace linefill::scenarios {
namespace {

using Probe = ProbeTable (*)(const model::Platform&, const ProbeOptions&);

const std::map<std::string, Probe>& probes() {
    static const std::map<std::string, Probe> kAll{{"bandwidth", probe_bandwidth},
                                                   {"c2c", probe_c2c},
                                                   {"latency", probe_latency},
                                                   {"tlb", probe_tlb}};
    return kAll;
}

}  // namespace

double ProbeRow::deviation_pct() const {
    return target && *target != 0 ? 100 * (predicted / *target - 1) : 0;
}

std::vector<std::string> probe_names() {
    std::vector<std::string> names;
    for (const auto& [name, probe] : probes()) names.push_back(name);
    return names;
}

ProbeTable run_probe(const std::string& name, const model::Platform& platform,
                     const ProbeOptions& options) {
    const auto at = probes().find(name);
    if (at == probes().end()) {
        model::UserError error("unknown probe");
        error.value(name).expected("latency, bandwidth, c2c or tlb").nearest(name, probe_names());
        throw error;
    }
    return at->second(platform, options);
}

void set_time(ProbeRow& row, model::Tick time, model::Tick period) {
    row.cycles = static_cast<double>(time) / static_cast<double>(period);
    row.predicted = row.unit == "cycles" ? row.cycles : model::ns_from_ticks(time);
}

void set_target(ProbeRow& row, const model::Platform& platform, const std::string& name,
                double tolerance) {
    const auto at = platform.targets.find(name);
    if (at == platform.targets.end()) return;
    row.target_key = "provenance.targets." + name;
    row.unit = at->second.is_cycles ? "cycles" : "ns";
    row.target = at->second.is_cycles ? at->second.cycles : at->second.ns;
    row.tolerance = tolerance;
    const auto from = platform.provenance.find(row.target_key);
    if (from != platform.provenance.end()) row.target_source = from->second.source;
}

}  // namespace linefill::scenarios
