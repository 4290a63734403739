// SPDX-License-Identifier: Apache-2.0
// Works on lines: what stands here was written by write_run_config, and the TOML reader checks the rest.
#include "measure/config_sections.h"

#include <algorithm>

#include "measure/text_format.h"

namespace linefill::measure {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines = split(text, '\n');
    if (!lines.empty() && lines.back().empty()) lines.pop_back();
    return lines;
}

/// Of a section's line the number of brackets that it begins with, else 0.
std::size_t brackets_of(const std::string& line) {
    return line.rfind("[[", 0) == 0 ? 2 : line.rfind('[', 0) == 0 ? 1 : 0;
}

/// The first part of a section's name.
std::string root_of(const std::string& line) {
    const std::size_t begin = brackets_of(line);
    return line.substr(begin, line.find_first_of(".]", begin) - begin);
}

}  // namespace

std::string nested_sections(const std::string& text, const std::string& name) {
    std::string nested;
    for (const std::string& line : lines_of(text)) {
        const std::size_t brackets = brackets_of(line);
        nested += line.substr(0, brackets);
        if (brackets != 0) nested += name + ".";
        nested += line.substr(brackets) + "\n";
    }
    return nested;
}

std::string sections_below(const std::string& text, const std::string& name) {
    std::string below;
    bool inside = false;
    for (const std::string& line : lines_of(text)) {
        const std::size_t brackets = brackets_of(line);
        if (brackets != 0) inside = root_of(line) == name;
        const std::size_t rest = brackets + name.size();
        if (inside && brackets == 0) {
            below += line;
        } else if (inside && line.compare(rest, 1, ".") == 0) {
            below += line.substr(0, brackets) + line.substr(rest + 1);
        }
        below += '\n';
    }
    return below;
}

std::vector<std::string> section_roots(const std::string& text) {
    std::vector<std::string> roots;
    for (const std::string& line : lines_of(text)) {
        if (brackets_of(line) == 0) continue;
        const std::string root = root_of(line);
        if (std::find(roots.begin(), roots.end(), root) == roots.end()) roots.push_back(root);
    }
    return roots;
}

}  // namespace linefill::measure
