// SPDX-License-Identifier: Apache-2.0
// What the values of a platform must be to each other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/platform/platform.h"

namespace linefill::model {

struct Inconsistency {
    std::string problem;
    std::string expected;
    std::vector<std::string> keys;  ///< that take part; the one most likely wrong first
};

/// The first pair of values that do not fit together; nothing if all do. Expects each value to be
/// within its own bounds already.
[[nodiscard]] std::optional<Inconsistency> find_inconsistency(const Platform& platform);

}  // namespace linefill::model
