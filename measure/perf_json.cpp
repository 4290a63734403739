// SPDX-License-Identifier: Apache-2.0
// perf writes its JSON by hand, blanks around the colons included, and so does this.
#include "measure/perf_json.h"

#include <cmath>

#include "measure/text_format.h"

namespace linefill::measure {
namespace {

constexpr int kDecimals = 6;
constexpr int kTimeDecimals = 9;
constexpr double kPercent = 100.0;

std::string scope_members(const RowScope& scope, const PerfRow& row) {
    std::string text;
    if (scope.interval_s) {
        text = "\"interval\" : " + fixed(*scope.interval_s, kTimeDecimals) + ", ";
    }
    const auto group = [&](const char* key) {
        return '"' + std::string(key) + "\" : " + json_string(scope.name) +
               ", \"aggregate-number\" : " + std::to_string(aggregated_cpus(scope, row)) + ", ";
    };
    switch (scope.kind) {
        case RowScope::Kind::kAll:
            break;
        case RowScope::Kind::kCpu:
            text += "\"cpu\" : \"" + std::to_string(scope.id) + "\", ";
            break;
        case RowScope::Kind::kSocket:
            text += group("socket");
            break;
        case RowScope::Kind::kCore:
            text += group("core");
            break;
        case RowScope::Kind::kNode:
            text += group("node");
            break;
        case RowScope::Kind::kThread:
            text +=
                "\"thread\" : " + json_string(scope.name + '-' + std::to_string(scope.id)) + ", ";
            break;
    }
    return text;
}

std::string value_text(const PerfRow& row) {
    if (const auto missing = missing_text(row)) return std::string(*missing);
    return fixed(row.value, kDecimals);
}

std::string note_members(double value, const std::string& unit) {
    return "\"metric-value\" : " + fixed(value, kDecimals) +
           ", \"metric-unit\" : " + json_string(unit);
}

}  // namespace

std::string perf_json(const StatReport& report) {
    std::string text;
    constexpr double kRounding = 1e-9;
    for (const PlacedRow& placed : placed_rows(report)) {
        const PerfRow& row = placed.row;
        text += '{' + scope_members(placed.scope, row) +
                "\"counter-value\" : " + json_string(value_text(row)) +
                ", \"unit\" : " + json_string(row.unit) + ", \"event\" : " + json_string(row.name);
        if (report.parts.front().runs.size() > 1) {
            text += ", \"variance\" : " + fixed(row.noise_pct, 2);
        }
        const bool partly = row.running_pct != kPercent;
        text += ", \"event-runtime\" : " + fixed(std::floor(row.running_ns), 0) +
                ", \"pcnt-running\" : " +
                fixed(partly ? std::floor(row.running_pct + kRounding) : kPercent, 2) + ", ";
        if (row.notes.empty()) {
            text += note_members(0, "") + "}\n";
            continue;
        }
        for (std::size_t i = 0; i < row.notes.size(); ++i) {
            const PerfNote& note = row.notes[i];
            text +=
                (i == 0 ? "" : "{") + note_members(note.known ? note.value : 0, note.unit) + "}\n";
        }
    }
    return text;
}

std::string meta_json(const StatReport& report) {
    std::string text = "{\"command\": " + json_string(report.command) + ",\n \"simulated\": [";
    for (std::size_t i = 0; i < report.header.size(); ++i) {
        text += (i == 0 ? "\n  " : ",\n  ") + json_string(report.header[i]);
    }
    text += "],\n \"seeds\": [";
    if (!report.parts.empty()) {
        const std::vector<RunResult>& runs = report.whole_runs();
        for (std::size_t i = 0; i < runs.size(); ++i) {
            text += (i == 0 ? "" : ", ") + std::to_string(runs[i].seed);
        }
    }
    return text + "]}\n";
}

}  // namespace linefill::measure
