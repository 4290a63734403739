// SPDX-License-Identifier: Apache-2.0
// Each perf event is a sum of model events; the kernel's own (software) events are counted exactly.
#include "measure/event_counts.h"

#include <algorithm>
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

Selected select(const CountView& view, const ScenarioResult& scenario, char modifier) {
    switch (modifier) {
        case 'u':
            return {view.counts.user, &scenario.sampling_error_user, view.user_clock_s};
        case 'k':
            return {view.counts.kernel, &scenario.sampling_error_kernel, view.kernel_clock_s};
        default:
            return {view.counts.total(), &scenario.sampling_error, view.clock_s};
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

/// An event with its sampling error, in percent of the value; 0: none.
struct Measured {
    EventCount count;
    double error_pct = 0;
};

Measured measure_event(const CountView& view, const ScenarioResult& scenario,
                       const model::PmuConfig& pmu, const std::string& name) {
    const bool is_raw = name.rfind(kModelEventPrefix, 0) == 0;
    const EventName parsed = is_raw ? EventName{name, name, '\0'} : parse_event_name(name);
    const Selected selected = select(view, scenario, parsed.modifier);
    const double clock_ns = view.clock_s * kNsPerSecond;
    EventCount count;
    count.running_ns = clock_ns;
    if (const auto software = software_event(selected, parsed.event)) {
        count.value = *software;
        return {count, 0};
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
        return {count, 0};
    }
    const Estimate sum =
        is_raw ? of_event(selected, *event_of(raw_name)) : of_sum(selected, pmu, terms);
    count.value = sum.value;
    count.running_pct = kPercent * scenario.sampled_share;
    count.running_ns = clock_ns * scenario.sampled_share;
    return {count, sum.value > 0 ? kPercent * sum.error / sum.value : 0};
}

}  // namespace

CountView whole_workload(const ScenarioResult& scenario) {
    return {scenario.counts, scenario.task_clock_s, scenario.user_s, scenario.sys_s};
}

EventCount count_event(const CountView& view, const ScenarioResult& scenario,
                       const model::PmuConfig& pmu, const std::string& name) {
    return measure_event(view, scenario, pmu, name).count;
}

std::vector<std::string> events_among(const std::vector<std::string>& names,
                                      const ScenarioResult& scenario) {
    std::vector<std::string> events;
    const auto add = [&](const std::string& name) {
        const bool is_time = name == "elapsed" || name == "user" || name == "sys";
        const bool is_there = std::find(events.begin(), events.end(), name) != events.end();
        if (!is_time && !is_there && scenario.metrics.count(name) == 0) events.push_back(name);
    };
    for (const std::string& name : names) {
        const auto parts = ratio_parts(name);
        add(parts ? parts->first : name);
        if (parts) add(parts->second);
    }
    return events;
}

RunResult to_run_result(const ScenarioResult& scenario, const CountView& view,
                        const model::PmuConfig& pmu, const std::vector<std::string>& names) {
    RunResult run;
    run.seed = scenario.seed;
    run.elapsed_s = scenario.elapsed_s;
    run.user_s = scenario.user_s;
    run.sys_s = scenario.sys_s;
    run.metrics = scenario.metrics;
    for (const auto& [name, share] : scenario.metric_errors) {
        run.sampling_rel_err[name] = kPercent * share;
    }
    std::vector<std::string> events = events_among(names, scenario);
    // Counted in every run, so that its share in detail is known whatever was asked for.
    events.push_back(std::string(kModelEventPrefix) + "loads");
    for (const std::string& name : events) {
        const Measured measured = measure_event(view, scenario, pmu, name);
        run.events[name] = measured.count;
        if (measured.error_pct > 0) run.sampling_rel_err[name] = measured.error_pct;
    }
    return run;
}

RunResult to_run_result(const ScenarioResult& scenario, const model::PmuConfig& pmu,
                        const std::vector<std::string>& names) {
    return to_run_result(scenario, whole_workload(scenario), pmu, names);
}

}  // namespace linefill::measure
