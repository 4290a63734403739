// SPDX-License-Identifier: Apache-2.0
// All widths of perf 6.1's layout stand in one place, below.
#include "measure/perf_text.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "measure/statistics.h"
#include "measure/text_format.h"

namespace linefill::measure {
namespace {

constexpr int kValueWidth = 18;
constexpr int kUnitWidth = 4;
constexpr int kNameWidth = 32;
constexpr int kUncountedNameWidth = 25;
constexpr int kNoteWidth = 35;
constexpr int kSecondNoteIndent = 49;
constexpr int kTimeWidth = 16;
constexpr int kCpuWidth = 7;
constexpr int kSocketWidth = 6;
constexpr int kCoreWidth = 15;
constexpr int kAggregatedWidth = 4;
constexpr int kThreadNameWidth = 16;
constexpr int kThreadIdWidth = 8;
constexpr std::size_t kIntervalsPerHeading = 25;
constexpr int kElapsedWidth = 17;
constexpr int kElapsedDecimals = 9;
constexpr int kFigureDigits = 6;
constexpr double kPercent = 100.0;

std::string scope_text(const RowScope& scope, const PerfRow& row) {
    std::string text;
    if (scope.interval_s) {
        text = right_aligned(fixed(*scope.interval_s, kElapsedDecimals), kTimeWidth) + ' ';
    }
    const auto aggregated = [&] {
        const std::string cpus = std::to_string(aggregated_cpus(scope, row));
        return ' ' + right_aligned(cpus, kAggregatedWidth) + ' ';
    };
    switch (scope.kind) {
        case RowScope::Kind::kAll:
            break;
        case RowScope::Kind::kCpu:
            text += "CPU" + left_aligned(std::to_string(scope.id), kCpuWidth) + ' ';
            break;
        case RowScope::Kind::kSocket:
        case RowScope::Kind::kNode:
            text += left_aligned(scope.name, kSocketWidth) + aggregated();
            break;
        case RowScope::Kind::kCore:
            text += left_aligned(scope.name, kCoreWidth) + aggregated();
            break;
        case RowScope::Kind::kThread:
            text += right_aligned(scope.name, kThreadNameWidth) + '-' +
                    left_aligned(std::to_string(scope.id), kThreadIdWidth) + ' ';
            break;
    }
    return text;
}

std::string value_text(const PerfRow& row) {
    if (const auto missing = missing_text(row)) return std::string(*missing);
    if (row.is_figure) {
        return plain_digits(row.value, kFigureDigits);
    }
    return grouped(row.value, row.unit.empty() ? 0 : 2);
}

std::string note_number(const PerfNote& note) {
    constexpr int kWide = 8;
    constexpr int kNarrow = 7;
    switch (note.form) {
        case NoteForm::kTwoDecimals:
            return right_aligned(fixed(note.value, 2), kNarrow) + ' ';
        case NoteForm::kPercent:
            return right_aligned(fixed(note.value, 2), kNarrow) + '%';
        case NoteForm::kPercentApart:
            return right_aligned(fixed(note.value, 3), kWide) + " %";
        case NoteForm::kThreeDecimals:
            break;
    }
    return right_aligned(fixed(note.value, 3), kWide);
}

std::string note_text(const PerfNote& note) {
    if (!note.known) {
        return std::string(kNoteWidth, ' ');
    }
    return left_aligned(" # " + note_number(note) + ' ' + note.unit, kNoteWidth);
}

std::string noise_text(double pct) {
    constexpr int kWidth = 6;
    return pct == 0 ? "" : "  ( +-" + right_aligned(fixed(pct, 2), kWidth) + "% )";
}

std::string row_text(const RowScope& scope, const PerfRow& row, bool repeated) {
    std::string text = scope_text(scope, row);
    const std::string left = right_aligned(value_text(row), kValueWidth) + ' ' +
                             left_aligned(row.unit, kUnitWidth) + ' ';
    if (row.state != PerfRow::State::kCounted) {
        return text + left + left_aligned(row.name, kUncountedNameWidth) +
               std::string(kNoteWidth, ' ') + '\n';
    }
    // A figure's unit may be longer than perf's; what follows its name stays in its column.
    constexpr int kNameEnd = kValueWidth + 1 + kUnitWidth + 1 + kNameWidth;
    text += row.is_figure ? left_aligned(left + row.name, kNameEnd)
                          : left + left_aligned(row.name, kNameWidth);
    for (std::size_t i = 0; i < row.notes.size(); ++i) {
        if (i > 0) {
            text += '\n' + std::string(kSecondNoteIndent, ' ');
        }
        text += note_text(row.notes[i]);
    }
    if (repeated) {
        text += noise_text(row.noise_pct);
    }
    if (row.running_pct != kPercent) {
        text += "  (" + fixed(row.running_pct, 2) + "%)";
    }
    return text + '\n';
}

// Two digits more than the first one of the standard error.
int elapsed_decimals(double error) {
    constexpr int kDigits = 2;
    if (error <= 0 || error > 1) {
        return kDigits;
    }
    return static_cast<int>(std::ceil(-std::log10(error))) + kDigits;
}

std::string times_text(const std::vector<RunResult>& runs, bool system_wide) {
    const auto seconds = [](double value, std::string_view what) {
        return ' ' + right_aligned(fixed(value, kElapsedDecimals), kElapsedWidth) + " seconds " +
               std::string(what) + '\n';
    };
    if (runs.size() == 1) {
        const RunResult& run = runs.front();
        std::string elapsed = seconds(run.elapsed_s, "time elapsed") + '\n';
        // The times of the program alone are not those of what was counted.
        if (system_wide) return elapsed;
        return elapsed + seconds(run.user_s, "user") + seconds(run.sys_s, "sys") + "\n\n";
    }
    Welford elapsed;
    for (const RunResult& run : runs) {
        elapsed.add(run.elapsed_s);
    }
    const double error = elapsed.standard_error();
    const int decimals = elapsed_decimals(error);
    return ' ' + right_aligned(fixed(elapsed.mean(), decimals), kElapsedWidth) + " +- " +
           fixed(error, decimals) + " seconds time elapsed" +
           noise_text(elapsed.relative_error_pct()) + "\n\n";
}

std::string title_text(const StatReport& report, std::size_t runs) {
    std::string title = "\n Performance counter stats for '";
    title += report.system_wide ? "system wide" : report.command;
    title += '\'';
    if (runs > 1) {
        title += " (" + std::to_string(runs) + " runs)";
    }
    return title + ":\n\n";
}

std::string interval_heading(RowScope::Kind kind) {
    std::string columns;
    switch (kind) {
        case RowScope::Kind::kAll:
            break;
        case RowScope::Kind::kCpu:
            columns = " CPU       ";
            break;
        case RowScope::Kind::kSocket:
            columns = " socket cpus";
            break;
        case RowScope::Kind::kNode:
            columns = " node   cpus";
            break;
        case RowScope::Kind::kCore:
            columns = " core            cpus";
            break;
        case RowScope::Kind::kThread:
            columns = "             comm-pid     ";
            break;
    }
    return "#           time" + columns + "             counts unit events\n";
}

}  // namespace

std::string comment_block(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        text += "# " + line + '\n';
    }
    return lines.empty() ? text : text + '\n';
}

std::string perf_text(const StatReport& report) {
    std::string text = comment_block(report.header);
    if (report.parts.empty()) {
        return text;
    }
    const std::vector<RunResult>& runs = report.parts.front().runs;
    const bool at_intervals = report.at_intervals();
    if (!at_intervals) text += title_text(report, runs.size());

    const bool names_elapsed =
        std::find(report.events.begin(), report.events.end(), "elapsed") != report.events.end();
    std::size_t intervals = 0;
    std::optional<double> interval;
    for (const PlacedRow& placed : placed_rows(report)) {
        if (at_intervals && placed.scope.interval_s != interval) {
            interval = placed.scope.interval_s;
            if (intervals++ % kIntervalsPerHeading == 0) {
                text += interval_heading(placed.scope.kind);
            }
        }
        const bool in_times = placed.row.name == "elapsed" && !names_elapsed;
        if (!in_times || at_intervals) {
            text += row_text(placed.scope, placed.row, runs.size() > 1);
        }
    }
    if (!at_intervals) text += '\n' + times_text(report.whole_runs(), report.system_wide);
    return text;
}

}  // namespace linefill::measure
