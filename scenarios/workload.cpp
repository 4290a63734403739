// SPDX-License-Identifier: Apache-2.0
// The registry of workloads.
#include "scenarios/workload.h"

#include <algorithm>

#include "kernel/version.h"
#include "model/sim/error.h"

namespace linefill::scenarios {

std::vector<WorkloadMetric> WorkloadKind::metrics() const {
    return {{"elapsed", "s", "time from the start of the program to the end of its last thread"}};
}

std::string WorkloadKind::row_flag() const {
    for (const ArgumentSpec& a : arguments()) {
        if (a.makes_rows) return a.flag;
    }
    return {};
}

WorkloadRegistry& WorkloadRegistry::instance() {
    static WorkloadRegistry registry;
    return registry;
}

void WorkloadRegistry::add(std::unique_ptr<WorkloadKind> kind) {
    std::string name = kind->name();
    const auto [at, fresh] = kinds_.emplace(std::move(name), std::move(kind));
    if (!fresh) throw model::InternalError("two workloads are called " + at->first);
}

const std::vector<std::string>& WorkloadRegistry::planned() {
    static const std::vector<std::string> kNames{"chrt",     "cpu-hogs", "hackbench", "idle",
                                                 "lat_unix", "netperf",  "nice",      "perf",
                                                 "pipetest", "rt-app",   "taskset",   "tbench"};
    return kNames;
}

std::vector<const WorkloadKind*> WorkloadRegistry::kinds() const {
    std::vector<const WorkloadKind*> all;
    for (const auto& [name, kind] : kinds_) all.push_back(kind.get());
    return all;
}

const WorkloadKind& WorkloadRegistry::find(const std::string& name) const {
    std::vector<std::string> known;
    for (const auto& [own, kind] : kinds_) {
        known.push_back(own);
        for (const std::string& alias : kind->aliases()) {
            if (alias == name) return *kind;
            known.push_back(alias);
        }
        if (own == name) return *kind;
    }
    const auto& later = planned();
    if (std::find(later.begin(), later.end(), name) != later.end()) {
        kernel::NotBuiltYet error("this workload is planned but not built yet");
        error.key("workload").value(name).expected("one of `linefill list workloads`");
        throw error;
    }
    known.insert(known.end(), later.begin(), later.end());
    model::UserError error("unknown workload");
    error.key("workload").value(name).expected("a command of `linefill list workloads`");
    error.nearest(name, known);
    throw error;
}

}  // namespace linefill::scenarios
