// SPDX-License-Identifier: Apache-2.0
// Each perf event is a sum of model events; the kernel's own (software) events are counted exactly.
#include "measure/event_counts.h"

#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "measure/event_list.h"
#include "measure/metrics.h"
#include "model/core/counters.h"
#include "model/platform/pmu_events.h"

namespace linefill::measure {
namespace {

using model::Counters;
using model::Event;
using scenarios::ScenarioResult;

constexpr double kNsPerSecond = 1e9;
constexpr double kPercent = 100.0;

/// The counters and sampling errors that a modifier selects.
struct Selected {
    Counters counts;
    const std::array<double, model::kEventCount>* errors = nullptr;
    double clock_s = 0;
};

Selected select(const ScenarioResult& scenario, char modifier) {
    switch (modifier) {
        case 'u':
            return {scenario.counts.user, &scenario.sampling_error_user, scenario.user_s};
        case 'k':
            return {scenario.counts.kernel, &scenario.sampling_error_kernel, scenario.sys_s};
        default:
            return {scenario.counts.total(), &scenario.sampling_error, scenario.task_clock_s};
    }
}

/// A count with its standard error in the same unit.
struct Estimate {
    double value = 0;
    double error = 0;
};

Estimate of_event(const Selected& selected, Event event) {
    const auto value = static_cast<double>(selected.counts[event]);
    return {value, value * (*selected.errors)[static_cast<std::size_t>(event)]};
}

std::optional<Event> event_of(std::string_view name) {
    for (std::size_t i = 0; i < model::kEventCount; ++i) {
        if (name == model::event_name(static_cast<Event>(i))) return static_cast<Event>(i);
    }
    return std::nullopt;
}

/// Terms of a sum come from the same windows, so their errors are taken to go together.
Estimate of_sum(const Selected& selected, const model::PmuConfig& pmu,
                const std::vector<std::string>& terms) {
    Estimate sum;
    const auto add = [&](Event event, double sign) {
        const Estimate one = of_event(selected, event);
        sum.value += sign * one.value;
        sum.error += sign * one.error;
    };
    for (const std::string& term : terms) {
        const std::optional<Event> event = event_of(term);
        if (!event) continue;  // refused when the platform was read
        add(*event, 1);
        if (*event != Event::kL1dFill) continue;
        if (!pmu.count_fill_into_invalid) add(Event::kL1dFillIntoInvalid, -1);
        if (pmu.count_upgrades) add(Event::kL1dUpgrade, 1);
    }
    sum.error = std::abs(sum.error);
    return sum;
}

/// perf's software events, which the kernel counts at every one of them.
std::optional<double> software_event(const Selected& selected, std::string_view name) {
    const auto count = [&](Event event) { return static_cast<double>(selected.counts[event]); };
    if (name == "task-clock" || name == "cpu-clock") return selected.clock_s * kNsPerSecond;
    if (name == "context-switches") return count(Event::kContextSwitches);
    if (name == "cpu-migrations") return count(Event::kCpuMigrations);
    if (name == "page-faults" || name == "minor-faults") return count(Event::kPageFaults);
    // Nothing of the modelled programs is read from a disk.
    if (name == "major-faults") return 0.0;
    return std::nullopt;
}

void add_event(const ScenarioResult& scenario, const model::PmuConfig& pmu, const std::string& name,
               RunResult& run) {
    if (run.events.count(name) != 0) return;
    const bool is_raw = name.rfind(kModelEventPrefix, 0) == 0;
    const EventName parsed = is_raw ? EventName{name, name, '\0'} : parse_event_name(name);
    const Selected selected = select(scenario, parsed.modifier);
    const double clock_ns = scenario.task_clock_s * kNsPerSecond;
    EventCount count;
    count.running_ns = clock_ns;
    if (const auto software = software_event(selected, parsed.event)) {
        count.value = *software;
        run.events[name] = count;
        return;
    }
    const auto definition = pmu.events.find(parsed.event);
    const std::vector<std::string> terms = definition == pmu.events.end()
                                               ? std::vector<std::string>()
                                               : model::parse_event_sum(definition->second);
    const std::string_view raw_name =
        is_raw ? std::string_view(name).substr(kModelEventPrefix.size()) : std::string_view();
    count.supported = is_raw ? event_of(raw_name).has_value() : !terms.empty();
    if (!count.supported) {
        count.running_ns = 0;
        run.events[name] = count;
        return;
    }
    const Estimate sum =
        is_raw ? of_event(selected, *event_of(raw_name)) : of_sum(selected, pmu, terms);
    count.value = sum.value;
    count.running_pct = kPercent * scenario.sampled_share;
    count.running_ns = clock_ns * scenario.sampled_share;
    run.events[name] = count;
    if (sum.value > 0 && sum.error > 0) {
        run.sampling_rel_err[name] = kPercent * sum.error / sum.value;
    }
}

}  // namespace

void add_events(const ScenarioResult& scenario, const model::PmuConfig& pmu,
                const std::vector<std::string>& names, RunResult& run) {
    for (const std::string& name : names) {
        if (const auto parts = ratio_parts(name)) {
            add_events(scenario, pmu, {parts->first, parts->second}, run);
            continue;
        }
        const bool is_time = name == "elapsed" || name == "user" || name == "sys";
        if (is_time || run.metrics.count(name) != 0) continue;
        add_event(scenario, pmu, name, run);
    }
}

RunResult to_run_result(const ScenarioResult& scenario, const model::PmuConfig& pmu,
                        const std::vector<std::string>& names) {
    RunResult run;
    run.seed = scenario.seed;
    run.elapsed_s = scenario.elapsed_s;
    run.user_s = scenario.user_s;
    run.sys_s = scenario.sys_s;
    run.metrics = scenario.metrics;
    for (const auto& [name, share] : scenario.metric_errors) {
        run.sampling_rel_err[name] = kPercent * share;
    }
    add_events(scenario, pmu, names, run);
    // Counted in every run, so that its share in detail is known whatever was asked for.
    add_event(scenario, pmu, std::string(kModelEventPrefix) + "loads", run);
    return run;
}

}  // namespace linefill::measure
