// SPDX-License-Identifier: Apache-2.0
// show path: one call of a kernel function as an ordered list of its accesses.
#include "app/commands/show.h"
#include "kernel/trace/path_scenario.h"
#include "measure/perf_text.h"
#include "measure/run_header.h"

namespace linefill::app {
namespace {

/// The order of accesses is the kernel's; the machine only decides who runs where.
constexpr const char* kUsualMachine = "xeon-snb-2s";

}  // namespace

std::string show_path(const std::string& name, const ShowOptions& options) {
    require_kernel(options.kernel.kernel);
    measure::RunSpec spec;
    apply(options.machine, spec);
    apply(options.kernel, spec);
    spec.platform = spec.platform.empty() ? kUsualMachine : platform_list(spec.platform).front();
    const model::Platform platform = measure::prepare_platform(spec, default_dirs());
    const kernel::RecordedPath path = kernel::record_path(
        name, measure::prepare_kernel(spec), measure::prepare_layout(spec, platform.isa), platform);
    return measure::comment_block(measure::header_lines(spec, {})) + kernel::format_path(path);
}

}  // namespace linefill::app
