// SPDX-License-Identifier: Apache-2.0
// The exceptions of Linefill, one class per exit code, and the wording of messages about bad input.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace linefill::model {

/// Exit codes of the command for the errors below.
inline constexpr int kExitUserError = 2;
inline constexpr int kExitSimulationError = 3;
inline constexpr int kExitInternalError = 4;

/// The user's input is wrong; nothing has run. The message is one line, put together from what the
/// thrower knows, in this order:
///
///     FILE:LINE: WHAT: KEY = VALUE; expected EXPECTED; did you mean "NEAREST"?
///
/// Parts are added by chained calls:
///
///     throw UserError("size does not divide into sets")
///         .file("my.toml").line(12).key("cache.l1d.size").value("33KiB")
///         .expected("a multiple of ways x line (512 bytes)");
///
/// A caller that knows more than the thrower (say, the file) may catch, add it, and rethrow.
class UserError : public std::runtime_error {
public:
    /// `what` says what is wrong, in lower case and without a full stop: "unknown platform".
    explicit UserError(std::string what);

    /// The file at fault, as the user wrote its name.
    UserError& file(std::string name);
    /// The line in that file, from 1; 0 for not known.
    UserError& line(int number);
    /// The key, option or argument at fault: "cache.l1d.ways", "--threads".
    UserError& key(std::string name);
    /// What was given, as the user wrote it.
    UserError& value(std::string text);
    /// What would have been right: "a size with a unit, such as 32KiB".
    UserError& expected(std::string text);
    /// Adds the known name nearest to `word`, if one is near enough to be meant.
    UserError& nearest(std::string_view word, const std::vector<std::string>& known);

    /// The whole message, one line without a newline. Bytes that a terminal would act on, newlines
    /// included, are shown as \xNN.
    [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

    [[nodiscard]] const std::string& problem() const { return problem_; }
    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] int line() const { return line_; }
    [[nodiscard]] const std::string& key() const { return key_; }

private:
    void compose();

    std::string problem_;
    std::string file_;
    int line_ = 0;
    std::string key_;
    std::optional<std::string> value_;
    std::string expected_;
    std::string nearest_;
    std::string message_;
};

/// The simulated system failed: a panic, a deadlock, an identity of the counters that does not
/// hold. what() is one line; report() may have many (who waits for what) and ends without newline.
class SimulationError : public std::runtime_error {
public:
    explicit SimulationError(const std::string& what, std::string report = {});

    [[nodiscard]] const std::string& report() const { return report_; }

private:
    std::string report_;
};

/// Linefill itself is wrong, or the host failed it (an output that fills up while written).
class InternalError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Number of insertions, deletions, substitutions and swaps of neighbours (each 1, letters compared
/// without case) that turn `from` into `to`.
[[nodiscard]] int edit_distance(std::string_view from, std::string_view to);

/// The candidate nearest to `word`, the first of equals in the order given; nothing if none is near
/// enough to be meant: at most a third of the longer name's letters changed, or one containing the
/// other from a word of three letters on.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view word,
                                                      const std::vector<std::string>& candidates);

}  // namespace linefill::model
