// SPDX-License-Identifier: Apache-2.0
// Where results go: a file that is opened before anything runs, or one of the standard streams.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace linefill::app {

/// Whole texts to a standard stream. Throws InternalError if stdout cannot be written; a failing
/// stderr leaves nobody to tell.
void write_stdout(std::string_view text);
void write_stderr(std::string_view text) noexcept;

/// The file of -o, or a standard stream without one.
class Output {
public:
    enum class Stream { kStdout, kStderr };

    /// Opens (and empties) the file. Throws UserError if that fails.
    Output(const std::optional<std::string>& file, Stream otherwise);
    ~Output();
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    /// Passes `text` on at once. A file that fails while written is noted, not thrown: finish()
    /// tells, so that nothing that is still to come is lost.
    void write(std::string_view text);

    /// To be called once, after the last text. If the file failed, all that was written goes to
    /// stdout instead, and InternalError is thrown.
    void finish();

    [[nodiscard]] bool is_file() const { return descriptor_ >= 0; }

private:
    std::string name_;
    Stream otherwise_;
    int descriptor_ = -1;
    std::string written_;  ///< kept for the case that the file fails
    int failure_ = 0;      ///< errno of the first failure
};

}  // namespace linefill::app
