// SPDX-License-Identifier: Apache-2.0
// The keys of a platform file. This one table drives reading, --set, the resolved configuration and
// `show platform`, so a key that is in it is in all of them, and documented.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/platform/platform.h"

namespace linefill::model {

/// How the value of a key is written.
enum class ValueKind : std::uint8_t {
    kText,       ///< any text that is not empty
    kChoice,     ///< one of KeySpec::allowed
    kFlag,       ///< true or false
    kCount,      ///< whole number
    kReal,       ///< number
    kSize,       ///< bytes with a unit, "32KiB"
    kLatency,    ///< "4cycles" or "114ns"
    kClock,      ///< "2.8GHz"
    kClockList,  ///< list of clocks, not empty
    kBandwidth,  ///< "44GB/s"
    kEvents      ///< sum of model events, "a + b", or "not supported"
};

/// Where a key's value lives in a Platform.
using FieldRef = std::variant<bool*, unsigned*, std::uint64_t*, double*, std::string*, Latency*,
                              std::vector<double>*>;

/// One key of a platform file.
struct KeySpec {
    std::string key;  ///< dotted, as --set names it: "cache.l1d.ways"
    ValueKind kind = ValueKind::kText;
    std::string doc;  ///< what it is, with the unit where the kind does not say it
    /// The value in `platform`; creates it where the key is an entry of a map.
    std::function<FieldRef(Platform& platform)> field;
    /// Whether `platform` has this key at all; empty: always.
    std::function<bool(const Platform& platform)> present;
    bool required = true;
    /// Whether its value is a figure, to which [provenance] names a source.
    bool is_figure = true;
    /// Bounds, both allowed: the number itself for counts and numbers, else bytes, cycles or ns,
    /// GHz, GB/s.
    double min = 0;
    double max = 0;
    std::vector<std::string> allowed;  ///< of a choice

    [[nodiscard]] bool is_present(const Platform& platform) const {
        return !present || present(platform);
    }
};

/// All keys but those of idle states, in the order in which a file shows them.
[[nodiscard]] const std::vector<KeySpec>& platform_schema();

/// The keys of the idle state at `index`: "idle_state.C1.exit" if its name is C1. The name itself
/// is no key: it tells the states apart.
[[nodiscard]] std::vector<KeySpec> idle_state_schema(const Platform& platform, std::size_t index);

/// All keys that `platform` has, idle states included, in file order.
[[nodiscard]] std::vector<KeySpec> keys_of(const Platform& platform);

/// What a value of this key must look like, for messages and documentation: "a size with a unit,
/// such as 32KiB, from 64B to 1GiB".
[[nodiscard]] std::string expected_value(const KeySpec& spec);

/// The value as a file holds it, without the quotes of text: "20", "32KiB", "3GHz,2.8GHz".
[[nodiscard]] std::string format_value(const KeySpec& spec, const Platform& platform);

/// The part of a key before its last dot, "" for a key without.
[[nodiscard]] std::string_view section_of(std::string_view key);

}  // namespace linefill::model
