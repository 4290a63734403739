// SPDX-License-Identifier: Apache-2.0
// The only file of measure/ that sees Boost.Math.
#include "measure/statistics.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include <boost/math/distributions/students_t.hpp>

namespace linefill::measure {
namespace {

constexpr double kNormalQuantile95 = 1.959963984540054;
constexpr double kPercent = 100.0;
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

void require_finite(std::span<const double> values, const char* side) {
    for (const double value : values) {
        if (!std::isfinite(value)) {
            throw std::invalid_argument(std::string("a value of the ") + side +
                                        " side is not a finite number");
        }
    }
}

Verdict judge(double improvement, double half_width, Better better) {
    // Written so that an interval that just touches 0 is noise, and no spread needs no special case.
    if (improvement == 0 || std::fabs(improvement) <= half_width) {
        return Verdict::kWithinNoise;
    }
    if (better == Better::kNeither) {
        return Verdict::kChanged;
    }
    return improvement > 0 ? Verdict::kBetter : Verdict::kWorse;
}

}  // namespace

std::string_view to_string(Better better) {
    switch (better) {
        case Better::kLower:
            return "lower";
        case Better::kHigher:
            return "higher";
        case Better::kNeither:
            break;
    }
    return "neither";
}

std::optional<Better> better_from_string(std::string_view word) {
    for (const Better better : {Better::kLower, Better::kHigher, Better::kNeither}) {
        if (word == to_string(better)) {
            return better;
        }
    }
    return std::nullopt;
}

void Welford::add(double value) {
    ++count_;
    const double delta = value - mean_;
    mean_ += delta / static_cast<double>(count_);
    squares_ += delta * (value - mean_);
}

double Welford::deviation() const {
    if (count_ < 2) {
        return 0;
    }
    return std::sqrt(squares_ / static_cast<double>(count_ - 1));
}

double Welford::standard_error() const {
    if (count_ < 2) {
        return 0;
    }
    return deviation() / std::sqrt(static_cast<double>(count_));
}

double Welford::relative_error_pct() const {
    return mean_ == 0 ? 0 : kPercent * standard_error() / mean_;
}

Welford summarise(std::span<const double> values) {
    Welford welford;
    for (const double value : values) {
        welford.add(value);
    }
    return welford;
}

std::string_view to_string(Verdict verdict) {
    switch (verdict) {
        case Verdict::kBetter:
            return "better";
        case Verdict::kWorse:
            return "worse";
        case Verdict::kChanged:
            return "changed";
        case Verdict::kWithinNoise:
            break;
    }
    return "within noise";
}

double student_quantile_95(std::size_t degrees_of_freedom) {
    if (degrees_of_freedom == 0) {
        throw std::invalid_argument("Student's distribution needs a degree of freedom");
    }
    constexpr double kUpperTail = 0.025;
    const boost::math::students_t_distribution<double> student(
        static_cast<double>(degrees_of_freedom));
    return boost::math::quantile(boost::math::complement(student, kUpperTail));
}

double gain_pct(double baseline, double patched, Better better) {
    const double improvement = better == Better::kLower ? baseline - patched : patched - baseline;
    if (improvement == 0) {
        return 0;
    }
    return baseline == 0 ? kNotANumber : kPercent * improvement / std::fabs(baseline);
}

Gain paired_gain(std::span<const double> baseline, std::span<const double> patched, Better better,
                 double baseline_sampling_err_pct, double patched_sampling_err_pct) {
    if (baseline.empty() || baseline.size() != patched.size()) {
        throw std::invalid_argument("a comparison needs as many runs on one side as on the other");
    }
    require_finite(baseline, "baseline");
    require_finite(patched, "patched");

    Welford improvements;
    Welford baselines;
    Welford patcheds;
    for (std::size_t i = 0; i < baseline.size(); ++i) {
        improvements.add(better == Better::kLower ? baseline[i] - patched[i]
                                                  : patched[i] - baseline[i]);
        baselines.add(baseline[i]);
        patcheds.add(patched[i]);
    }

    Gain gain;
    gain.pairs = improvements.count();
    const double improvement = improvements.mean();
    double half_width = 0;
    if (gain.pairs >= 2) {
        half_width = student_quantile_95(gain.pairs - 1) * improvements.standard_error();
    } else if (baseline_sampling_err_pct > 0 || patched_sampling_err_pct > 0) {
        half_width = kNormalQuantile95 *
                     std::hypot(baseline_sampling_err_pct * baselines.mean(),
                                patched_sampling_err_pct * patcheds.mean()) /
                     kPercent;
    } else if (improvement != 0) {
        half_width = std::numeric_limits<double>::infinity();
    }
    gain.verdict = judge(improvement, half_width, better);

    const double scale = std::fabs(baselines.mean());
    if (scale == 0) {
        gain.pct = improvement == 0 ? 0 : kNotANumber;
        gain.lo_pct = gain.hi_pct = improvement == 0 && half_width == 0 ? 0 : kNotANumber;
        return gain;
    }
    gain.pct = kPercent * improvement / scale;
    const double width_pct = kPercent * half_width / scale;
    gain.lo_pct = std::isfinite(width_pct) ? gain.pct - width_pct : kNotANumber;
    gain.hi_pct = std::isfinite(width_pct) ? gain.pct + width_pct : kNotANumber;
    return gain;
}

}  // namespace linefill::measure
