// SPDX-License-Identifier: Apache-2.0
// One table, written as columns of text, as CSV, as JSON or as Markdown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linefill::measure {

/// A value in its two forms.
struct Cell {
    std::string text;
    std::string csv;
    bool is_number = false;
};

[[nodiscard]] Cell word(std::string_view text);
[[nodiscard]] Cell count(std::uint64_t value);
/// With `decimals` in text and 6 significant digits in CSV. Not-a-number: "-" and an empty field.
[[nodiscard]] Cell number(double value, int decimals);
/// The place of a number that there is not: empty, in JSON null.
[[nodiscard]] Cell blank();
/// 100 × part ÷ whole; not-a-number without a whole.
[[nodiscard]] double percent_of(double part, double whole);
/// Nothing in text, the number in CSV, if it is 0 to the precision of the text.
[[nodiscard]] Cell number_or_blank(double value, int decimals);

class Table;
/// `table` in a form for programs: "csv", or "json", an array.
[[nodiscard]] std::string data_text(const Table& table, std::string_view format);

class Table {
public:
    struct Column {
        std::string heading;  ///< in text; empty: not there
        std::string name;     ///< in CSV and JSON; empty: not there
        bool is_left = false;
    };

    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    /// A row has a cell for each column; std::logic_error otherwise.
    void add(std::vector<Cell> row);
    /// A line of dashes, in text only.
    void rule();

    /// Columns two blanks apart, `indent` blanks before them, none at the end of a line.
    [[nodiscard]] std::string text(unsigned indent = 0) const;
    [[nodiscard]] std::string csv() const;
    /// Without the line of names, to go on with another table.
    [[nodiscard]] std::string csv_rows() const;
    /// One object a row, a row a line, commas between them, each line behind `indent` blanks; the names
    /// are those of CSV. Numbers are numbers, a missing one is null.
    [[nodiscard]] std::string json(unsigned indent) const;
    /// The columns of text.
    [[nodiscard]] std::string markdown() const;

private:
    std::vector<Column> columns_;
    std::vector<std::vector<Cell>> rows_;  // an empty one is a rule
};

}  // namespace linefill::measure
