// SPDX-License-Identifier: Apache-2.0
// From the words of a command line to an exit code.
#pragma once

#include <string>
#include <vector>

namespace linefill::app {

/// Runs `linefill WORDS...` and returns its exit code (0, 2, 3, 4 or 130). Throws nothing; every
/// error is one line on stderr, with the report of a failed simulation after it.
int run_command_line(const std::vector<std::string>& words);

}  // namespace linefill::app
