// SPDX-License-Identifier: Apache-2.0
// The shipped platform file as text, and ways to spoil it.
#pragma once

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/platform/load.h"
#include "model/sim/error.h"

namespace linefill::model {

inline const std::string& platforms_dir() {
    static const std::string kDir = std::string(LINEFILL_SOURCE_DIR) + "/platforms";
    return kDir;
}

inline std::string shipped_text() {
    std::ifstream file(platforms_dir() + "/xeon-snb-2s.toml");
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The shipped file with the first `from` after the first `section` replaced by `to`.
inline std::string edited(const std::string& section, const std::string& from,
                          const std::string& to) {
    std::string text = shipped_text();
    const auto begin = text.find(section);
    const auto at = begin == std::string::npos ? begin : text.find(from, begin);
    if (at == std::string::npos) throw std::logic_error("no " + from + " in the shipped file");
    return text.replace(at, from.size(), to);
}

/// The message with which text and overrides are refused; empty if they are not.
inline std::string refusal_of(const std::string& text,
                              const std::vector<Override>& overrides = {}) {
    try {
        (void)parse_platform(text, "my.toml", overrides);
    } catch (const UserError& error) {
        return error.what();
    }
    return {};
}

inline std::string refusal_of_set(const std::string& override_text) {
    return refusal_of(shipped_text(), {parse_override(override_text)});
}

/// "my.toml:LINE:" for the first line after `section` that holds `part`.
inline std::string place_of(const std::string& text, const std::string& section,
                            const std::string& part) {
    const auto at = text.find(part, text.find(section));
    const auto begin = text.begin();
    return "my.toml:" +
           std::to_string(1 + std::count(begin, begin + static_cast<std::ptrdiff_t>(at), '\n')) +
           ":";
}

}  // namespace linefill::model
