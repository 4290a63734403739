// SPDX-License-Identifier: Apache-2.0
#include "measure/count_parts.h"

#include <algorithm>
#include <map>
#include <utility>

namespace linefill::measure {
namespace {

using scenarios::CountPart;
using scenarios::ScenarioResult;

constexpr double kSecondsPerFs = 1e-15;
constexpr std::size_t kCommLength = 15;  ///< of a task's name, as the kernel keeps it

double unhalted_s(const model::Counters& c) {
    return static_cast<double>(c[model::Event::kUnhaltedFs]) * kSecondsPerFs;
}

/// What one line of output counts: which CPUs, or which thread.
struct Group {
    RunPart part;
    scenarios::SplitCounters counts;
};

std::string core_name(const scenarios::CpuPlace& place) {
    return "S" + std::to_string(place.socket) + "-D0-C" + std::to_string(place.core);
}

/// Names and sorts: socket and core, CPU, or thread.
std::pair<int, int> key_of(const ScenarioResult& scenario, CountScope scope, unsigned cpu,
                           int pid) {
    const auto number = [](unsigned n) { return static_cast<int>(n); };
    switch (scope) {
        case CountScope::kPerCpu:
            return {number(cpu), 0};
        case CountScope::kPerSocket:
            return {number(scenario.cpus.at(cpu).socket), 0};
        case CountScope::kPerCore:
            return {number(scenario.cpus.at(cpu).socket), number(scenario.cpus.at(cpu).core)};
        case CountScope::kPerThread:
            return {pid, 0};
        case CountScope::kWorkload:
        case CountScope::kSystem:
            break;
    }
    return {0, 0};
}

using Groups = std::map<std::pair<int, int>, Group>;

/// Every group of the machine or the workload, without counts.
Groups groups_of(const ScenarioResult& scenario, CountScope scope) {
    Groups groups;
    if (scope == CountScope::kPerThread) {
        for (const scenarios::TaskResult& task : scenario.tasks) {
            RunPart& part = groups[{task.pid, 0}].part;
            part.id = task.pid;
            part.name = task.name.substr(0, kCommLength);
        }
        return groups;
    }
    for (unsigned cpu = 0; cpu < scenario.cpus.size(); ++cpu) {
        RunPart& part = groups[key_of(scenario, scope, cpu, 0)].part;
        ++part.cpus;
        if (scope == CountScope::kPerCpu) part.id = static_cast<int>(cpu);
        if (scope == CountScope::kPerSocket) {
            part.name = "S" + std::to_string(scenario.cpus[cpu].socket);
        }
        if (scope == CountScope::kPerCore) part.name = core_name(scenario.cpus[cpu]);
    }
    return groups;
}

CountView view_of(const scenarios::SplitCounters& counts, CountScope scope, double wall_s,
                  int cpus) {
    CountView view;
    view.counts = counts;
    if (counts_cpus(scope)) {
        view.clock_s = view.user_clock_s = view.kernel_clock_s = wall_s * cpus;
    } else {
        view.user_clock_s = unhalted_s(counts.user);
        view.kernel_clock_s = unhalted_s(counts.kernel);
        view.clock_s = view.user_clock_s + view.kernel_clock_s;
    }
    return view;
}

}  // namespace

bool counts_cpus(CountScope scope) {
    return scope != CountScope::kWorkload && scope != CountScope::kPerThread;
}

CountView whole_view(const ScenarioResult& scenario, CountScope scope) {
    if (!counts_cpus(scope)) return whole_workload(scenario);
    scenarios::SplitCounters counts;
    for (const CountPart& part : scenario.parts) counts += part.counts;
    return view_of(counts, scope, scenario.elapsed_s, static_cast<int>(scenario.cpus.size()));
}

std::vector<RunPart> count_parts(const ScenarioResult& scenario, CountScope scope,
                                 const model::PmuConfig& pmu,
                                 const std::vector<std::string>& names) {
    const std::vector<std::string> events = events_among(names, scenario);
    std::vector<std::vector<const CountPart*>> by_interval(scenario.intervals);
    for (const CountPart& part : scenario.parts) by_interval.at(part.interval).push_back(&part);

    std::vector<RunPart> parts;
    for (unsigned interval = 0; interval < scenario.intervals; ++interval) {
        Groups groups = groups_of(scenario, scope);
        for (const CountPart* part : by_interval[interval]) {
            if (part->pid == 0 && !counts_cpus(scope)) continue;
            groups[key_of(scenario, scope, part->cpu, part->pid)].counts += part->counts;
        }
        const double length = scenario.interval_s > 0 ? scenario.interval_s : scenario.elapsed_s;
        const double begin = length * interval;
        const double end = std::min(length * (interval + 1), scenario.elapsed_s);
        for (auto& [key, group] : groups) {
            const CountView view = view_of(group.counts, scope, end - begin, group.part.cpus);
            RunPart part = std::move(group.part);
            part.interval = interval;
            part.end_s = end;
            part.length_s = length;
            for (const std::string& name : events) {
                part.events[name] = count_event(view, scenario, pmu, name);
            }
            parts.push_back(std::move(part));
        }
    }
    return parts;
}

}  // namespace linefill::measure
