// SPDX-License-Identifier: Apache-2.0
// Each part by the parser of the layer that knows it.
#include "measure/prepare.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "model/platform/load.h"
#include "model/platform/units.h"
#include "model/sim/error.h"
#include "model/sim/time.h"

namespace linefill::measure {
namespace {

using model::UserError;

constexpr double kFsPerNs = 1e6;

bool is_kernel_mechanism(const std::string& name) {
    return name == "mcs_queueing" || name == "page_aligned_percpu";
}

bool is_ablated(const RunSpec& spec, const std::string& name) {
    return std::find(spec.ablations.begin(), spec.ablations.end(), name) != spec.ablations.end();
}

void check_ablations(const RunSpec& spec) {
    for (const std::string& name : spec.ablations) {
        const auto& known = ablation_names();
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        std::string expected = "one of";
        for (const std::string& other : known) {
            expected += (expected == "one of" ? " " : ", ") + other;
        }
        throw UserError("unknown mechanism")
            .key("--ablate")
            .value(name)
            .expected(expected)
            .nearest(name, known);
    }
}

}  // namespace

const std::vector<std::string>& ablation_names() {
    static const std::vector<std::string> kNames = {
        "inflight_hold",        "inorder_drain", "finite_window",      "numa_distance",
        "prefetch_shared_only", "mcs_queueing",  "page_aligned_percpu"};
    return kNames;
}

model::Platform prepare_platform(const RunSpec& spec, const DataDirs& dirs) {
    check_ablations(spec);
    std::vector<model::Override> overrides;
    for (std::size_t i = spec.overrides_in_text; i < spec.overrides.size(); ++i) {
        overrides.push_back(model::parse_override(spec.overrides[i]));
    }
    for (const std::string& name : spec.ablations) {
        if (!is_kernel_mechanism(name)) {
            overrides.push_back({"ablation." + name, "false", "--ablate"});
        }
    }
    // An experiment prepares the same few platforms hundreds of times, in processes forked from one
    // that has read them all.
    static std::map<std::string, model::Platform> known;
    std::string key = spec.platform + '\0' + spec.platform_text + '\0' + spec.platform_file;
    for (const model::Override& one : overrides) key += '\0' + one.key + '=' + one.value;
    for (const std::string& folder : dirs.platforms) key += '\0' + folder;
    const auto found = known.find(key);
    if (found != known.end()) return found->second;
    model::Platform platform =
        spec.platform_text.empty()
            ? model::load_platform(spec.platform, dirs.platforms, overrides)
            : model::parse_platform(spec.platform_text, spec.platform_file, overrides);
    return known.emplace(std::move(key), std::move(platform)).first->second;
}

kernel::KernelSpec prepare_kernel(const RunSpec& spec) {
    std::vector<std::string> boot;
    if (!spec.boot.empty()) boot.push_back(spec.boot);
    return kernel::parse_kernel_spec(spec.kernel, spec.config, boot);
}

kernel::Layout prepare_layout(const RunSpec& spec, const std::string& isa) {
    const kernel::KernelSpec kernel = prepare_kernel(spec);
    kernel::LayoutOptions options;
    options.file = spec.layout_file;
    options.layout_of = spec.layout_of;
    options.aligns = spec.aligns;
    options.moves = spec.moves;
    for (const std::string& text : spec.config) {
        options.config.push_back(kernel::parse_config_override(text));
    }
    return kernel::Layout::resolve(kernel.version, isa, options);
}

scenarios::SamplingOptions parse_sample(const std::string& text, const std::string& option) {
    scenarios::SamplingOptions sampling;
    if (const auto units = model::parse_count(text); units && *units > 0) {
        sampling.units = *units;
        return sampling;
    }
    const auto time = model::parse_latency(text);
    if (!time || time->is_cycles || !(time->ns > 0) || time->ns > 1e12) {
        throw UserError("not an amount of work")
            .key(option)
            .value(text)
            .expected("a number of calls such as 20000, or modelled time such as 5ms");
    }
    sampling.time = static_cast<model::Tick>(std::llround(time->ns * kFsPerNs));
    return sampling;
}

PreparedRun prepare(const RunSpec& spec, const DataDirs& dirs) {
    PreparedRun run;
    run.platform = prepare_platform(spec, dirs);
    run.kernel = prepare_kernel(spec);
    run.layout = prepare_layout(spec, run.platform.isa);
    run.workload = scenarios::parse_workload(spec.workload);
    if (spec.sampling == Sampling::kAmount) {
        run.sampling = parse_sample(spec.sample_amount, "--sample");
    }
    run.sampling.full = spec.sampling == Sampling::kFull;
    run.mcs_queueing = !is_ablated(spec, "mcs_queueing");
    run.page_aligned_percpu = !is_ablated(spec, "page_aligned_percpu");
    return run;
}

}  // namespace linefill::measure
