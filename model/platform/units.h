// SPDX-License-Identifier: Apache-2.0
// Numbers with units as platform files and --set write them: "32KiB", "114ns", "2.8GHz", "44GB/s".
// Every format_ function writes text that its parse_ function reads back to the same value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/platform/platform.h"

namespace linefill::model {

/// A plain decimal number, "-12.5"; no exponent, no unit, no plus sign. Nothing if it is none.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

/// A whole number from 0 on. Nothing if it is none or does not fit.
[[nodiscard]] std::optional<std::uint64_t> parse_count(std::string_view text);

/// Bytes of "64B", "32KiB", "2.5MiB", "1GiB", "1TiB"; must come to whole bytes below 2^62.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text);

/// "4cycles", or a time in ps, ns, us, ms. A negative one is read as such: bounds are the caller's.
[[nodiscard]] std::optional<Latency> parse_latency(std::string_view text);

/// Gigahertz of "2.8GHz", "2800MHz".
[[nodiscard]] std::optional<double> parse_clock(std::string_view text);

/// GB/s (10^9 bytes per second) of "44GB/s", "500MB/s".
[[nodiscard]] std::optional<double> parse_bandwidth(std::string_view text);

/// The shortest decimal text, without exponent, that reads back to the same double.
[[nodiscard]] std::string format_number(double value);
[[nodiscard]] std::string format_size(std::uint64_t bytes);
[[nodiscard]] std::string format_latency(const Latency& latency);
[[nodiscard]] std::string format_clock(double ghz);
[[nodiscard]] std::string format_bandwidth(double gbs);

}  // namespace linefill::model
