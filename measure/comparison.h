// SPDX-License-Identifier: Apache-2.0
// Two or more variants against each other: one row per workload, parameter and metric.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/metrics.h"
#include "measure/run_result.h"
#include "measure/statistics.h"

namespace linefill::measure {

/// The figures of one variant in one row.
struct Side {
    /// Where err_pct comes from: nowhere (one run, not sampled), the spread over runs, or sampling
    /// within the only run.
    enum class Error { kUnknown, kOfRuns, kOfSampling };

    /// One value per run, ordered by seed.
    std::vector<double> samples;
    double mean = 0;
    /// Relative standard error of the mean, percent.
    double err_pct = 0;
    Error error = Error::kUnknown;
};

struct PatchedSide {
    Side side;
    Gain gain;
};

/// A side without value (an event that the platform does not count) is empty.
struct ComparisonRow {
    std::string workload;
    /// The swept argument's value; empty if nothing is swept.
    std::string parameter;
    MetricInfo metric;
    std::optional<Side> baseline;
    /// One per patched variant; empty also if the baseline is.
    std::vector<std::optional<PatchedSide>> patched;
};

/// Which run of one side belongs to which of the other.
enum class Pairing {
    kBySeed,   ///< equal seeds (common random numbers); runs without a partner are left out
    kByOrder,  ///< first with first; for sides that were given different seeds on purpose
};

/// Compares `baseline` with each of `patched` in one metric. A metric that some run cannot give, or
/// gives as not-a-number, leaves its side empty. Throws std::invalid_argument if nothing pairs up
/// or a side has a seed twice.
[[nodiscard]] ComparisonRow compare_runs(std::string workload, std::string parameter,
                                         const MetricInfo& metric,
                                         const std::vector<RunResult>& baseline,
                                         const std::vector<std::vector<RunResult>>& patched,
                                         Pairing pairing = Pairing::kBySeed);

/// What is said once about all rows.
struct ComparisonTitle {
    /// The swept argument: "threads"; empty if nothing is swept.
    std::string parameter_name;
    /// How the variants are called: "v4.7-rc7", "v4.7-rc7+prefetch-curr-exec-start".
    std::string baseline;
    std::vector<std::string> patched;
    /// Lines that say what was simulated.
    std::vector<std::string> header;
};

/// Prints a comparison. Each call returns the text that may be written next, possibly none: a format
/// that cannot stream gives all of its text at the end.
class ComparisonWriter {
public:
    ComparisonWriter() = default;
    ComparisonWriter(const ComparisonWriter&) = delete;
    ComparisonWriter& operator=(const ComparisonWriter&) = delete;
    virtual ~ComparisonWriter() = default;

    [[nodiscard]] virtual std::string begin() = 0;
    [[nodiscard]] virtual std::string row(const ComparisonRow& row) = 0;
    /// `explanation`: what --explain adds, in the form that goes with this one; empty: nothing.
    [[nodiscard]] virtual std::string end(const std::string& explanation) = 0;
};

/// The format named `name`; throws UserError for an unknown one.
[[nodiscard]] std::unique_ptr<ComparisonWriter> make_comparison_writer(std::string_view name,
                                                                       ComparisonTitle title);

/// Every format by name, with one line of description.
[[nodiscard]] std::map<std::string, std::string> comparison_formats();

/// A format makes itself known by a constant of this type in its own file.
class ComparisonFormat {
public:
    using Factory = std::unique_ptr<ComparisonWriter> (*)(ComparisonTitle);
    ComparisonFormat(const char* name, const char* description, Factory factory);
};

/// The whole text at once.
[[nodiscard]] std::string print_comparison(std::string_view format, const ComparisonTitle& title,
                                           const std::vector<ComparisonRow>& rows);

/// "not available" for a row without value, the words of to_string(Verdict) otherwise.
[[nodiscard]] std::string verdict_text(const std::optional<PatchedSide>& patched);

}  // namespace linefill::measure
