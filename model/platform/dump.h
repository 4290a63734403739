// SPDX-License-Identifier: Apache-2.0
// A Platform written out again: as a platform file, and as rows for people.
#pragma once

#include <string>
#include <vector>

#include "model/platform/platform.h"

namespace linefill::model {

/// The resolved configuration: TOML text that parse_platform reads back to an equal Platform.
[[nodiscard]] std::string dump_platform(const Platform& platform);

/// One key of a platform as `show platform` prints it. Source, range and tag are empty for what is
/// no figure or has no provenance.
struct KeyDescription {
    std::string key;
    std::string value;     ///< with unit
    std::string doc;       ///< what it is
    std::string expected;  ///< the form of its value, and the bounds
    std::string source;
    std::string range;
    std::string tag;     ///< measured, manual, derived, assumed
    std::string reason;  ///< why it deviates from the reference
    bool is_figure = true;
};

/// All keys that `platform` has, in the order of the file.
[[nodiscard]] std::vector<KeyDescription> describe_platform(const Platform& platform);

}  // namespace linefill::model
