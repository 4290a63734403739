// SPDX-License-Identifier: Apache-2.0
// What the command does, step by step, for those who ask with --log-level or --log-file.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace linefill::app {

/// "trace", "debug", "info", "warn", "error", "off".
[[nodiscard]] const std::vector<std::string>& log_levels();

/// Messages of `level` and above go to the file, or to stderr without one. Nothing is logged before
/// this. Throws UserError for a file that cannot be opened.
void start_logging(const std::string& level, const std::optional<std::string>& file);

void log_debug(const std::string& message);
void log_info(const std::string& message);
void log_warning(const std::string& message);
/// Errors reach the log as well; the message on stderr is printed by run.cpp whatever the level.
void log_error(const std::string& message);

}  // namespace linefill::app
