// SPDX-License-Identifier: Apache-2.0
// Every option that changes a result is in its header.
#include "measure/run_header.h"

#include <algorithm>

#include "measure/prepare.h"
#include "measure/text_format.h"

namespace linefill::measure {
namespace {

const std::string kPrefix = "linefill ";

/// Name and value of everything in the spec that differs from the plain platform and kernel.
std::vector<std::pair<std::string, std::string>> settings(const RunSpec& spec) {
    std::vector<std::pair<std::string, std::string>> lines;
    const auto add_all = [&](const std::string& name, const std::vector<std::string>& values) {
        for (const std::string& value : values) lines.emplace_back(name, value);
    };
    add_all("set", spec.overrides);
    add_all("without", spec.ablations);
    if (spec.quantum_ns) lines.emplace_back("quantum", std::to_string(*spec.quantum_ns) + "ns");
    add_all("config", spec.config);
    if (!spec.boot.empty()) lines.emplace_back("boot", spec.boot);
    if (!spec.layout_file.empty()) lines.emplace_back("layout", spec.layout_file);
    if (!spec.layout_of.empty()) lines.emplace_back("layout of", spec.layout_of);
    add_all("align", spec.aligns);
    add_all("move", spec.moves);
    if (!spec.draws) lines.emplace_back("draws", "off");
    if (spec.scope != CountScope::kWorkload) {
        const std::string& name = count_scope_names().at(static_cast<std::size_t>(spec.scope));
        lines.emplace_back("counted", spec.scope == CountScope::kSystem
                                          ? "the whole system"
                                          : "the whole system, by " + name);
    }
    if (spec.interval_ms) lines.emplace_back("interval", shortest(*spec.interval_ms) + " ms");
    return lines;
}

std::string patches_in_effect(const RunSpec& spec) {
    std::string text;
    for (const kernel::Patch* patch : prepare_kernel(spec).patches) {
        text += (text.empty() ? "" : ", ") + patch->slug;
    }
    return text.empty() ? "none" : text;
}

std::string seeds(const std::vector<RunResult>& runs) {
    if (runs.size() == 1) return std::to_string(runs.front().seed);
    std::string text =
        std::to_string(runs.front().seed) + " to " + std::to_string(runs.back().seed);
    // A run that failed leaves a gap.
    if (runs.back().seed - runs.front().seed + 1 != runs.size()) {
        text.clear();
        for (const RunResult& run : runs) {
            text += (text.empty() ? "" : ", ") + std::to_string(run.seed);
        }
    }
    return text;
}

/// The smallest share of any event that was counted, averaged over the runs.
double detailed_share_pct(const std::vector<RunResult>& runs) {
    double sum = 0;
    for (const RunResult& run : runs) {
        double least = 100;
        for (const auto& [name, count] : run.events) {
            if (count.supported) least = std::min(least, count.running_pct);
        }
        sum += least;
    }
    return sum / static_cast<double>(runs.size());
}

}  // namespace

std::vector<std::string> header_lines(const RunSpec& spec, const std::vector<RunResult>& runs) {
    std::vector<std::string> lines = {
        kPrefix + LINEFILL_VERSION, kPrefix + "platform: " + spec.platform,
        kPrefix + "kernel: " + spec.kernel, kPrefix + "patches: " + patches_in_effect(spec)};
    for (const auto& [name, value] : settings(spec)) {
        lines.push_back(kPrefix + name + ": " + value);
    }
    if (!runs.empty()) {
        lines.push_back(kPrefix + "seed: " + seeds(runs));
        lines.push_back(kPrefix +
                        "simulated in detail: " + significant(detailed_share_pct(runs), 3) + "%");
    }
    return lines;
}

std::string side_line(const RunSpec& spec) {
    std::string line = "platform " + spec.platform + ", kernel " + spec.kernel;
    for (const auto& [name, value] : settings(spec)) line += ", " + name + " " + value;
    return line;
}

}  // namespace linefill::measure
