// SPDX-License-Identifier: Apache-2.0
// Puts the messages of UserError together, and finds the name that the user may have meant.
#include "model/sim/error.h"

#include <algorithm>
#include <utility>

namespace linefill::model {

namespace {

// Locale must not change what is printed or compared, so no <cctype>.
char to_lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), to_lower);
    return result;
}

// Input is quoted in messages; it must not move the cursor or start a line of its own.
std::string printable(std::string_view text) {
    constexpr std::string_view kHex = "0123456789abcdef";
    std::string result;
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        if (byte >= 0x20 && byte != 0x7f) {
            result += letter;
        } else {
            result += "\\x";
            result += kHex[byte >> 4U];
            result += kHex[byte & 0xfU];
        }
    }
    return result;
}

// Longer words (somebody passes a whole file as a name) are not compared: the distance costs the
// product of both lengths.
constexpr std::size_t kLongestCompared = 256;

bool is_contained(std::string_view part, std::string_view whole) {
    constexpr std::size_t kShortestPart = 3;
    return part.size() >= kShortestPart && whole.find(part) != std::string_view::npos;
}

}  // namespace

UserError::UserError(std::string what) : std::runtime_error(what), problem_(std::move(what)) {
    compose();
}

UserError& UserError::file(std::string name) {
    file_ = std::move(name);
    compose();
    return *this;
}

UserError& UserError::line(int number) {
    line_ = number;
    compose();
    return *this;
}

UserError& UserError::key(std::string name) {
    key_ = std::move(name);
    compose();
    return *this;
}

UserError& UserError::value(std::string text) {
    value_ = std::move(text);
    compose();
    return *this;
}

UserError& UserError::expected(std::string text) {
    expected_ = std::move(text);
    compose();
    return *this;
}

UserError& UserError::nearest(std::string_view word, const std::vector<std::string>& known) {
    nearest_ = nearest_name(word, known).value_or("");
    compose();
    return *this;
}

void UserError::compose() {
    message_.clear();
    if (!file_.empty()) {
        message_ += file_;
        message_ += ':';
    }
    if (line_ > 0) {
        message_ += (file_.empty() ? "line " : "") + std::to_string(line_) + ':';
    }
    message_ += (message_.empty() ? "" : " ") + problem_;
    if (!key_.empty()) {
        message_ += ": " + key_;
    }
    if (value_) {
        message_ += (key_.empty() ? ": \"" : " = \"") + *value_ + '"';
    }
    if (!expected_.empty()) {
        message_ += "; expected " + expected_;
    }
    if (!nearest_.empty()) {
        message_ += "; did you mean \"" + nearest_ + "\"?";
    }
    message_ = printable(message_);
}

SimulationError::SimulationError(const std::string& what, std::string report)
    : std::runtime_error(what), report_(std::move(report)) {}

int edit_distance(std::string_view from, std::string_view to) {
    const std::string source = lower(from);
    const std::string target = lower(to);
    // Rows of the table of distances between prefixes: the last two are kept, for swaps.
    std::vector<int> before_last(target.size() + 1);
    std::vector<int> last(target.size() + 1);
    std::vector<int> current(target.size() + 1);
    for (std::size_t column = 0; column <= target.size(); ++column) {
        current[column] = static_cast<int>(column);
    }
    for (std::size_t row = 1; row <= source.size(); ++row) {
        std::swap(before_last, last);
        std::swap(last, current);
        current[0] = static_cast<int>(row);
        for (std::size_t column = 1; column <= target.size(); ++column) {
            const bool is_same = source[row - 1] == target[column - 1];
            current[column] = std::min(
                {last[column] + 1, current[column - 1] + 1, last[column - 1] + (is_same ? 0 : 1)});
            if (row > 1 && column > 1 && source[row - 1] == target[column - 2] &&
                source[row - 2] == target[column - 1]) {
                current[column] = std::min(current[column], before_last[column - 2] + 1);
            }
        }
    }
    return current[target.size()];
}

std::optional<std::string> nearest_name(std::string_view word,
                                        const std::vector<std::string>& candidates) {
    if (word.empty() || word.size() > kLongestCompared) {
        return std::nullopt;
    }
    const std::string given = lower(word);
    const std::string* nearest = nullptr;
    int least = 0;
    for (const std::string& candidate : candidates) {
        if (candidate.empty() || candidate.size() > kLongestCompared) {
            continue;
        }
        const std::string known = lower(candidate);
        const int distance = edit_distance(given, known);
        const std::size_t longer = std::max(given.size(), known.size());
        const bool is_near = distance * 3 <= static_cast<int>(longer) ||
                             is_contained(given, known) || is_contained(known, given);
        if (is_near && (nearest == nullptr || distance < least)) {
            nearest = &candidate;
            least = distance;
        }
    }
    return nearest == nullptr ? std::nullopt : std::optional<std::string>(*nearest);
}

}  // namespace linefill::model
