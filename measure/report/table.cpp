// SPDX-License-Identifier: Apache-2.0
#include "measure/report/table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "measure/text_format.h"

namespace linefill::measure {

namespace {

constexpr int kCsvDigits = 6;
constexpr std::size_t kGap = 2;

// A bar would end the cell.
std::string markdown_cell(const std::string& text) {
    std::string escaped;
    for (const char letter : text) {
        if (letter == '|') escaped += '\\';
        escaped += letter;
    }
    return escaped;
}

}  // namespace

Cell word(std::string_view text) { return {std::string(text), std::string(text)}; }

Cell count(std::uint64_t value) {
    const std::string text = std::to_string(value);
    return {text, text, true};
}

Cell number(double value, int decimals) {
    if (!std::isfinite(value)) return {"-", "", true};
    std::string text = fixed(value, decimals);
    // A tiny negative number is no "-0.0".
    if (text.find_first_not_of("-0.") == std::string::npos && text.front() == '-') text.erase(0, 1);
    return {text, significant(value, kCsvDigits), true};
}

double percent_of(double part, double whole) {
    constexpr double kPercent = 100;
    return whole != 0 ? kPercent * part / whole : std::numeric_limits<double>::quiet_NaN();
}

Cell number_or_blank(double value, int decimals) {
    Cell cell = number(value, decimals);
    if (cell.text.find_first_not_of("-0.") == std::string::npos) cell.text.clear();
    return cell;
}

Cell blank() { return {"", "", true}; }

std::string data_text(const Table& table, std::string_view format) {
    if (format == "csv") return table.csv();
    if (format != "json") throw std::logic_error("a format that is not for programs");
    const std::string rows = table.json(2);
    return rows.empty() ? "[]" : "[\n" + rows + "\n ]";
}

void Table::add(std::vector<Cell> row) {
    if (row.size() != columns_.size()) throw std::logic_error("a row has a cell for each column");
    rows_.push_back(std::move(row));
}

void Table::rule() { rows_.emplace_back(); }

std::string Table::text(unsigned indent) const {
    std::vector<std::size_t> widths;
    std::size_t total = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        std::size_t width = columns_[i].heading.size();
        for (const auto& row : rows_) {
            if (!row.empty()) width = std::max(width, row[i].text.size());
        }
        widths.push_back(width);
        if (!columns_[i].heading.empty()) total += width + (total == 0 ? 0 : kGap);
    }
    std::string text;
    const auto append_line = [&](auto&& text_of) {
        std::string line(indent, ' ');
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (columns_[i].heading.empty()) continue;
            if (line.size() > indent) line.append(kGap, ' ');
            const auto width = static_cast<int>(widths[i]);
            line += columns_[i].is_left ? left_aligned(text_of(i), width)
                                        : right_aligned(text_of(i), width);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    };
    append_line([&](std::size_t i) { return columns_[i].heading; });
    for (const auto& row : rows_) {
        if (row.empty()) {
            text += std::string(indent, ' ') + std::string(total, '-') + '\n';
        } else {
            append_line([&](std::size_t i) { return row[i].text; });
        }
    }
    return text;
}

std::string Table::csv() const {
    std::string names;
    for (const Column& column : columns_) {
        if (!column.name.empty()) names += (names.empty() ? "" : ",") + csv_field(column.name);
    }
    return names + '\n' + csv_rows();
}

std::string Table::csv_rows() const {
    std::string text;
    const auto append_line = [&](auto&& field_of) {
        bool is_first = true;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (columns_[i].name.empty()) continue;
            if (!is_first) text += ',';
            is_first = false;
            text += csv_field(field_of(i));
        }
        text += '\n';
    };
    for (const auto& row : rows_) {
        if (!row.empty()) append_line([&](std::size_t i) { return row[i].csv; });
    }
    return text;
}

std::string Table::json(unsigned indent) const {
    std::string text;
    for (const auto& row : rows_) {
        if (row.empty()) continue;
        std::string members;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (columns_[i].name.empty()) continue;
            const Cell& cell = row[i];
            const std::string value = !cell.is_number    ? json_string(cell.csv)
                                      : cell.csv.empty() ? "null"
                                                         : cell.csv;
            members += (members.empty() ? "" : ", ") + json_string(columns_[i].name) + ": " + value;
        }
        text += (text.empty() ? "" : ",\n") + std::string(indent, ' ') + '{' + members + '}';
    }
    return text;
}

std::string Table::markdown() const {
    std::string heading;
    std::string rule;
    for (const Column& column : columns_) {
        if (column.heading.empty()) continue;
        heading += "| " + markdown_cell(column.heading) + ' ';
        rule += column.is_left ? "|---" : "|--:";
    }
    std::string text = heading + "|\n" + rule + "|\n";
    for (const auto& row : rows_) {
        if (row.empty()) continue;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (!columns_[i].heading.empty()) text += "| " + markdown_cell(row[i].text) + ' ';
        }
        text += "|\n";
    }
    return text;
}

}  // namespace linefill::measure
