// SPDX-License-Identifier: Apache-2.0
// Field order of perf 6.1.
#include "measure/perf_csv.h"

#include <cmath>
#include <vector>

#include "measure/perf_text.h"
#include "measure/text_format.h"

namespace linefill::measure {
namespace {

constexpr int kTimeWidth = 16;
constexpr int kTimeDecimals = 9;
constexpr int kFigureDigits = 6;
constexpr double kPercent = 100.0;

std::string scope_fields(const RowScope& scope, const PerfRow& row, const std::string& separator) {
    std::string text;
    if (scope.interval_s) {
        text = right_aligned(fixed(*scope.interval_s, kTimeDecimals), kTimeWidth) + separator;
    }
    switch (scope.kind) {
        case RowScope::Kind::kAll:
            break;
        case RowScope::Kind::kCpu:
            text += "CPU" + std::to_string(scope.id) + separator;
            break;
        case RowScope::Kind::kSocket:
        case RowScope::Kind::kCore:
        case RowScope::Kind::kNode:
            text +=
                scope.name + separator + std::to_string(aggregated_cpus(scope, row)) + separator;
            break;
        case RowScope::Kind::kThread:
            text += scope.name + '-' + std::to_string(scope.id) + separator;
            break;
    }
    return text;
}

std::string value_text(const PerfRow& row) {
    if (const auto missing = missing_text(row)) return std::string(*missing);
    if (row.is_figure) {
        return plain_digits(row.value, kFigureDigits);
    }
    return fixed(row.value, row.unit.empty() ? 0 : 2);
}

std::string note_fields(const PerfNote& note, const std::string& separator) {
    if (!note.known) {
        return separator + separator;
    }
    const bool two = note.form == NoteForm::kTwoDecimals || note.form == NoteForm::kPercent;
    return separator + fixed(note.value, two ? 2 : 3) + separator + note.unit;
}

std::string row_text(const RowScope& scope, const PerfRow& row, bool repeated,
                     const std::string& separator) {
    // The mean of equal shares may miss a whole number by a rounding error.
    constexpr double kRounding = 1e-9;
    const std::string start = scope_fields(scope, row, separator);
    const bool partly = row.running_pct != kPercent;
    std::vector<std::string> fields = {value_text(row), row.unit, row.name};
    if (repeated) {
        fields.push_back(fixed(row.noise_pct, 2) + '%');
    }
    fields.push_back(fixed(std::floor(row.running_ns), 0));
    fields.push_back(fixed(partly ? std::floor(row.running_pct + kRounding) : kPercent, 2));

    std::string text = start;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        text.append(i == 0 ? "" : separator).append(fields[i]);
    }
    text += row.notes.empty() ? separator + separator : note_fields(row.notes.front(), separator);
    text += '\n';
    for (std::size_t i = 1; i < row.notes.size(); ++i) {
        text.append(start).append(separator).append(separator).append(separator);
        text.append(note_fields(row.notes[i], separator)).append("\n");
    }
    return text;
}

}  // namespace

std::string perf_csv(const StatReport& report, std::string_view separator) {
    std::string text = comment_block(report.header);
    for (const PlacedRow& placed : placed_rows(report)) {
        const bool repeated = report.parts.front().runs.size() > 1;
        text += row_text(placed.scope, placed.row, repeated, std::string(separator));
    }
    return text;
}

}  // namespace linefill::measure
