// SPDX-License-Identifier: Apache-2.0
// Specs as people read them.
#include "measure/run_spec.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace linefill::measure {
namespace {

bool is_plain(char c) {
    constexpr std::string_view kPlain = "-_./,:=+@%^~";
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           kPlain.find(c) != std::string_view::npos;
}

std::string quoted(const std::string& word) {
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
    std::string text = "'";
    for (const char c : word) {
        if (c == '\'') {
            text += "'\\''";
        } else {
            text += c;
        }
    }
    return text + "'";
}

}  // namespace

const std::vector<std::string>& count_scope_names() {
    static const std::vector<std::string> kNames = {"workload", "system", "cpu",
                                                    "socket",   "core",   "thread"};
    return kNames;
}

std::string command_line(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) {
        if (!line.empty()) line += ' ';
        line += quoted(word);
    }
    return line;
}

std::string describe(const RunSpec& spec) {
    std::string text = command_line(spec.workload) + " on " + spec.platform + ", " + spec.kernel;
    for (const std::string& set : spec.overrides) text += ", " + set;
    for (const std::string& option : spec.config) text += ", " + option;
    if (!spec.boot.empty()) text += ", " + spec.boot;
    return text + ", seed " + std::to_string(spec.seed);
}

}  // namespace linefill::measure
