// SPDX-License-Identifier: Apache-2.0
// Built on std::to_chars and std::from_chars, which know no locale.
#include "measure/text_format.h"

#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace linefill::measure {
namespace {

// The longest double has 309 digits before the point; decimals are few.
constexpr std::size_t kBufferSize = 512;

std::string non_finite(double value) {
    if (std::isnan(value)) {
        return "nan";
    }
    return value < 0 ? "-inf" : "inf";
}

}  // namespace

std::string fixed(double value, int decimals) {
    if (!std::isfinite(value)) {
        return non_finite(value);
    }
    std::array<char, kBufferSize> buffer{};
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                      std::chars_format::fixed, decimals);
    return {buffer.data(), result.ptr};
}

std::string grouped(double value, int decimals) {
    std::string text = fixed(value, decimals);
    if (!std::isfinite(value)) {
        return text;
    }
    const std::size_t first = text[0] == '-' ? 1 : 0;
    std::size_t position = text.find('.');
    if (position == std::string::npos) {
        position = text.size();
    }
    constexpr std::size_t kGroup = 3;
    while (position > first + kGroup) {
        position -= kGroup;
        text.insert(position, ",");
    }
    return text;
}

std::string significant(double value, int digits) {
    if (!std::isfinite(value)) {
        return non_finite(value);
    }
    std::array<char, kBufferSize> buffer{};
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                      std::chars_format::general, digits);
    return {buffer.data(), result.ptr};
}

std::string plain_digits(double value, int digits) {
    constexpr int kMostDecimals = 9;
    if (!std::isfinite(value) || value == 0) {
        return fixed(value, 0);
    }
    int decimals = digits - 1 - static_cast<int>(std::floor(std::log10(std::fabs(value))));
    decimals = decimals < 0 ? 0 : decimals;
    decimals = decimals > kMostDecimals ? kMostDecimals : decimals;
    return fixed(value, decimals);
}

std::string shortest(double value) {
    if (!std::isfinite(value)) {
        return non_finite(value);
    }
    std::array<char, kBufferSize> buffer{};
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), result.ptr};
}

std::string right_aligned(std::string_view text, int width) {
    std::string padded;
    if (static_cast<int>(text.size()) < width) {
        padded.assign(static_cast<std::size_t>(width) - text.size(), ' ');
    }
    return padded.append(text);
}

std::string left_aligned(std::string_view text, int width) {
    std::string padded(text);
    if (static_cast<int>(text.size()) < width) {
        padded.append(static_cast<std::size_t>(width) - text.size(), ' ');
    }
    return padded;
}

std::optional<double> parse_number(std::string_view text) {
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size() ||
        !std::isfinite(value)) {
        return std::nullopt;
    }
    return value;
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> pieces;
    std::size_t start = 0;
    for (;;) {
        const std::size_t end = text.find(separator, start);
        if (end == std::string_view::npos) {
            pieces.emplace_back(text.substr(start));
            return pieces;
        }
        pieces.emplace_back(text.substr(start, end - start));
        start = end + 1;
    }
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
    std::string text;
    for (const std::string& word : words) {
        if (!text.empty()) text += separator;
        text += word;
    }
    return text;
}

std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        return std::string(text);
    }
    std::string quoted = "\"";
    for (const char letter : text) {
        quoted += letter;
        if (letter == '"') {
            quoted += '"';
        }
    }
    return quoted + '"';
}

std::string json_string(std::string_view text) {
    constexpr std::string_view kHex = "0123456789abcdef";
    constexpr unsigned char kFirstPrintable = 0x20;
    std::string quoted = "\"";
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        if (letter == '"' || letter == '\\') {
            quoted += '\\';
            quoted += letter;
        } else if (byte < kFirstPrintable) {
            quoted += "\\u00";
            quoted += kHex[byte >> 4U];
            quoted += kHex[byte & 0xfU];
        } else {
            quoted += letter;
        }
    }
    return quoted + '"';
}

}  // namespace linefill::measure
