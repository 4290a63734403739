// SPDX-License-Identifier: Apache-2.0
#include "scenarios/identities.h"

#include <string_view>

#include "kernel/kernel.h"
#include "kernel/sched/task.h"
#include "model/machine.h"
#include "model/sim/error.h"

namespace linefill::scenarios {

using model::Counters;
using model::CpiComponent;
using model::Event;

namespace {

/// All that was counted in detail, for whatever task.
Counters everything(kernel::Kernel& kernel) {
    Counters sum;
    const auto add = [&sum](const kernel::TaskStruct& task) {
        for (const kernel::TaskCounters::Pair& bank : task.counters.bank) {
            sum += bank.user;
            sum += bank.kernel;
        }
    };
    for (const auto& task : kernel.tasks()) add(*task);
    for (unsigned cpu = 0; cpu < kernel.cpus(); ++cpu) add(kernel.idle_task(cpu));
    return sum;
}

std::string named(const char* identity, Event e) {
    std::string name = identity;
    name += model::event_name(e);
    return name;
}

std::int64_t unhalted(const Counters& c) {
    std::int64_t fs = 0;
    for (std::size_t i = 0; i < model::kCpiCount; ++i) {
        if (i != static_cast<std::size_t>(CpiComponent::kIdle)) fs += c.cpi_fs[i];
    }
    return fs;
}

}  // namespace

std::vector<IdentityCheck> check_identities(model::Machine& machine, kernel::Kernel& kernel,
                                            const ScenarioResult& result) {
    const Counters all = everything(kernel);
    machine.check_identities(all);

    std::vector<IdentityCheck> checks;
    const auto add = [&checks](std::string_view name, std::int64_t left, std::int64_t right,
                               std::int64_t slack = 0) {
        IdentityCheck& c = checks.emplace_back();
        c.name = name;
        c.left = left;
        c.right = right;
        c.slack = slack;
    };
    std::int64_t to_come = 0;
    for (unsigned cpu = 0; cpu < machine.cpus(); ++cpu)
        to_come += machine.hw(cpu).lookups_to_come();
    add("L1D hits + misses + merges = loads + stores + prefetches",
        all[Event::kL1dHit] + all[Event::kL1dMiss] + all[Event::kL1dMerge] + to_come,
        all[Event::kLoads] + all[Event::kStores] + all[Event::kSoftwarePrefetch]);
    // Less than a cycle per CPU is not settled yet.
    const auto period = static_cast<std::int64_t>(1e6 / machine.platform().clock.base_ghz);
    add("sum of the CPI components = unhalted time", unhalted(all), all[Event::kUnhaltedFs],
        2 * period * machine.cpus());

    Counters cpus;
    for (const SplitCounters& c : result.per_cpu) cpus += c.total();
    const Counters total = result.counts.total();
    for (const Event e : {Event::kCycles, Event::kInstructions, Event::kLoads, Event::kL1dFill}) {
        add(named("sum of CPUs = total, ", e), cpus[e], total[e]);
    }
    if (!result.parts.empty()) {
        Counters parts;
        for (const CountPart& p : result.parts) {
            if (p.pid != 0) parts += p.counts.total();
        }
        for (std::size_t i = 0; i < model::kEventCount; ++i) {
            add(named("sum of parts = total, ", static_cast<Event>(i)), parts.event[i],
                total.event[i]);
        }
    }
    if (result.sampled_share >= 1) {
        // Nothing was scaled: the workload's tasks are the total, to the last count.
        Counters tasks;
        for (const auto& task : kernel.tasks()) {
            if (!task->counted) continue;
            for (const kernel::TaskCounters::Pair& bank : task->counters.bank) {
                tasks += bank.user;
                tasks += bank.kernel;
            }
        }
        for (const Event e : {Event::kInstructions, Event::kLoads, Event::kL1dFill}) {
            add(named("sum of tasks = total, ", e), tasks[e], total[e]);
        }
    }
    return checks;
}

std::uint64_t modelled_accesses(kernel::Kernel& kernel) {
    const Counters all = everything(kernel);
    const std::int64_t lookups = all[Event::kL1dHit] + all[Event::kL1dMiss] + all[Event::kL1dMerge];
    return static_cast<std::uint64_t>(lookups - all[Event::kSpinIterations]);
}

void require_identities(const std::vector<IdentityCheck>& checks) {
    std::string report;
    for (const IdentityCheck& c : checks) {
        if (c.holds()) continue;
        if (!report.empty()) report += "\n";
        report += c.name;
        report += ": ";
        report += std::to_string(c.left);
        report += " against ";
        report += std::to_string(c.right);
    }
    if (!report.empty())
        throw model::SimulationError("an identity of the counters is broken", report);
}

}  // namespace linefill::scenarios
