// SPDX-License-Identifier: Apache-2.0
// From a spec in the user's words to the objects that it names; every mistake in it is found here,
// before anything runs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/layout/layout.h"
#include "kernel/version.h"
#include "measure/run_spec.h"
#include "model/platform/platform.h"
#include "scenarios/run.h"
#include "scenarios/workload.h"

namespace linefill::measure {

/// Folders in which platforms and scenarios are looked for by name.
struct DataDirs {
    std::vector<std::string> platforms;
    std::vector<std::string> scenarios;
};

struct PreparedRun {
    model::Platform platform;
    kernel::KernelSpec kernel;
    std::optional<kernel::Layout> layout;
    std::unique_ptr<scenarios::Workload> workload;
    scenarios::SamplingOptions sampling;
    bool mcs_queueing = true;
    bool page_aligned_percpu = true;
};

/// Throws UserError for whatever is wrong or does not fit together, kernel::NotBuiltYet for names
/// of the plan that this build cannot run.
[[nodiscard]] PreparedRun prepare(const RunSpec& spec, const DataDirs& dirs);

/// Parts of prepare() for commands that need less than a run.
[[nodiscard]] model::Platform prepare_platform(const RunSpec& spec, const DataDirs& dirs);
[[nodiscard]] kernel::KernelSpec prepare_kernel(const RunSpec& spec);
[[nodiscard]] kernel::Layout prepare_layout(const RunSpec& spec, const std::string& isa);

/// The mechanisms that RunSpec::ablations may name: those of the platform's [ablation] section, and
/// those of the kernel model.
[[nodiscard]] const std::vector<std::string>& ablation_names();

/// "20000" (units of work) or "5ms". Throws UserError that names `option`.
[[nodiscard]] scenarios::SamplingOptions parse_sample(const std::string& text,
                                                      const std::string& option);

}  // namespace linefill::measure
