// SPDX-License-Identifier: Apache-2.0
// A run's resolved configuration as one TOML file that can be read back: the run itself, and every
// key of its platform with --set applied.
#pragma once

#include <string>
#include <vector>

#include "measure/prepare.h"
#include "measure/run_spec.h"

namespace linefill::measure {

struct RunConfig {
    RunSpec spec;  ///< its workload is not used
    std::vector<std::string> workloads;
    unsigned repeats = 1;
};

/// The file's text. Throws as prepare() does.
[[nodiscard]] std::string write_run_config(const RunConfig& config, const DataDirs& dirs);

/// The inverse; the spec holds the platform as text, so no other file is needed. Throws UserError
/// with file and line.
[[nodiscard]] RunConfig read_run_config(const std::string& text, const std::string& filename);

}  // namespace linefill::measure
