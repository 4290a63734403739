// SPDX-License-Identifier: Apache-2.0
// Names to values and directions.
#include "measure/metrics.h"

#include <array>
#include <cmath>
#include <utility>

namespace linefill::measure {
namespace {

constexpr double kNanosecondsPerMillisecond = 1e6;
constexpr double kPercent = 100.0;

std::string_view without_modifier(std::string_view event) {
    return event.substr(0, event.find(':'));
}

bool is_clock(std::string_view event) {
    const std::string_view base = without_modifier(event);
    return base == "task-clock" || base == "cpu-clock";
}

bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// Of amounts of work done (loads, branches, instructions) neither direction is better by itself.
Better direction_of_event(std::string_view event) {
    const std::string_view base = without_modifier(event);
    constexpr std::array<std::string_view, 11> kCosts = {
        "cycles",       "cpu-cycles",   "task-clock",     "cpu-clock",  "page-faults", "faults",
        "minor-faults", "major-faults", "cpu-migrations", "migrations", "cache-misses"};
    for (const std::string_view cost : kCosts) {
        if (base == cost) {
            return Better::kLower;
        }
    }
    if (ends_with(base, "-misses") || base.substr(0, 7) == "stalled") {
        return Better::kLower;
    }
    return Better::kNeither;
}

struct KnownFigure {
    std::string_view name;
    std::string_view unit;
    Better better;
};

constexpr std::array<KnownFigure, 6> kFigures = {{{"elapsed", "s", Better::kLower},
                                                  {"user", "s", Better::kLower},
                                                  {"sys", "s", Better::kLower},
                                                  {"throughput", "MB/s", Better::kHigher},
                                                  {"switch-interval-mean", "ms", Better::kLower},
                                                  {kL1dMissRatio, "%", Better::kLower}}};

std::optional<double> event_value(const RunResult& run, const std::string& name) {
    const auto found = run.events.find(name);
    if (found == run.events.end() || !found->second.supported || found->second.running_ns <= 0) {
        return std::nullopt;
    }
    return is_clock(name) ? found->second.value / kNanosecondsPerMillisecond : found->second.value;
}

std::optional<double> plain_value(const RunResult& run, const std::string& name) {
    if (const auto found = run.metrics.find(name); found != run.metrics.end()) {
        return found->second;
    }
    if (const std::optional<double> counted = event_value(run, name)) {
        return counted;
    }
    if (name == "elapsed") {
        return run.elapsed_s;
    }
    if (name == "user") {
        return run.user_s;
    }
    if (name == "sys") {
        return run.sys_s;
    }
    return std::nullopt;
}

double plain_error(const RunResult& run, const std::string& name) {
    const auto found = run.sampling_rel_err.find(name);
    return found == run.sampling_rel_err.end() ? 0 : found->second;
}

}  // namespace

std::optional<std::pair<std::string, std::string>> ratio_parts(std::string_view name) {
    if (name == kL1dMissRatio) {
        return std::pair<std::string, std::string>("L1-dcache-load-misses", kL1dLoads);
    }
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos || slash == 0 || slash + 1 == name.size() ||
        name.find('/', slash + 1) != std::string_view::npos) {
        return std::nullopt;
    }
    return std::pair<std::string, std::string>(name.substr(0, slash), name.substr(slash + 1));
}

MetricInfo describe_metric(std::string_view name, std::string_view unit_of) {
    MetricInfo info;
    info.name = name;
    info.unit = unit_of;
    const auto unit_or = [&info](std::string_view unit) {
        if (info.unit.empty()) {
            info.unit = unit;
        }
    };
    for (const KnownFigure& figure : kFigures) {
        if (name == figure.name) {
            unit_or(figure.unit);
            info.better = figure.better;
            return info;
        }
    }
    if (name.substr(0, 8) == "latency-") {
        unit_or("us");
        return info;
    }
    if (const auto parts = ratio_parts(name)) {
        unit_or("ratio");
        const bool rate = without_modifier(parts->first) == "instructions";
        info.better = rate ? Better::kHigher : direction_of_event(parts->first);
        return info;
    }
    unit_or(is_clock(name) ? "msec" : "count");
    info.better = direction_of_event(name);
    return info;
}

std::optional<double> metric_value(const RunResult& run, std::string_view name) {
    const auto parts = ratio_parts(name);
    if (!parts) {
        return plain_value(run, std::string(name));
    }
    const std::optional<double> above = plain_value(run, parts->first);
    const std::optional<double> below = plain_value(run, parts->second);
    if (!above || !below || *below == 0) {
        return std::nullopt;
    }
    return name == kL1dMissRatio ? kPercent * *above / *below : *above / *below;
}

double metric_sampling_error(const RunResult& run, std::string_view name) {
    if (const auto whole = run.sampling_rel_err.find(std::string(name));
        whole != run.sampling_rel_err.end()) {
        return whole->second;
    }
    if (const auto parts = ratio_parts(name)) {
        return std::hypot(plain_error(run, parts->first), plain_error(run, parts->second));
    }
    return 0;
}

}  // namespace linefill::measure
