// SPDX-License-Identifier: Apache-2.0
// From the words of a workload's command to its arguments, and from lists in them to rows.
#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "kernel/version.h"
#include "model/sim/error.h"
#include "scenarios/workload.h"

namespace linefill::scenarios {
namespace {

using model::UserError;

const ArgumentSpec* find_flag(const WorkloadKind& kind, const std::string& word) {
    for (const ArgumentSpec& a : kind.arguments()) {
        if (word == a.flag || (!a.alias.empty() && word == a.alias)) return &a;
    }
    return nullptr;
}

UserError unknown_word(const WorkloadKind& kind, const std::string& word) {
    std::vector<std::string> known;
    std::string usage;
    for (const ArgumentSpec& a : kind.arguments()) {
        known.push_back(a.flag);
        if (!a.alias.empty()) known.push_back(a.alias);
        const std::string one = a.flag + " " + a.value;
        usage += (usage.empty() ? "" : " ") + (a.required ? one : "[" + one + "]");
    }
    UserError error(word.rfind('-', 0) == 0 ? "unknown option of " + kind.name()
                                            : "unexpected word after " + kind.name());
    error.value(word).expected(usage).nearest(word, known);
    return error;
}

std::string allowed(const ArgumentSpec& a) {
    return "a whole number from " + std::to_string(a.min) + " to " + std::to_string(a.max);
}

std::uint64_t parse_value(const WorkloadKind& kind, const ArgumentSpec& a,
                          const std::string& text) {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value);
    if (text.empty() || failure != std::errc{} || stop != end || value < a.min || value > a.max) {
        UserError error("bad argument of " + kind.name());
        error.key(a.flag).value(text).expected(allowed(a));
        throw error;
    }
    return value;
}

/// Values given for one argument; more than one only where that makes rows.
using Given = std::map<std::string, std::vector<std::uint64_t>>;

std::vector<std::uint64_t> parse_list(const WorkloadKind& kind, const ArgumentSpec& a,
                                      const std::string& text) {
    std::vector<std::uint64_t> values;
    std::size_t from = 0;
    for (;;) {
        const std::size_t comma = a.makes_rows ? text.find(',', from) : std::string::npos;
        const std::string one = text.substr(from, comma - from);
        const std::uint64_t value = parse_value(kind, a, one);
        if (std::find(values.begin(), values.end(), value) != values.end()) {
            UserError error("value given twice in a list of " + kind.name());
            error.key(a.flag).value(text);
            throw error;
        }
        values.push_back(value);
        if (comma == std::string::npos) return values;
        from = comma + 1;
    }
}

Given parse_words(const WorkloadKind& kind, const std::vector<std::string>& words) {
    Given given;
    for (std::size_t i = 1; i < words.size(); ++i) {
        std::string flag = words[i];
        std::optional<std::string> text;
        if (const std::size_t eq = flag.find('='); flag.rfind("--", 0) == 0 && eq != flag.npos) {
            text = flag.substr(eq + 1);
            flag.resize(eq);
        }
        const ArgumentSpec* a = find_flag(kind, flag);
        if (a == nullptr) throw unknown_word(kind, words[i]);
        if (!text) {
            if (i + 1 == words.size()) {
                UserError error("argument without a value, of " + kind.name());
                error.key(a->flag).expected(allowed(*a));
                throw error;
            }
            text = words[++i];
        }
        if (given.count(a->flag) != 0) {
            UserError error("argument given twice, of " + kind.name());
            error.key(a->flag).value(*text);
            throw error;
        }
        given[a->flag] = parse_list(kind, *a, *text);
    }
    for (const ArgumentSpec& a : kind.arguments()) {
        if (a.required && given.count(a.flag) == 0) {
            UserError error("missing argument of " + kind.name());
            error.key(a.flag).expected(allowed(a));
            throw error;
        }
    }
    return given;
}

}  // namespace

std::vector<std::string> split_command(const std::string& command) {
    std::vector<std::string> words;
    std::string word;
    bool in_word = false;
    char quote = 0;
    for (const char c : command) {
        if (quote != 0) {
            if (c == quote) {
                quote = 0;
            } else {
                word += c;
            }
        } else if (c == '\'' || c == '"') {
            quote = c;
            in_word = true;
        } else if (c == ' ' || c == '\t') {
            if (in_word) words.push_back(std::exchange(word, {}));
            in_word = false;
        } else {
            word += c;
            in_word = true;
        }
    }
    if (quote != 0) {
        UserError error("quote without an end in a command");
        error.value(command);
        throw error;
    }
    if (in_word) words.push_back(word);
    return words;
}

std::vector<std::unique_ptr<Workload>> expand_rows(const std::vector<std::string>& words) {
    if (words.empty()) {
        UserError error("no workload given");
        error.expected("a command after --, such as pound_clock_gettime --threads 48");
        throw error;
    }
    const WorkloadKind& kind = WorkloadRegistry::instance().find(words.front());
    const Given given = parse_words(kind, words);

    std::vector<Arguments> rows(1);
    for (const ArgumentSpec& a : kind.arguments()) {
        const auto at = given.find(a.flag);
        if (at == given.end()) continue;
        std::vector<Arguments> longer;
        for (const Arguments& row : rows) {
            for (const std::uint64_t value : at->second) {
                longer.push_back(row);
                longer.back()[a.flag] = value;
            }
        }
        rows = std::move(longer);
    }
    std::vector<std::unique_ptr<Workload>> workloads;
    for (const Arguments& row : rows) workloads.push_back(kind.make(row));
    return workloads;
}

std::unique_ptr<Workload> parse_workload(const std::vector<std::string>& words) {
    std::vector<std::unique_ptr<Workload>> rows = expand_rows(words);
    if (rows.size() != 1) {
        UserError error("a list of values makes rows, but one run is wanted here");
        error.value(words.front() + " " +
                    WorkloadRegistry::instance().find(words.front()).row_flag());
        throw error;
    }
    return std::move(rows.front());
}

}  // namespace linefill::scenarios
