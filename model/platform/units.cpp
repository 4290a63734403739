// SPDX-License-Identifier: Apache-2.0
// Reads and writes numbers with units. No locale and no stream takes part, so the text is the same
// everywhere.
#include "model/platform/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <system_error>

namespace linefill::model {

namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

struct Quantity {
    std::string_view number;  // optional minus, digits, optional point and digits
    std::string_view unit;    // what follows, without the blanks between
};

std::optional<Quantity> split_quantity(std::string_view text) {
    std::size_t end = text.starts_with('-') ? 1 : 0;
    const std::size_t first_digit = end;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end == first_digit) return std::nullopt;
    if (end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1])) {
        ++end;
        while (end < text.size() && is_digit(text[end])) ++end;
    }
    Quantity result{text.substr(0, end), text.substr(end)};
    while (result.unit.starts_with(' ')) result.unit.remove_prefix(1);
    return result;
}

// The number times 10^exponent, rounded once: 0.8us is 800 ns exactly, which a multiplication by
// 1000 does not promise.
std::optional<double> scaled(std::string_view number, int exponent) {
    std::string text(number);
    text += 'e';
    text += std::to_string(exponent);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

struct DecimalUnit {
    std::string_view name;
    int exponent;  // power of ten to the unit that is stored
};

std::optional<double> parse_decimal(std::string_view text, std::span<const DecimalUnit> units) {
    const auto quantity = split_quantity(text);
    if (!quantity) return std::nullopt;
    for (const auto& unit : units) {
        if (quantity->unit == unit.name) return scaled(quantity->number, unit.exponent);
    }
    return std::nullopt;
}

struct BinaryUnit {
    std::string_view name;
    int shift;
};

constexpr std::array<BinaryUnit, 5> kSizeUnits{
    {{"B", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}}};
constexpr std::array<DecimalUnit, 4> kTimeUnits{{{"ps", -3}, {"ns", 0}, {"us", 3}, {"ms", 6}}};
constexpr std::array<DecimalUnit, 2> kCycleUnits{{{"cycles", 0}, {"cycle", 0}}};
constexpr std::array<DecimalUnit, 2> kClockUnits{{{"GHz", 0}, {"MHz", -3}}};
constexpr std::array<DecimalUnit, 2> kBandwidthUnits{{{"GB/s", 0}, {"MB/s", -3}}};

}  // namespace

std::optional<double> parse_number(std::string_view text) {
    const auto quantity = split_quantity(text);
    if (!quantity || quantity->number.size() != text.size()) return std::nullopt;
    return scaled(quantity->number, 0);
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
    const auto quantity = split_quantity(text);
    if (!quantity) return std::nullopt;
    for (const auto& unit : kSizeUnits) {
        if (quantity->unit != unit.name) continue;
        const auto number = scaled(quantity->number, 0);
        if (!number) return std::nullopt;
        const double bytes = std::ldexp(*number, unit.shift);
        if (bytes < 0 || bytes >= std::ldexp(1.0, 62) || bytes != std::floor(bytes)) {
            return std::nullopt;
        }
        return static_cast<std::uint64_t>(bytes);
    }
    return std::nullopt;
}

std::optional<Latency> parse_latency(std::string_view text) {
    if (const auto cycles = parse_decimal(text, kCycleUnits)) {
        return Latency{.cycles = *cycles, .ns = 0, .is_cycles = true};
    }
    if (const auto ns = parse_decimal(text, kTimeUnits)) {
        return Latency{.cycles = 0, .ns = *ns, .is_cycles = false};
    }
    return std::nullopt;
}

std::optional<double> parse_clock(std::string_view text) {
    return parse_decimal(text, kClockUnits);
}

std::optional<double> parse_bandwidth(std::string_view text) {
    return parse_decimal(text, kBandwidthUnits);
}

std::string format_number(double value) {
    std::array<char, 512> buffer{};  // fixed notation of the largest double has 309 digits
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                            std::chars_format::fixed);
    return error == std::errc() ? std::string(buffer.data(), end) : std::string("?");
}

std::string format_size(std::uint64_t bytes) {
    for (std::size_t i = kSizeUnits.size(); i-- > 0;) {
        const std::uint64_t unit = std::uint64_t{1} << static_cast<unsigned>(kSizeUnits[i].shift);
        if (bytes % unit == 0 && (bytes >= unit || i == 0)) {
            return std::to_string(bytes / unit) + std::string(kSizeUnits[i].name);
        }
    }
    return {};
}

std::string format_latency(const Latency& latency) {
    if (!latency.is_cycles) return format_number(latency.ns) + "ns";
    return format_number(latency.cycles) + (latency.cycles == 1 ? "cycle" : "cycles");
}

std::string format_clock(double ghz) { return format_number(ghz) + "GHz"; }

std::string format_bandwidth(double gbs) { return format_number(gbs) + "GB/s"; }

}  // namespace linefill::model
