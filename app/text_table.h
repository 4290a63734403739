// SPDX-License-Identifier: Apache-2.0
// Columns of words, as list and show print them.
#pragma once

#include <string>
#include <vector>

namespace linefill::app {

/// One line per row; all columns but the last are filled up to their widest cell, two blanks apart.
/// Each line begins with `indent` blanks and has none at its end.
[[nodiscard]] std::string text_table(const std::vector<std::vector<std::string>>& rows,
                                     unsigned indent = 0);

/// `text` broken into lines of at most `width` columns, each after `indent` blanks.
[[nodiscard]] std::string wrapped(const std::string& text, unsigned indent, unsigned width = 96);

/// "a, b, c", or `otherwise` for none.
[[nodiscard]] std::string comma_list(const std::vector<std::string>& words,
                                     const std::string& otherwise = "none");

}  // namespace linefill::app
