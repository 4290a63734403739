// SPDX-License-Identifier: Apache-2.0
// The only file that knows CLI11.
#include "app/parser.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include <CLI/CLI.hpp>

#include "model/sim/error.h"

namespace linefill::app {
namespace {

using model::UserError;

std::vector<std::string> split_names(const std::string& names) {
    std::vector<std::string> parts;
    std::size_t start = 0;
    while (start <= names.size()) {
        const std::size_t comma = std::min(names.find(',', start), names.size());
        parts.push_back(names.substr(start, comma - start));
        start = comma + 1;
    }
    return parts;
}

}  // namespace

struct Parser::Impl {
    explicit Impl(const std::string& command, const std::string& summary, const std::string& usage)
        : cli(summary, "linefill " + command) {
        cli.usage_line = usage;
    }

    /// CLI11 prints its own idea of a usage line, which knows nothing of what follows the options.
    struct App : CLI::App {
        App(const std::string& summary, const std::string& name) : CLI::App(summary, name) {}
        std::string usage_line;
    };

    CLI::Option* remember(CLI::Option* option, const std::string& names, bool takes_value) {
        for (const std::string& name : split_names(names)) {
            takes[name] = takes_value;
            if (name.size() > 2) long_names.push_back(name);
        }
        if (!group.empty()) option->group(group);
        if (takes_value) option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
        return option;
    }

    /// The number of words that the option `argument` takes, itself included.
    std::size_t length_of(const std::vector<std::string>& arguments, std::size_t at) const {
        const std::string& argument = arguments[at];
        const auto need_value = [&](const std::string& name) -> std::size_t {
            if (at + 1 >= arguments.size())
                throw UserError("an option without its value").key(name);
            return 2;
        };
        if (argument.rfind("--", 0) == 0) {
            const std::size_t equals = argument.find('=');
            const std::string name = argument.substr(0, equals);
            const auto known = takes.find(name);
            if (known == takes.end()) throw unknown(name);
            if (equals == std::string::npos) return known->second ? need_value(name) : 1;
            if (!known->second) {
                throw UserError("an option that takes no value has one").key(argument);
            }
            return 1;
        }
        for (std::size_t i = 1; i < argument.size(); ++i) {
            const std::string name = {'-', argument[i]};
            const auto known = takes.find(name);
            if (known == takes.end()) throw unknown(name).value(argument);
            if (known->second) return i + 1 < argument.size() ? 1 : need_value(name);
        }
        return 1;
    }

    void number(const std::string& names, const std::function<void(std::uint64_t)>& set,
                std::uint64_t min, std::uint64_t max, const std::string& value,
                const std::string& help) {
        const std::string name = split_names(names).back();
        const auto store = [set, name, min, max](const std::string& text) {
            set(parse_whole(text, name, min, max));
        };
        remember(cli.add_option_function<std::string>(names, store, help), names, true)
            ->type_name(value);
    }

    [[nodiscard]] UserError unknown(const std::string& name) const {
        return UserError("unknown option").key(name).nearest(name, long_names);
    }

    App cli;
    std::string group;
    std::map<std::string, bool> takes = {{"-h", false}, {"--help", false}};
    std::vector<std::string> long_names = {"--help"};
    SubjectTest is_subject;
};

Parser::Parser(const std::string& command, const std::string& summary, const std::string& usage)
    : impl_(std::make_unique<Impl>(command, summary, usage)) {}

Parser::~Parser() = default;

void Parser::flag(const std::string& names, bool& target, const std::string& help) {
    impl_->remember(impl_->cli.add_flag(names, target, help), names, false);
}

void Parser::setting(const std::string& names, std::string& target, const std::string& value,
                     const std::string& help) {
    const auto set = [&target, value] { target = value; };
    // On parse: in the order of the command line, not of the definitions.
    impl_->remember(impl_->cli.add_flag_callback(names, set, help)->trigger_on_parse(), names,
                    false);
}

void Parser::counted_flag(const std::string& names, int& target, const std::string& help) {
    impl_->remember(impl_->cli.add_flag(names, target, help), names, false);
}

void Parser::text(const std::string& names, std::string& target, const std::string& value,
                  const std::string& help) {
    impl_->remember(impl_->cli.add_option(names, target, help), names, true)->type_name(value);
}

void Parser::text(const std::string& names, std::optional<std::string>& target,
                  const std::string& value, const std::string& help) {
    const auto store = [&target](const std::string& text) { target = text; };
    impl_->remember(impl_->cli.add_option_function<std::string>(names, store, help), names, true)
        ->type_name(value);
}

void Parser::texts(const std::string& names, std::vector<std::string>& target,
                   const std::string& value, const std::string& help) {
    impl_->remember(impl_->cli.add_option(names, target, help), names, true)
        ->type_name(value)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void Parser::number(const std::string& names, std::uint64_t& target, std::uint64_t min,
                    std::uint64_t max, const std::string& value, const std::string& help) {
    impl_->number(
        names, [&target](std::uint64_t number) { target = number; }, min, max, value, help);
}

void Parser::number(const std::string& names, std::optional<std::uint64_t>& target,
                    std::uint64_t min, std::uint64_t max, const std::string& value,
                    const std::string& help) {
    impl_->number(
        names, [&target](std::uint64_t number) { target = number; }, min, max, value, help);
}

void Parser::choice(const std::string& names, std::string& target,
                    const std::vector<std::string>& choices, const std::string& help) {
    std::string list;
    for (const std::string& word : choices) list += (list.empty() ? "" : "|") + word;
    const std::string name = split_names(names).back();
    const auto store = [&target, name, choices](const std::string& text) {
        if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
            std::string expected = "one of";
            for (const std::string& word : choices) {
                expected += (expected == "one of" ? " " : ", ") + word;
            }
            throw UserError("unknown word")
                .key(name)
                .value(text)
                .expected(expected)
                .nearest(text, choices);
        }
        target = text;
    };
    impl_->remember(impl_->cli.add_option_function<std::string>(names, store, help), names, true)
        ->type_name(list);
}

void Parser::group(const std::string& title) { impl_->group = title; }

void Parser::subjects(SubjectTest test) { impl_->is_subject = std::move(test); }

Words Parser::parse(const std::vector<std::string>& arguments) {
    Words words;
    std::vector<std::string> options;
    std::size_t at = 0;
    while (at < arguments.size()) {
        const std::string& word = arguments[at];
        if (word == "--") {
            words.rest.assign(arguments.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                              arguments.end());
            break;
        }
        if (word.size() > 1 && word[0] == '-') {
            const std::size_t length = impl_->length_of(arguments, at);
            options.insert(options.end(), arguments.begin() + static_cast<std::ptrdiff_t>(at),
                           arguments.begin() + static_cast<std::ptrdiff_t>(at + length));
            at += length;
        } else if (impl_->is_subject && impl_->is_subject(word, words.subjects)) {
            words.subjects.push_back(word);
            ++at;
        } else {
            words.rest.assign(arguments.begin() + static_cast<std::ptrdiff_t>(at), arguments.end());
            break;
        }
    }
    // CLI11 takes its words from the back.
    std::reverse(options.begin(), options.end());
    try {
        impl_->cli.parse(std::move(options));
    } catch (const CLI::CallForHelp&) {
        // With a name, CLI11's usage line is the name alone; ours takes its place.
        const std::string text = impl_->cli.help();
        const std::size_t usage = text.find("Usage:");
        const std::size_t end = text.find('\n', usage);
        throw HelpRequested{text.substr(0, usage) + "Usage: " + impl_->cli.get_name() + " " +
                            impl_->cli.usage_line + text.substr(end)};
    } catch (const CLI::ParseError& error) {
        throw UserError(error.what());
    }
    return words;
}

std::uint64_t parse_whole(std::string_view text, const std::string& option, std::uint64_t min,
                          std::uint64_t max) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < min || number > max) {
        throw UserError("not a number that fits")
            .key(option)
            .value(std::string(text))
            .expected("a whole number from " + std::to_string(min) + " to " + std::to_string(max));
    }
    return number;
}

}  // namespace linefill::app
