// SPDX-License-Identifier: Apache-2.0
// Where figures come from: the entries of [provenance], their ranges, and what is wrong with them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/platform/platform.h"
#include "model/platform/schema.h"

namespace linefill::model {

/// Tags an entry may have.
[[nodiscard]] const std::vector<std::string>& provenance_tags();

/// The entry of `key`, or of the nearest section around it that has one; null if there is none.
[[nodiscard]] const Provenance* provenance_of(const Platform& platform, std::string_view key);

/// A parsed range. Text is "fixed", "LOW..HIGH" with values as the key writes them, or "a|b|c".
struct ValueRange {
    bool is_fixed = false;
    std::string low, high;           ///< of LOW..HIGH
    std::vector<std::string> names;  ///< of a|b|c
};

/// Takes a range apart; nothing if it has none of the forms, or not one that suits the key's kind.
/// A latency's bounds have the same kind of unit (cycles or time).
[[nodiscard]] std::optional<ValueRange> parse_range(const KeySpec& spec, const std::string& text);

/// What a range of this key may look like, for messages.
[[nodiscard]] std::string expected_range(const KeySpec& spec);

/// Whether the key's value is in the range; each one of a list. A latency in cycles is in no range
/// of times, nor the other way round.
[[nodiscard]] bool is_in_range(const KeySpec& spec, const Platform& platform,
                               const ValueRange& range);

/// What keeps the platform from being one that could be shipped, a line each: figures without an
/// entry, values outside their range.
[[nodiscard]] std::vector<std::string> provenance_complaints(const Platform& platform);

}  // namespace linefill::model
