// SPDX-License-Identifier: Apache-2.0
// Predictions against measurements, and against the best that a constant could do.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "measure/measurements.h"
#include "measure/statistics.h"

namespace linefill::measure {

/// What the model says of one row: values of the runs, ordered by seed, in the row's unit; or why
/// there are none.
struct Prediction {
    std::vector<double> samples;
    std::string skipped;

    static Prediction of(std::vector<double> samples) { return {std::move(samples), ""}; }
    static Prediction skip(std::string reason) { return {{}, std::move(reason)}; }
};

/// By index into Measurements::rows.
using Predictions = std::map<std::size_t, Prediction>;

/// One row held against its measurement.
struct RowCheck {
    std::size_t row = 0;
    double measured = 0;
    std::optional<double> predicted;
    /// 100 x (predicted - measured) / measured; nothing without prediction or if 0 was measured.
    std::optional<double> error_pct;
    /// Why there is no prediction; empty if there is one.
    std::string skipped;
};

/// What a change does, judged by its size against the measurement's own error.
enum class Call { kBetter, kWorse, kUnchanged };

/// "better", "worse", "unchanged".
[[nodiscard]] std::string to_string(Call call);

struct GroupCheck {
    std::string name;
    std::optional<RowCheck> baseline;
    std::optional<RowCheck> patched;
    /// Percent, positive is better.
    std::optional<double> gain_measured;
    std::optional<double> gain_predicted;
    /// Predicted less measured, in points.
    std::optional<double> gain_difference;
    /// The measured gain's own error, in points: the published errors of both rows, or the rounding
    /// of the printed values where none was published.
    double gain_error = 0;
    std::optional<Call> call_measured;
    std::optional<Call> call_predicted;
    /// "ok", or "skipped: reason".
    std::string status;
};

/// Mean and worst size of errors, and the same for the constant that has the least mean.
struct ErrorSummary {
    std::size_t count = 0;
    double mean = 0;
    double worst = 0;
    /// Group of the worst.
    std::string worst_group;
    double best_constant = 0;
    double constant_mean = 0;
    double constant_worst = 0;
};

struct MetricCheck {
    std::string metric;
    std::string unit;
    /// Of values, in percent.
    ErrorSummary values;
    /// Of values against one constant per unit of work; empty unless the work is given.
    std::optional<ErrorSummary> values_by_work;
    /// Of gains, in points.
    ErrorSummary gains;
    /// For metrics in percent (miss ratios): of values and of the change from baseline to patched,
    /// both in percentage points.
    std::optional<ErrorSummary> points;
    std::optional<ErrorSummary> changes;
};

struct CallCheck {
    std::size_t right = 0;
    std::size_t total = 0;
    /// By measured call: rightly called, of how many.
    std::map<Call, std::pair<std::size_t, std::size_t>> by_call;
    /// The call that is most often right if it is always made, and how often it is.
    Call best_constant = Call::kUnchanged;
    std::size_t constant_right = 0;
};

struct Validation {
    std::vector<GroupCheck> groups;
    /// By metric and unit, in order of appearance; only those with a prediction.
    std::vector<MetricCheck> metrics;
    CallCheck calls;
};

/// How much work each row's value stands for (calls times visited threads, say): shows whether the
/// model does better than one measured constant per unit of work. Rows without entry are left out.
struct WorkUnits {
    std::string name;
    std::map<std::size_t, double> by_row;
};

/// Holds the predictions against the measurements. A row that is not among the predictions counts
/// as skipped. Skill is measured on the same rows for the model and for the constants.
[[nodiscard]] Validation validate(const Measurements& measurements, const Predictions& predictions,
                                  const WorkUnits& work = {});

/// One group alone, to print it as soon as its runs are done.
[[nodiscard]] GroupCheck check_group(const Measurements& measurements,
                                     const MeasurementGroup& group, const Predictions& predictions);

// The output, in parts that can be written one by one.

/// Width of the column of group names.
[[nodiscard]] int validation_name_width(const Measurements& measurements);
/// Column titles for groups whose names are at most `name_width` long.
[[nodiscard]] std::string validation_heading(int name_width);
/// A line per row, and one for the gain.
[[nodiscard]] std::string validation_group(const Measurements& measurements,
                                           const GroupCheck& group, int name_width);
/// Errors per metric, calls, skill against constants, what was skipped and why.
[[nodiscard]] std::string validation_summary(const Validation& validation,
                                             const WorkUnits& work = {});
/// All of it.
[[nodiscard]] std::string validation_text(const Measurements& measurements,
                                          const Validation& validation, const WorkUnits& work = {});

[[nodiscard]] std::string validation_csv_heading();
/// One line per group, numbers with 6 significant digits, what is missing empty.
[[nodiscard]] std::string validation_csv_group(const Measurements& measurements,
                                               const GroupCheck& group);
[[nodiscard]] std::string validation_csv(const Measurements& measurements,
                                         const Validation& validation);

}  // namespace linefill::measure
