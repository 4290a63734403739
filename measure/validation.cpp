// SPDX-License-Identifier: Apache-2.0
// Errors, calls and the constants that they are compared with.
#include "measure/validation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

namespace linefill::measure {
namespace {

constexpr double kPercent = 100.0;

RowCheck check_row(const Measurements& measurements, std::size_t row,
                   const Predictions& predictions) {
    RowCheck check;
    check.row = row;
    check.measured = measurements.rows[row].value;
    const auto found = predictions.find(row);
    if (found == predictions.end()) {
        check.skipped = "no prediction";
        return check;
    }
    const Prediction& prediction = found->second;
    const bool finite = std::all_of(prediction.samples.begin(), prediction.samples.end(),
                                    [](double sample) { return std::isfinite(sample); });
    if (prediction.samples.empty() || !finite || !prediction.skipped.empty()) {
        check.skipped = !prediction.skipped.empty()  ? prediction.skipped
                        : prediction.samples.empty() ? "no value"
                                                     : "the predicted value is not a number";
        return check;
    }
    check.predicted = summarise(prediction.samples).mean();
    if (check.measured != 0) {
        check.error_pct =
            kPercent * (*check.predicted - check.measured) / std::fabs(check.measured);
    }
    return check;
}

Call call_of(double gain, double error) {
    if (std::fabs(gain) <= error) {
        return Call::kUnchanged;
    }
    return gain > 0 ? Call::kBetter : Call::kWorse;
}

void check_gains(const Measurements& measurements, const Predictions& predictions,
                 GroupCheck& group) {
    const Measurement& before = measurements.rows[group.baseline->row];
    const Measurement& after = measurements.rows[group.patched->row];
    const double measured = gain_pct(before.value, after.value, before.better);
    if (std::isnan(measured)) {
        return;
    }
    group.gain_measured = measured;
    const double ratio = before.value == 0 ? 0 : std::fabs(after.value / before.value);
    group.gain_error =
        kPercent * ratio * std::hypot(before.relative_error(), after.relative_error());
    group.call_measured = call_of(measured, group.gain_error);
    if (!group.baseline->predicted || !group.patched->predicted) {
        return;
    }
    const double predicted =
        gain_pct(*group.baseline->predicted, *group.patched->predicted, before.better);
    if (std::isnan(predicted)) {
        return;
    }
    group.gain_predicted = predicted;
    group.gain_difference = predicted - measured;
    group.call_predicted = call_of(predicted, group.gain_error);
    // A predicted change that the model's own runs do not establish is none.
    const std::vector<double>& runs_before = predictions.at(group.baseline->row).samples;
    const std::vector<double>& runs_after = predictions.at(group.patched->row).samples;
    if (runs_before.size() > 1 && runs_before.size() == runs_after.size() &&
        paired_gain(runs_before, runs_after, before.better).verdict == Verdict::kWithinNoise) {
        group.call_predicted = Call::kUnchanged;
    }
}

/// A value with its weight in a mean of absolute differences.
struct Weighted {
    double value;
    double weight;
};

// The constant c with the least sum of weight x |c - value|: the weighted median.
double weighted_median(std::vector<Weighted> values) {
    std::stable_sort(values.begin(), values.end(),
                     [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
    double total = 0;
    for (const Weighted& value : values) {
        total += value.weight;
    }
    double below = 0;
    for (const Weighted& value : values) {
        below += value.weight;
        if (below >= total / 2) {
            return value.value;
        }
    }
    return values.empty() ? 0 : values.back().value;
}

/// One prediction with its measurement.
struct Point {
    std::string group;
    double error;
    double measured;
    /// A constant predicts constant x scale.
    double scale = 1;
};

// `relative`: errors are in percent of the measured value, otherwise in the value's own unit.
ErrorSummary summarise_errors(const std::vector<Point>& points, bool relative) {
    ErrorSummary summary;
    std::vector<Weighted> constants;
    for (const Point& point : points) {
        const double size = std::fabs(point.error);
        summary.mean += size;
        if (summary.count == 0 || size > summary.worst) {
            summary.worst = size;
            summary.worst_group = point.group;
        }
        ++summary.count;
        const double unit = relative ? std::fabs(point.measured) : 1;
        constants.push_back({point.measured / point.scale, std::fabs(point.scale) / unit});
    }
    if (summary.count == 0) {
        return summary;
    }
    summary.best_constant = weighted_median(std::move(constants));
    for (const Point& point : points) {
        const double unit = relative ? std::fabs(point.measured) / kPercent : 1;
        const double off = std::fabs(summary.best_constant * point.scale - point.measured) / unit;
        summary.constant_mean += off;
        summary.constant_worst = std::max(summary.constant_worst, off);
    }
    summary.mean /= static_cast<double>(summary.count);
    summary.constant_mean /= static_cast<double>(summary.count);
    return summary;
}

/// All points of one metric, collected over the groups.
struct Points {
    std::string metric;
    std::string unit;
    std::vector<Point> values;
    std::vector<Point> by_work;
    std::vector<Point> gains;
    std::vector<Point> points;
    std::vector<Point> changes;
};

Points& points_of(std::vector<Points>& all, const Measurement& row) {
    for (Points& points : all) {
        if (points.metric == row.metric && points.unit == row.unit) {
            return points;
        }
    }
    all.push_back({row.metric, row.unit, {}, {}, {}, {}, {}});
    return all.back();
}

void collect(const Measurements& measurements, const GroupCheck& group, const WorkUnits& work,
             std::vector<Points>& all) {
    for (const std::optional<RowCheck>& check : {group.baseline, group.patched}) {
        if (!check || !check->error_pct) {
            continue;
        }
        Points& points = points_of(all, measurements.rows[check->row]);
        points.values.push_back({group.name, *check->error_pct, check->measured});
        if (points.unit == "%") {
            points.points.push_back(
                {group.name, *check->predicted - check->measured, check->measured});
        }
        const auto amount = work.by_row.find(check->row);
        if (amount != work.by_row.end() && amount->second > 0) {
            points.by_work.push_back(
                {group.name, *check->error_pct, check->measured, amount->second});
        }
    }
    if (group.gain_difference) {
        points_of(all, measurements.rows[group.baseline->row])
            .gains.push_back({group.name, *group.gain_difference, *group.gain_measured});
    }
    if (group.baseline && group.patched && group.baseline->predicted && group.patched->predicted &&
        measurements.rows[group.baseline->row].unit == "%") {
        const double measured = group.patched->measured - group.baseline->measured;
        const double predicted = *group.patched->predicted - *group.baseline->predicted;
        points_of(all, measurements.rows[group.baseline->row])
            .changes.push_back({group.name, predicted - measured, measured});
    }
}

CallCheck check_calls(const std::vector<GroupCheck>& groups) {
    CallCheck check;
    for (const GroupCheck& group : groups) {
        if (!group.call_measured || !group.call_predicted) {
            continue;
        }
        auto& [right, total] = check.by_call[*group.call_measured];
        const bool is_right = *group.call_measured == *group.call_predicted;
        right += is_right ? 1 : 0;
        check.right += is_right ? 1 : 0;
        ++total;
        ++check.total;
    }
    for (const auto& [call, counts] : check.by_call) {
        if (counts.second > check.constant_right) {
            check.best_constant = call;
            check.constant_right = counts.second;
        }
    }
    return check;
}

}  // namespace

std::string to_string(Call call) {
    switch (call) {
        case Call::kBetter:
            return "better";
        case Call::kWorse:
            return "worse";
        case Call::kUnchanged:
            break;
    }
    return "unchanged";
}

GroupCheck check_group(const Measurements& measurements, const MeasurementGroup& group,
                       const Predictions& predictions) {
    GroupCheck check;
    check.name = group.name;
    std::set<std::string> reasons;
    const auto check_side = [&](std::optional<std::size_t> row) -> std::optional<RowCheck> {
        if (!row) {
            return std::nullopt;
        }
        RowCheck side = check_row(measurements, *row, predictions);
        if (!side.skipped.empty()) {
            reasons.insert(side.skipped);
        }
        return side;
    };
    check.baseline = check_side(group.baseline);
    check.patched = check_side(group.patched);
    if (check.baseline && check.patched) {
        check_gains(measurements, predictions, check);
    }
    check.status = reasons.empty() ? "ok" : "skipped: ";
    for (const std::string& reason : reasons) {
        check.status += (reason == *reasons.begin() ? "" : "; ") + reason;
    }
    return check;
}

Validation validate(const Measurements& measurements, const Predictions& predictions,
                    const WorkUnits& work) {
    Validation validation;
    std::vector<Points> all;
    for (const MeasurementGroup& group : measurements.groups) {
        validation.groups.push_back(check_group(measurements, group, predictions));
        collect(measurements, validation.groups.back(), work, all);
    }
    for (const Points& points : all) {
        MetricCheck metric;
        metric.metric = points.metric;
        metric.unit = points.unit;
        metric.values = summarise_errors(points.values, true);
        if (!points.by_work.empty()) {
            metric.values_by_work = summarise_errors(points.by_work, true);
        }
        metric.gains = summarise_errors(points.gains, false);
        if (!points.points.empty()) {
            metric.points = summarise_errors(points.points, false);
        }
        if (!points.changes.empty()) {
            metric.changes = summarise_errors(points.changes, false);
        }
        validation.metrics.push_back(std::move(metric));
    }
    validation.calls = check_calls(validation.groups);
    return validation;
}

}  // namespace linefill::measure
