// SPDX-License-Identifier: Apache-2.0
// Runs every path of the mini-kernel once or more, so that any function's accesses can be shown.
#pragma once

#include <string>

#include "kernel/layout/layout.h"
#include "kernel/trace/path_recorder.h"
#include "kernel/version.h"
#include "model/platform/platform.h"

namespace linefill::kernel {

/// Boots the kernel on `platform` (one machine per process) and lets a process with threads on two
/// CPUs read CPU clocks and times, sleep, wake, yield, be ticked, fork and exit; returns the call of
/// `function` with the most accesses. UserError, with the nearest symbol, if the kernel has no such
/// function, and if nothing called it.
[[nodiscard]] RecordedPath record_path(const std::string& function, const KernelSpec& spec,
                                       const Layout& layout, const model::Platform& platform);

}  // namespace linefill::kernel
