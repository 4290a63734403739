// SPDX-License-Identifier: Apache-2.0
// Runs the built command as a user would, and keeps what it printed.
#pragma once

#include <string>
#include <vector>

namespace linefill::app {

struct CommandResult {
    int exit_code = 0;  ///< 128 + signal if one ended it
    std::string out;
    std::string err;
};

struct CommandOptions {
    std::string directory;                 ///< to start it in; empty: here
    std::vector<std::string> environment;  ///< NAME=VALUE, added
    std::string stdout_file;               ///< instead of being captured
    /// SIGINT is sent when the captured output (both streams together) holds this text.
    std::string interrupt_when;
    unsigned interrupts = 1;  ///< how often, one directly after the other
};

/// Runs linefill with `arguments` and waits for its end.
[[nodiscard]] CommandResult run_linefill(const std::vector<std::string>& arguments,
                                         const CommandOptions& options = {});

/// The same for any program, found by its path.
[[nodiscard]] CommandResult run_program(const std::string& program,
                                        const std::vector<std::string>& arguments,
                                        const CommandOptions& options = {});

/// A new empty folder that vanishes with the object.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    /// Writes a file in it and returns its path.
    [[nodiscard]] std::string file(const std::string& name, const std::string& text) const;

private:
    std::string path_;
};

[[nodiscard]] std::string read_file(const std::string& path);

}  // namespace linefill::app
