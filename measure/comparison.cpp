// SPDX-License-Identifier: Apache-2.0
// Pairing of runs, and the list of formats.
#include "measure/comparison.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

#include "model/sim/error.h"

namespace linefill::measure {
namespace {

using RunPointers = std::vector<const RunResult*>;

std::map<std::uint64_t, const RunResult*> by_seed(const std::vector<RunResult>& runs) {
    std::map<std::uint64_t, const RunResult*> sorted;
    for (const RunResult& run : runs) {
        if (!sorted.emplace(run.seed, &run).second) {
            throw std::invalid_argument("two runs of one side have the seed " +
                                        std::to_string(run.seed));
        }
    }
    return sorted;
}

// The runs that have a partner on every side, in the order of their seeds.
std::vector<RunPointers> paired_by_seed(const std::vector<const std::vector<RunResult>*>& sides) {
    std::vector<std::map<std::uint64_t, const RunResult*>> sorted;
    sorted.reserve(sides.size());
    for (const auto* side : sides) {
        sorted.push_back(by_seed(*side));
    }
    std::vector<RunPointers> paired(sides.size());
    for (const auto& [seed, run] : sorted.front()) {
        const auto has_seed = [seed = seed](const auto& side) { return side.count(seed) != 0; };
        if (std::all_of(sorted.begin(), sorted.end(), has_seed)) {
            for (std::size_t side = 0; side < sides.size(); ++side) {
                paired[side].push_back(sorted[side].at(seed));
            }
        }
    }
    return paired;
}

std::vector<RunPointers> paired_by_order(const std::vector<const std::vector<RunResult>*>& sides) {
    std::size_t count = sides.front()->size();
    for (const auto* side : sides) {
        count = std::min(count, side->size());
    }
    std::vector<RunPointers> paired(sides.size());
    for (std::size_t side = 0; side < sides.size(); ++side) {
        for (std::size_t run = 0; run < count; ++run) {
            paired[side].push_back(&(*sides[side])[run]);
        }
    }
    return paired;
}

std::optional<Side> side_of(const RunPointers& runs, const std::string& metric) {
    Side side;
    for (const RunResult* run : runs) {
        const std::optional<double> value = metric_value(*run, metric);
        if (!value || !std::isfinite(*value)) {
            return std::nullopt;
        }
        side.samples.push_back(*value);
    }
    const Welford summary = summarise(side.samples);
    side.mean = summary.mean();
    if (runs.size() > 1) {
        side.err_pct = std::fabs(summary.relative_error_pct());
        side.error = Side::Error::kOfRuns;
    } else if (const double error = metric_sampling_error(*runs.front(), metric); error > 0) {
        side.err_pct = error;
        side.error = Side::Error::kOfSampling;
    }
    return side;
}

double sampling_error(const Side& side) {
    return side.error == Side::Error::kOfSampling ? side.err_pct : 0;
}

struct KnownFormat {
    std::string description;
    ComparisonFormat::Factory factory;
};

std::map<std::string, KnownFormat>& known_formats() {
    static std::map<std::string, KnownFormat> formats;
    return formats;
}

}  // namespace

ComparisonRow compare_runs(std::string workload, std::string parameter, const MetricInfo& metric,
                           const std::vector<RunResult>& baseline,
                           const std::vector<std::vector<RunResult>>& patched, Pairing pairing) {
    std::vector<const std::vector<RunResult>*> sides = {&baseline};
    for (const auto& side : patched) {
        sides.push_back(&side);
    }
    const std::vector<RunPointers> paired =
        pairing == Pairing::kBySeed ? paired_by_seed(sides) : paired_by_order(sides);
    if (paired.front().empty()) {
        throw std::invalid_argument("the sides of a comparison have no run in common");
    }

    ComparisonRow row{std::move(workload), std::move(parameter), metric, std::nullopt, {}};
    row.baseline = side_of(paired.front(), metric.name);
    row.patched.resize(patched.size());
    if (!row.baseline) {
        return row;
    }
    for (std::size_t i = 0; i < patched.size(); ++i) {
        if (std::optional<Side> side = side_of(paired[i + 1], metric.name)) {
            const Gain gain = paired_gain(row.baseline->samples, side->samples, metric.better,
                                          sampling_error(*row.baseline), sampling_error(*side));
            row.patched[i] = PatchedSide{std::move(*side), gain};
        }
    }
    return row;
}

ComparisonFormat::ComparisonFormat(const char* name, const char* description, Factory factory) {
    known_formats()[name] = {description, factory};
}

std::unique_ptr<ComparisonWriter> make_comparison_writer(std::string_view name,
                                                         ComparisonTitle title) {
    const auto found = known_formats().find(std::string(name));
    if (found != known_formats().end()) {
        return found->second.factory(std::move(title));
    }
    std::vector<std::string> names;
    std::string list;
    for (const auto& [known, description] : comparison_formats()) {
        names.push_back(known);
        list += (list.empty() ? "" : ", ") + known;
    }
    throw model::UserError("unknown format")
        .key("--format")
        .value(std::string(name))
        .expected("one of " + list)
        .nearest(name, names);
}

std::map<std::string, std::string> comparison_formats() {
    std::map<std::string, std::string> formats;
    for (const auto& [name, format] : known_formats()) {
        formats[name] = format.description;
    }
    return formats;
}

std::string print_comparison(std::string_view format, const ComparisonTitle& title,
                             const std::vector<ComparisonRow>& rows) {
    const std::unique_ptr<ComparisonWriter> writer = make_comparison_writer(format, title);
    std::string text = writer->begin();
    for (const ComparisonRow& row : rows) {
        text += writer->row(row);
    }
    return text + writer->end("");
}

std::string verdict_text(const std::optional<PatchedSide>& patched) {
    return patched ? std::string(to_string(patched->gain.verdict)) : "not available";
}

}  // namespace linefill::measure
