// SPDX-License-Identifier: Apache-2.0
// Comma-separated text taken apart, with the place of every record for messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace linefill::measure {

struct CsvRecord {
    /// The line on which the record starts, from 1.
    int line = 0;
    std::vector<std::string> fields;
};

/// The records of `text`: fields between commas, in double quotes where they hold a comma, a quote
/// (doubled) or a line break. Lines end in LF or CRLF; empty lines are passed over, as is a byte
/// order mark. Throws UserError, naming `file` and the line, for a quote that is misplaced or never
/// closed and for a NUL byte.
[[nodiscard]] std::vector<CsvRecord> read_csv(std::string_view text, const std::string& file);

}  // namespace linefill::measure
