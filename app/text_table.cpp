// SPDX-License-Identifier: Apache-2.0
// Padding and wrapping.
#include "app/text_table.h"

#include <algorithm>

namespace linefill::app {

std::string text_table(const std::vector<std::vector<std::string>>& rows, unsigned indent) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()), 0);
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line(indent, ' ');
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += row[i];
            if (i + 1 < row.size()) line.append(widths[i] - row[i].size() + 2, ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string wrapped(const std::string& text, unsigned indent, unsigned width) {
    std::string result;
    std::string line;
    const auto end_line = [&] {
        if (!line.empty()) result += std::string(indent, ' ') + line + "\n";
        line.clear();
    };
    std::size_t start = 0;
    while (start < text.size()) {
        const std::size_t end = std::min(text.find(' ', start), text.size());
        const std::string word = text.substr(start, end - start);
        if (!line.empty() && indent + line.size() + 1 + word.size() > width) end_line();
        if (!word.empty()) line += (line.empty() ? "" : " ") + word;
        start = end + 1;
    }
    end_line();
    return result;
}

std::string comma_list(const std::vector<std::string>& words, const std::string& otherwise) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text.empty() ? otherwise : text;
}

}  // namespace linefill::app
