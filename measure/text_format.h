// SPDX-License-Identifier: Apache-2.0
// Numbers and columns as text, the same bytes in every locale; nothing here reads the C locale.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linefill::measure {

/// `value` with `decimals` digits after the point, correctly rounded: printf's %.*f in the C
/// locale. Not-a-number and the infinities are "nan", "inf", "-inf".
[[nodiscard]] std::string fixed(double value, int decimals);

/// As fixed(), with a comma between groups of three digits before the point, as the C library
/// prints %'.*f in an English locale.
[[nodiscard]] std::string grouped(double value, int decimals);

/// `value` with `digits` significant digits, trailing zeros dropped, an exponent where it is
/// shorter: printf's %.*g in the C locale.
[[nodiscard]] std::string significant(double value, int digits);

/// `value` without an exponent: whole above 10^`digits`, otherwise with as many decimals as make
/// up `digits` significant digits (at most 9). Trailing zeros stay, so that columns line up.
[[nodiscard]] std::string plain_digits(double value, int digits);

/// The shortest text that reads back as the same double.
[[nodiscard]] std::string shortest(double value);

/// `text` filled up with blanks to `width`, at its left (to right-align) or at its right; a longer
/// one is left whole.
[[nodiscard]] std::string right_aligned(std::string_view text, int width);
[[nodiscard]] std::string left_aligned(std::string_view text, int width);

/// The finite number that the whole of `text` spells; nothing if it spells none.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

/// `text` cut at each `separator`; always at least one piece.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);

/// `words` with `separator` between them.
[[nodiscard]] std::string joined(const std::vector<std::string>& words, std::string_view separator);

/// One field of a CSV line: in double quotes (those inside doubled) if it has to be.
[[nodiscard]] std::string csv_field(std::string_view text);

/// `text` between double quotes with JSON's escapes.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace linefill::measure
