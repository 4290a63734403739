// SPDX-License-Identifier: Apache-2.0
// The things that linefill show can describe, each by the text that it prints.
#pragma once

#include <string>

#include "app/options.h"

namespace linefill::app {

/// What `show` was asked for besides kind and name.
struct ShowOptions {
    MachineOptions machine;
    KernelOptions kernel;
    std::string format = "text";
};

[[nodiscard]] std::string show_platform(const std::string& name, const ShowOptions& options);
[[nodiscard]] std::string show_kernel(const std::string& name, const ShowOptions& options);
[[nodiscard]] std::string show_patch(const std::string& name, const ShowOptions& options);
[[nodiscard]] std::string show_workload(const std::string& name, const ShowOptions& options);
[[nodiscard]] std::string show_event(const std::string& name, const ShowOptions& options);
[[nodiscard]] std::string show_layout(const std::string& name, const ShowOptions& options);
[[nodiscard]] std::string show_path(const std::string& name, const ShowOptions& options);

}  // namespace linefill::app
