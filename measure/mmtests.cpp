// SPDX-License-Identifier: Apache-2.0
// Geometry, statistics and stars as MMTests' comparison has them.
#include "measure/mmtests.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "measure/text_format.h"

namespace linefill::measure {
namespace {

constexpr int kFieldWidth = 18;
constexpr int kPercentFieldWidth = 11;
constexpr int kPercentWidth = 7;
constexpr double kPercent = 100.0;
constexpr double kNormalQuantile95 = 1.959963984540054;

using Samples = std::vector<double>;

double arithmetic_mean(const Samples& samples) { return summarise(samples).mean(); }

double deviation(const Samples& samples) {
    return samples.size() < 2 ? std::numeric_limits<double>::quiet_NaN()
                              : summarise(samples).deviation();
}

double harmonic_mean(const Samples& samples) {
    Welford reciprocals;
    for (const double sample : samples) {
        reciprocals.add(1 / sample);
    }
    return 1 / reciprocals.mean();
}

double harmonic_deviation(const Samples& samples) {
    const double mean = harmonic_mean(samples);
    double squares = 0;
    for (const double sample : samples) {
        const double distance = 1 / sample - 1 / mean;
        squares += distance * distance;
    }
    return std::sqrt(squares / static_cast<double>(samples.size())) * mean * mean;
}

// The best 95 % of the samples, at least one.
Samples best(Samples samples, bool higher) {
    constexpr std::size_t kShare = 95;
    std::sort(samples.begin(), samples.end());
    if (higher) {
        std::reverse(samples.begin(), samples.end());
    }
    samples.resize(std::max<std::size_t>(1, samples.size() * kShare / 100));
    return samples;
}

double gain(double base, double value, bool higher) {
    if (base == value) {
        return 0;
    }
    // MMTests' own answers where the quotient has none.
    constexpr double kWorstOfZero = -99;
    if (value == 0) {
        return higher ? 0 : kPercent;
    }
    if (base == 0) {
        return higher ? kPercent : kWorstOfZero;
    }
    return higher ? kPercent * value / base - kPercent : kPercent - kPercent * value / base;
}

struct Statistic {
    std::string label;
    std::function<double(const Samples&)> of;
    bool higher = false;
    bool may_have_stars = false;
};

std::vector<Statistic> statistics(bool higher) {
    const auto lowest = [](const Samples& samples) {
        return *std::min_element(samples.begin(), samples.end());
    };
    const auto highest = [](const Samples& samples) {
        return *std::max_element(samples.begin(), samples.end());
    };
    const auto mean = higher ? harmonic_mean : arithmetic_mean;
    const auto spread = higher ? harmonic_deviation : deviation;
    const auto relative = [mean, spread](const Samples& samples) {
        return kPercent * spread(samples) / mean(samples);
    };
    const auto best_mean = [mean, higher](const Samples& samples) {
        return mean(best(samples, higher));
    };
    const std::string letter = higher ? "H" : "";
    return {{"Min", lowest, higher, false},
            {higher ? "Hmean" : "Amean", mean, higher, true},
            {letter + "Stddev", spread, false, false},
            {letter + "CoeffVar", relative, false, false},
            {"Max", highest, higher, false},
            {higher ? "BHmean.95" : "BAmean.95", best_mean, higher, false}};
}

bool has_stars(const Samples& base, const Samples& other, bool higher) {
    const auto mean = higher ? harmonic_mean : arithmetic_mean;
    const auto spread = higher ? harmonic_deviation : deviation;
    const double widths = kNormalQuantile95 * (spread(base) + spread(other));
    return widths > 0 && std::fabs(mean(base) - mean(other)) > widths;
}

std::pair<std::string, std::string> broken(const std::string& name) {
    std::size_t dash = name.find('-');
    if (dash == std::string::npos) {
        return {name, ""};
    }
    constexpr std::size_t kCandidate = 4;  // "-rc7"
    const bool candidate = name.compare(dash, 3, "-rc") == 0 && dash + 3 < name.size() &&
                           std::isdigit(static_cast<unsigned char>(name[dash + 3])) != 0;
    if (candidate) {
        dash = std::min(dash + kCandidate, name.size());
        // Release candidates from the tenth on have another digit, which MMTests would cut off.
        while (dash < name.size() && std::isdigit(static_cast<unsigned char>(name[dash])) != 0) {
            ++dash;
        }
    }
    return {name.substr(0, dash), dash < name.size() ? name.substr(dash + 1) : ""};
}

int longest(const std::vector<std::string>& names) {
    std::size_t width = 0;
    for (const std::string& name : names) {
        width = std::max(width, name.size());
    }
    return static_cast<int>(width);
}

}  // namespace

std::string mmtests_table(const std::vector<std::string>& operations,
                          const std::vector<MmtestsSeries>& series, Better better, int decimals) {
    const bool higher = better == Better::kHigher;
    const std::vector<Statistic> rows = statistics(higher);
    std::vector<std::string> labels;
    labels.reserve(rows.size());
    for (const Statistic& row : rows) {
        labels.push_back(row.label);
    }
    const int label_width = longest(labels);
    const int operation_width = longest(operations);

    const std::string margin(static_cast<std::size_t>(label_width + 1 + operation_width), ' ');
    std::string first = margin;
    std::string second = margin;
    for (const MmtestsSeries& one : series) {
        const auto [kernel, variant] = broken(one.name);
        first += right_aligned(kernel, kFieldWidth + kPercentFieldWidth);
        second += right_aligned(variant, kFieldWidth + kPercentFieldWidth);
    }
    std::string text = first + '\n' + second + '\n';

    for (const Statistic& row : rows) {
        for (std::size_t operation = 0; operation < operations.size(); ++operation) {
            text += left_aligned(row.label, label_width) + ' ' +
                    left_aligned(operations[operation], operation_width);
            for (const MmtestsSeries& one : series) {
                const Samples& base = series.front().samples.at(operation);
                const Samples& samples = one.samples.at(operation);
                const bool both = !base.empty() && !samples.empty();
                const double value = samples.empty() ? 0 : row.of(samples);
                const double percent = both ? gain(row.of(base), value, row.higher) : 0;
                const bool stars = row.may_have_stars && both && has_stars(base, samples, higher);
                text += right_aligned(fixed(value, decimals), kFieldWidth) + (stars ? " *" : " (") +
                        right_aligned(fixed(percent, 2), kPercentWidth) + (stars ? "%*" : "%)");
            }
            text += '\n';
        }
    }
    return text;
}

std::string mmtests_series_name(std::string_view kernel_spec) {
    const std::size_t end = kernel_spec.find_first_of("+~ ");
    std::string name(kernel_spec.substr(0, end));
    name += '-';
    if (end == std::string_view::npos) {
        return name + "vanilla";
    }
    // A reverted patch keeps its sign, since the dash alone would read as applied.
    const bool plus = kernel_spec[end] == '+' || kernel_spec[end] == ' ';
    return name.append(kernel_spec.substr(plus ? end + 1 : end));
}

}  // namespace linefill::measure
