// SPDX-License-Identifier: Apache-2.0
// Mean and spread of repeated runs as perf states them, and the paired test behind every verdict.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace linefill::measure {

/// Which direction of a metric is an improvement.
enum class Better { kLower, kHigher, kNeither };

/// "lower", "higher", "neither".
[[nodiscard]] std::string_view to_string(Better better);
/// The inverse; nothing for any other word.
[[nodiscard]] std::optional<Better> better_from_string(std::string_view word);

/// Running mean and variance after Welford, the way perf stat sums up its runs.
class Welford {
public:
    void add(double value);

    [[nodiscard]] std::size_t count() const { return count_; }
    /// 0 without values.
    [[nodiscard]] double mean() const { return mean_; }
    /// Sample standard deviation (n - 1); 0 below two values.
    [[nodiscard]] double deviation() const;
    /// Standard error of the mean; 0 below two values.
    [[nodiscard]] double standard_error() const;
    /// perf's `+-` figure: the standard error in percent of the mean; 0 if the mean is 0.
    [[nodiscard]] double relative_error_pct() const;

private:
    std::size_t count_ = 0;
    double mean_ = 0;
    double squares_ = 0;
};

[[nodiscard]] Welford summarise(std::span<const double> values);

/// What a comparison found. kChanged is for metrics of which neither direction is better.
enum class Verdict { kBetter, kWorse, kChanged, kWithinNoise };

/// "better", "worse", "changed", "within noise".
[[nodiscard]] std::string_view to_string(Verdict verdict);

/// The change between two sides, in percent of the baseline's mean: positive is an improvement, for
/// Better::kNeither positive is a rise.
struct Gain {
    std::size_t pairs = 0;
    /// Not-a-number if the baseline's mean is 0 and the other side's is not.
    double pct = 0;
    /// The 95 % interval. Not-a-number if nothing is known of the spread (a single pair without a
    /// sampling error) or if pct is.
    double lo_pct = 0;
    double hi_pct = 0;
    Verdict verdict = Verdict::kWithinNoise;
};

/// Compares two sides whose values pair up by position (runs with common seeds).
///
/// The interval is Student's, on the mean of the differences within pairs, divided by the mean of
/// the baseline; the verdict is "within noise" exactly if it contains 0. Differences without any
/// spread are taken as they are: all equal to 0 is within noise, anything else is a real change.
/// One pair has no spread to judge by: it is within noise whatever its size, unless the sampling
/// errors within the two runs (one standard error each, in percent) are given: then they make the
/// interval.
///
/// Throws std::invalid_argument for no pairs, for sides of different length and for values that are
/// not finite.
[[nodiscard]] Gain paired_gain(std::span<const double> baseline, std::span<const double> patched,
                               Better better, double baseline_sampling_err_pct = 0,
                               double patched_sampling_err_pct = 0);

/// The change alone, in percent of `baseline`, with the sign of Gain; 0 if both are equal,
/// not-a-number if only the baseline is 0.
[[nodiscard]] double gain_pct(double baseline, double patched, Better better);

/// Two-sided 95 % quantile of Student's distribution; `degrees_of_freedom` from 1.
[[nodiscard]] double student_quantile_95(std::size_t degrees_of_freedom);

}  // namespace linefill::measure
