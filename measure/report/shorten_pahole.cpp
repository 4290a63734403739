// SPDX-License-Identifier: Apache-2.0
#include "measure/report/shorten_pahole.h"

#include <string_view>
#include <vector>

#include "measure/text_format.h"

namespace linefill::measure {
namespace {

constexpr std::size_t kShortText = 40;  // lines that are printed whole
constexpr std::size_t kShortGap = 3;    // members without heat that stay in place

bool contains(std::string_view line, std::string_view part) {
    return line.find(part) != std::string_view::npos;
}

bool ends_with(std::string_view line, std::string_view tail) {
    return line.size() >= tail.size() && line.substr(line.size() - tail.size()) == tail;
}

bool is_member(std::string_view line) { return contains(line, ";") && contains(line, "/*"); }

bool has_heat(std::string_view line) { return is_member(line) && !ends_with(line, "*/"); }

/// Which lines stay: the frame of the structure, hot members, and the braces around them.
std::vector<bool> kept_lines(const std::vector<std::string>& lines) {
    std::vector<bool> kept(lines.size(), false);
    std::vector<std::size_t> open;
    std::vector<bool> is_hot;  // of the open braces
    bool in_summary = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const bool closes = contains(lines[i], "}");
        if (has_heat(lines[i])) {
            kept[i] = true;
            is_hot.assign(is_hot.size(), true);
        }
        if (ends_with(lines[i], "{")) {
            open.push_back(i);
            is_hot.push_back(false);
        } else if (closes && !open.empty()) {
            if (is_hot.back() || open.size() == 1) kept[i] = kept[open.back()] = true;
            open.pop_back();
            is_hot.pop_back();
        }
        in_summary = in_summary || contains(lines[i], "/* size: ");
        if (i == 1 || in_summary) kept[i] = true;  // the heading of the column, and the end
    }
    return kept;
}

}  // namespace

std::string shorten_pahole(const std::string& text) {
    std::vector<std::string> lines = split(text, '\n');
    if (!lines.empty() && lines.back().empty()) lines.pop_back();
    if (lines.size() <= kShortText) return text;
    const std::vector<bool> kept = kept_lines(lines);
    std::string result;
    std::vector<std::string> cold;
    const auto flush = [&] {
        std::size_t members = 0;
        for (const std::string& line : cold) members += is_member(line) ? 1 : 0;
        if (members > kShortGap) {
            result += "\t/* ... " + std::to_string(members) + " members without access ... */\n";
            // The boundary that the next member stands behind, and the blank line of the end.
            const std::string& last = cold.back();
            if (last.empty() || contains(last, "--- cacheline")) result += last + '\n';
        } else {
            for (const std::string& line : cold) result += line + '\n';
        }
        cold.clear();
    };
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!kept[i]) {
            cold.push_back(lines[i]);
            continue;
        }
        flush();
        result += lines[i] + '\n';
    }
    flush();
    return result;
}

}  // namespace linefill::measure
