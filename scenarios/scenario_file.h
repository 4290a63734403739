// SPDX-License-Identifier: Apache-2.0
// Scenario files (scenarios/*.toml): what `linefill compare FILE.toml` compares, on what, how often.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace linefill::scenarios {

/// A scenario as its file says; names are not looked up here but for the workload's.
struct Scenario {
    std::string name;   ///< the file's name without folder and ".toml"
    std::string path;   ///< as it was given, for messages
    std::string title;  ///< one line
    std::vector<std::string> platforms;
    /// Commands ("pound_clock_gettime"), without the parameter.
    std::vector<std::string> workloads;
    /// The argument that rows differ in ("--threads") and its values; both empty: one row.
    std::string parameter;
    std::vector<std::uint64_t> values;
    std::string baseline;              ///< kernel SPEC
    std::vector<std::string> patched;  ///< SPECs, or "+patch" after the baseline's
    unsigned repeats = 10;
    std::vector<std::string> metrics;  ///< empty: those of B3
    std::vector<std::string> set;      ///< KEY=VALUE of the platform
    std::vector<std::string> config;   ///< CONFIG_X=y
    std::string boot;
};

/// Reads a scenario. Throws UserError with file and line for what is not TOML, for an unknown, missing
/// or wrong key, an unknown workload, a parameter that the workload has not.
Scenario parse_scenario(const std::string& text, const std::string& path);

/// A file if `name_or_path` holds a slash or ends in ".toml", else NAME.toml in the first of `dirs`
/// that has it.
Scenario load_scenario(const std::string& name_or_path, const std::vector<std::string>& dirs);

/// Names of the scenarios in `dirs`, sorted, each once.
std::vector<std::string> scenario_names(const std::vector<std::string>& dirs);

/// The full command of each row: workload, parameter, value.
std::vector<std::string> scenario_commands(const Scenario& s);

}  // namespace linefill::scenarios
