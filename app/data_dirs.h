// SPDX-License-Identifier: Apache-2.0
// Where the files that come with Linefill are, wherever the command is started from.
#pragma once

#include <string>
#include <vector>

namespace linefill::app {

/// Folders that may hold `kind` ("platforms", "scenarios"), best first: those of an installation,
/// found from the place of the executable, then the source tree that it was built from. Only
/// folders that exist.
[[nodiscard]] std::vector<std::string> data_dirs(const std::string& kind);

/// The root of the source tree: above the executable, else where it was built from. Throws
/// UserError if there is none (an installation without sources).
[[nodiscard]] std::string source_tree();

}  // namespace linefill::app
