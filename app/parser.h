// SPDX-License-Identifier: Apache-2.0
// The options of one command. CLI11 reads them; this class adds where options end and words its
// complaints as all others are worded.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linefill::app {

/// What stands on a command line beside the options.
struct Words {
    /// Words that the command took as its own: a patch, a report's kind.
    std::vector<std::string> subjects;
    /// All behind `--`, or from the first word that is neither an option nor a subject.
    std::vector<std::string> rest;
};

/// Thrown by Parser::parse for --help; what() is the text to print.
struct HelpRequested {
    std::string text;
};

class Parser {
public:
    /// `command` is "stat"; `usage` what follows it in the first line of the help.
    Parser(const std::string& command, const std::string& summary, const std::string& usage);
    ~Parser();
    Parser(const Parser&) = delete;
    Parser& operator=(const Parser&) = delete;

    // Names are as CLI11 has them: "-r,--repeat". Targets keep their values for options not given,
    // and must live until parse() is done.

    void flag(const std::string& names, bool& target, const std::string& help);
    /// A flag that sets `target` to `value`; of several with one target the last counts.
    void setting(const std::string& names, std::string& target, const std::string& value,
                 const std::string& help);
    /// A flag that may be repeated, as -ddd.
    void counted_flag(const std::string& names, int& target, const std::string& help);
    /// Of several the last counts.
    void text(const std::string& names, std::string& target, const std::string& value,
              const std::string& help);
    void text(const std::string& names, std::optional<std::string>& target,
              const std::string& value, const std::string& help);
    /// May be given several times; each adds one value.
    void texts(const std::string& names, std::vector<std::string>& target, const std::string& value,
               const std::string& help);
    /// A whole number from `min` to `max`.
    void number(const std::string& names, std::uint64_t& target, std::uint64_t min,
                std::uint64_t max, const std::string& value, const std::string& help);
    void number(const std::string& names, std::optional<std::uint64_t>& target, std::uint64_t min,
                std::uint64_t max, const std::string& value, const std::string& help);
    /// One of `choices`.
    void choice(const std::string& names, std::string& target,
                const std::vector<std::string>& choices, const std::string& help);
    /// The options that follow stand under this title in the help.
    void group(const std::string& title);

    /// Whether the word that comes next belongs to the command itself; without this none does.
    using SubjectTest =
        std::function<bool(const std::string& word, const std::vector<std::string>& so_far)>;
    void subjects(SubjectTest test);

    /// Throws UserError for what cannot be understood, HelpRequested for -h and --help.
    Words parse(const std::vector<std::string>& arguments);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// A whole number as an option takes it. Throws UserError that names `option`.
[[nodiscard]] std::uint64_t parse_whole(std::string_view text, const std::string& option,
                                        std::uint64_t min, std::uint64_t max);

}  // namespace linefill::app
