// SPDX-License-Identifier: Apache-2.0
// The validation as text and as CSV.
#include <algorithm>
#include <cmath>

#include "measure/text_format.h"
#include "measure/validation.h"

namespace linefill::measure {
namespace {

constexpr int kRoleWidth = 8;
constexpr int kNumberWidth = 14;
constexpr int kErrorWidth = 13;
constexpr int kDigits = 5;
constexpr int kCsvDigits = 6;
constexpr int kMetricWidth = 36;
constexpr int kSummaryWidth = 10;
constexpr int kCountWidth = 5;

std::string signed_fixed(double value) { return (value >= 0 ? "+" : "") + fixed(value, 2); }

std::string line_of(const std::string& name, const std::string& role, const std::string& predicted,
                    const std::string& measured, const std::string& error, int name_width) {
    return left_aligned(name, name_width) + "  " + left_aligned(role, kRoleWidth) +
           right_aligned(predicted, kNumberWidth) + right_aligned(measured, kNumberWidth) +
           right_aligned(error, kErrorWidth);
}

std::string row_line(const Measurements& measurements, const GroupCheck& group,
                     const RowCheck& check, const std::string& role, int name_width) {
    const std::string predicted =
        check.predicted ? plain_digits(*check.predicted, kDigits) : "skipped";
    const std::string error = check.error_pct ? signed_fixed(*check.error_pct) + '%' : "";
    std::string line = line_of(group.name, role, predicted, plain_digits(check.measured, kDigits),
                               error, name_width);
    const Measurement& row = measurements.rows[check.row];
    line += "  " + row.metric + " [" + row.unit + ']';
    return check.skipped.empty() ? line + '\n' : line + ": " + check.skipped + '\n';
}

std::string csv_number(const std::optional<double>& value) {
    return value && std::isfinite(*value) ? significant(*value, kCsvDigits) : "";
}

std::string csv_side(const std::optional<RowCheck>& check) {
    if (!check) {
        return ",,";
    }
    return csv_number(check->predicted) + ',' + csv_number(check->measured) + ',' +
           csv_number(check->error_pct);
}

// `sign` is the unit of the errors, `constant_unit` that of the constant.
std::string summary_line(const std::string& what, const ErrorSummary& summary,
                         const std::string& sign, const std::string& constant_unit) {
    return "  " + left_aligned(what, kMetricWidth) +
           right_aligned(std::to_string(summary.count), kCountWidth) +
           right_aligned(fixed(summary.mean, 2) + sign, kSummaryWidth) +
           right_aligned(fixed(summary.worst, 2) + sign, kSummaryWidth) +
           right_aligned(fixed(summary.constant_mean, 2) + sign, kSummaryWidth + 2) +
           right_aligned(fixed(summary.constant_worst, 2) + sign, kSummaryWidth) + "  " +
           plain_digits(summary.best_constant, kDigits) + ' ' + constant_unit + "; worst at " +
           summary.worst_group + '\n';
}

std::string metric_lines(const MetricCheck& metric, const WorkUnits& work) {
    std::string text = summary_line(metric.metric, metric.values, "%", metric.unit);
    if (metric.values_by_work) {
        text += summary_line(metric.metric + " by " + work.name, *metric.values_by_work, "%",
                             metric.unit + " per " + work.name);
    }
    if (metric.points) {
        text += summary_line(metric.metric + ", points", *metric.points, " pt", "%");
    }
    if (metric.changes) {
        text += summary_line("change of " + metric.metric, *metric.changes, " pt", "pt");
    }
    if (metric.gains.count > 0) {
        text += summary_line("gain in " + metric.metric, metric.gains, " pt", "%");
    }
    return text;
}

std::string calls_text(const CallCheck& calls) {
    if (calls.total == 0) {
        return "";
    }
    std::string text = "\nChanges rightly called: " + std::to_string(calls.right) + " of " +
                       std::to_string(calls.total) + " (";
    bool first = true;
    for (const auto& [call, counts] : calls.by_call) {
        text += (first ? "" : ", ") + to_string(call) + ' ' + std::to_string(counts.first) +
                " of " + std::to_string(counts.second);
        first = false;
    }
    return text + "); always saying \"" + to_string(calls.best_constant) +
           "\": " + std::to_string(calls.constant_right) + " of " + std::to_string(calls.total) +
           ".\nA change counts as unchanged if it is within the measurement's own error "
           "(published, "
           "else the\nrounding of the printed values); a predicted one also if it is within the "
           "noise of its runs.\n";
}

std::string skipped_text(const Validation& validation) {
    std::vector<std::pair<std::string, std::string>> reasons;
    for (const GroupCheck& group : validation.groups) {
        if (group.status == "ok") {
            continue;
        }
        const auto known = std::find_if(reasons.begin(), reasons.end(), [&](const auto& reason) {
            return reason.first == group.status;
        });
        if (known == reasons.end()) {
            reasons.emplace_back(group.status, group.name);
        } else {
            known->second += ", " + group.name;
        }
    }
    std::string text;
    for (const auto& [status, groups] : reasons) {
        text += (text.empty() ? "\nS" : "S") + status.substr(1) + ": " + groups + '\n';
    }
    return text;
}

}  // namespace

int validation_name_width(const Measurements& measurements) {
    std::size_t width = std::string("group").size();
    for (const MeasurementGroup& group : measurements.groups) {
        width = std::max(width, group.name.size());
    }
    return static_cast<int>(width);
}

std::string validation_heading(int name_width) {
    return line_of("group", "role", "predicted", "measured", "error", name_width) + '\n';
}

std::string validation_group(const Measurements& measurements, const GroupCheck& group,
                             int name_width) {
    std::string text;
    if (group.baseline) {
        text += row_line(measurements, group, *group.baseline, "baseline", name_width);
    }
    if (group.patched) {
        text += row_line(measurements, group, *group.patched, "patched", name_width);
    }
    if (group.gain_predicted) {
        text += line_of(group.name, "gain", fixed(*group.gain_predicted, 2) + '%',
                        fixed(*group.gain_measured, 2) + '%',
                        signed_fixed(*group.gain_difference) + " pt", name_width) +
                "  called " + to_string(*group.call_predicted) + ", is " +
                to_string(*group.call_measured) + '\n';
    }
    return text;
}

std::string validation_summary(const Validation& validation, const WorkUnits& work) {
    std::string text;
    if (!validation.metrics.empty()) {
        text = "Errors (absolute)" + std::string(kMetricWidth - 15, ' ') +
               right_aligned("n", kCountWidth) + right_aligned("mean", kSummaryWidth) +
               right_aligned("worst", kSummaryWidth) +
               right_aligned("constant's", kSummaryWidth + 2) +
               right_aligned("worst", kSummaryWidth) + "  best constant\n";
    }
    for (const MetricCheck& metric : validation.metrics) {
        text += metric_lines(metric, work);
    }
    return text + calls_text(validation.calls) + skipped_text(validation);
}

std::string validation_text(const Measurements& measurements, const Validation& validation,
                            const WorkUnits& work) {
    const int width = validation_name_width(measurements);
    std::string text = validation_heading(width);
    for (const GroupCheck& group : validation.groups) {
        text += validation_group(measurements, group, width);
    }
    return text + '\n' + validation_summary(validation, work);
}

std::string validation_csv_heading() {
    return "group,workload,metric,unit,better,baseline_predicted,baseline_measured,"
           "baseline_diff_pct,patched_predicted,patched_measured,patched_diff_pct,"
           "gain_predicted_pct,gain_measured_pct,gain_diff_points,status\n";
}

std::string validation_csv_group(const Measurements& measurements, const GroupCheck& group) {
    const std::size_t row = group.baseline ? group.baseline->row : group.patched->row;
    const Measurement& measurement = measurements.rows[row];
    return csv_field(group.name) + ',' + csv_field(measurement.workload) + ',' +
           csv_field(measurement.metric) + ',' + csv_field(measurement.unit) + ',' +
           std::string(to_string(measurement.better)) + ',' + csv_side(group.baseline) + ',' +
           csv_side(group.patched) + ',' + csv_number(group.gain_predicted) + ',' +
           csv_number(group.gain_measured) + ',' + csv_number(group.gain_difference) + ',' +
           csv_field(group.status) + '\n';
}

std::string validation_csv(const Measurements& measurements, const Validation& validation) {
    std::string text = validation_csv_heading();
    for (const GroupCheck& group : validation.groups) {
        text += validation_csv_group(measurements, group);
    }
    return text;
}

}  // namespace linefill::measure
