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
    /// Of one side of a comparison: the platform was given for this side alone.
    bool own_platform = false;
};

/// What a configuration has to hold; the rest may be missing.
struct ConfigNeeds {
    bool platform = true;
    bool kernel = true;
    bool workloads = true;
};

/// The file's text: [run], and below [platform] the platform, if the spec names one. Throws as
/// prepare() does.
[[nodiscard]] std::string write_run_config(const RunConfig& config, const DataDirs& dirs);

/// The inverse; the spec holds the platform as text, so no other file is needed. What --set and
/// --ablate changed is in that text, and in the spec as well, where headers of results show it.
/// Throws UserError with file and line.
[[nodiscard]] RunConfig read_run_config(const std::string& text, const std::string& filename,
                                        const ConfigNeeds& needs = {});

/// One of several configurations in a file: of a side, of a platform.
struct NamedConfig {
    std::string name;  ///< letters, digits, - and _
    RunConfig config;
};

/// Several in one file, each below its name: [baseline.run], [baseline.platform.core], ...
[[nodiscard]] std::string write_named_configs(const std::vector<NamedConfig>& configs,
                                              const DataDirs& dirs);

/// The inverse, in the order of the file.
[[nodiscard]] std::vector<NamedConfig> read_named_configs(const std::string& text,
                                                          const std::string& filename,
                                                          const ConfigNeeds& needs);

}  // namespace linefill::measure
