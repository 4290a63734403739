// SPDX-License-Identifier: Apache-2.0
// From a platform's name or file to a checked Platform.
#pragma once

#include <string>
#include <vector>

#include "model/platform/platform.h"

namespace linefill::model {

/// One --set KEY=VALUE: replaces the value of any key, or adds one that the file left out.
struct Override {
    std::string key;               ///< dotted: "cache.llc.size", "idle_state.C1.exit"
    std::string value;             ///< without quotes: "10MiB", "3GHz,2.8GHz", "false"
    std::string option = "--set";  ///< as the user wrote it ("--baseline-set"), for messages
};

/// Splits "KEY=VALUE" at its first equals sign. Throws UserError if there is none or no key.
[[nodiscard]] Override parse_override(const std::string& text, const std::string& option = "--set");

/// Reads a platform file's text. `filename` is for messages. Of several overrides of one key the
/// last counts. Throws UserError for the first thing wrong with text or overrides: no valid TOML, a
/// key that is unknown, missing or given twice, a value of the wrong form or out of bounds, values
/// that do not fit together, a figure without provenance. What may be left out: topology.cluster,
/// inclusion of an L1, slices of L1 and L2, events that no -d asks for, [ablation] (all on).
[[nodiscard]] Platform parse_platform(const std::string& text, const std::string& filename,
                                      const std::vector<Override>& overrides = {});

/// Reads the platform `name_or_path`: a file if it holds a slash or ends in ".toml", else
/// NAME.toml in the first of `search_dirs` that has it. Throws UserError as parse_platform does,
/// and for a name or file that is not there.
[[nodiscard]] Platform load_platform(const std::string& name_or_path,
                                     const std::vector<std::string>& search_dirs,
                                     const std::vector<Override>& overrides = {});

/// Names of the platforms in `search_dirs`, sorted, each once.
[[nodiscard]] std::vector<std::string> platform_names(const std::vector<std::string>& search_dirs);

}  // namespace linefill::model
