// SPDX-License-Identifier: Apache-2.0
// The lists themselves.
#include "measure/event_list.h"

#include <algorithm>
#include <array>
#include <utility>

#include "measure/metrics.h"
#include "measure/text_format.h"
#include "model/sim/error.h"

namespace linefill::measure {
namespace {

using model::UserError;

constexpr int kMostDetail = 3;

// What each further -d adds (perf 6.1; seen by running it).
const std::array<std::vector<std::string>, kMostDetail + 1>& lists() {
    static const std::array<std::vector<std::string>, kMostDetail + 1> kLists = {
        {{"task-clock", "context-switches", "cpu-migrations", "page-faults", "cycles",
          "instructions", "branches", "branch-misses"},
         {"L1-dcache-loads", "L1-dcache-load-misses", "LLC-loads", "LLC-load-misses"},
         {"L1-icache-loads", "L1-icache-load-misses", "dTLB-loads", "dTLB-load-misses",
          "iTLB-loads", "iTLB-load-misses"},
         {"L1-dcache-prefetches", "L1-dcache-prefetch-misses"}}};
    return kLists;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kAliases = {
    {{"cpu-cycles", "cycles"},
     {"branch-instructions", "branches"},
     {"faults", "page-faults"},
     {"cs", "context-switches"},
     {"migrations", "cpu-migrations"},
     {"idle-cycles-frontend", "stalled-cycles-frontend"},
     {"idle-cycles-backend", "stalled-cycles-backend"}}};

bool contains(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

void check_event(std::string_view name, const std::vector<std::string>& figures) {
    const EventName parsed = parse_event_name(name);
    if (contains(known_events(), parsed.event)) {
        return;
    }
    std::vector<std::string> candidates = known_events();
    candidates.insert(candidates.end(), figures.begin(), figures.end());
    throw UserError("unknown event")
        .key("-e")
        .value(std::string(name))
        .expected("an event of `linefill list events`, or a figure of the workload")
        .nearest(parsed.event, candidates);
}

}  // namespace

std::vector<std::string> default_events(int detail) {
    if (detail < 0 || detail > kMostDetail) {
        throw UserError("no such level of detail")
            .key("-d")
            .value(std::to_string(detail))
            .expected("-d once, twice or three times");
    }
    std::vector<std::string> events;
    for (int level = 0; level <= detail; ++level) {
        const auto& more = lists()[static_cast<std::size_t>(level)];
        events.insert(events.end(), more.begin(), more.end());
    }
    return events;
}

const std::vector<std::string>& known_events() {
    static const std::vector<std::string> kKnown = [] {
        std::vector<std::string> events = default_events(kMostDetail);
        for (const char* more :
             {"cpu-clock", "minor-faults", "major-faults", "stalled-cycles-frontend",
              "stalled-cycles-backend", "cache-references", "cache-misses", "L1-dcache-stores",
              "L1-dcache-store-misses", "LLC-stores", "LLC-store-misses", "LLC-prefetches",
              "LLC-prefetch-misses", "dTLB-stores", "dTLB-store-misses", "bus-cycles",
              "ref-cycles"}) {
            events.emplace_back(more);
        }
        return events;
    }();
    return kKnown;
}

EventName parse_event_name(std::string_view name) {
    EventName parsed;
    parsed.full = name;
    const std::size_t colon = name.find(':');
    const std::string_view base = name.substr(0, colon);
    parsed.event = base;
    for (const auto& [alias, event] : kAliases) {
        if (base == alias) {
            parsed.event = event;
        }
    }
    if (colon == std::string_view::npos) {
        return parsed;
    }
    const std::string_view modifier = name.substr(colon + 1);
    if (modifier == "u" || modifier == "k") {
        parsed.modifier = modifier[0];
    } else if (modifier != "uk" && modifier != "ku") {
        throw UserError("unknown event modifier")
            .key("-e")
            .value(std::string(name))
            .expected("the event's name, with :u for user mode or :k for kernel mode");
    }
    return parsed;
}

std::vector<std::string> parse_event_list(std::string_view list,
                                          const std::vector<std::string>& figures) {
    std::vector<std::string> events;
    for (const std::string& name : split(list, ',')) {
        if (name.empty()) {
            throw UserError("empty event name")
                .key("-e")
                .value(std::string(list))
                .expected("names with a comma between them");
        }
        if (contains(events, name)) {
            throw UserError("event named twice").key("-e").value(name);
        }
        if (!contains(figures, name) && name != kL1dMissRatio) {
            if (const auto parts = ratio_parts(name)) {
                check_event(parts->first, figures);
                check_event(parts->second, figures);
            } else {
                check_event(name, figures);
            }
        }
        events.push_back(name);
    }
    return events;
}

}  // namespace linefill::measure
