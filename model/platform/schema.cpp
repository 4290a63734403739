// SPDX-License-Identifier: Apache-2.0
// What can be said about any key: its section, the form of its value, its value as text.
#include "model/platform/schema.h"

#include "model/platform/units.h"

namespace linefill::model {

namespace {

std::string bound_text(ValueKind kind, double bound) {
    switch (kind) {
        case ValueKind::kSize:
            return format_size(static_cast<std::uint64_t>(bound));
        case ValueKind::kClock:
        case ValueKind::kClockList:
            return format_clock(bound);
        case ValueKind::kBandwidth:
            return format_bandwidth(bound);
        default:
            return format_number(bound);
    }
}

std::string form_of(const KeySpec& spec) {
    switch (spec.kind) {
        case ValueKind::kText:
            return "text";
        case ValueKind::kFlag:
            if (!spec.allowed.empty()) break;
            return "true or false";
        case ValueKind::kCount:
            return "a whole number";
        case ValueKind::kReal:
            return "a number";
        case ValueKind::kSize:
            return "a size with a unit (B, KiB, MiB, GiB, TiB), such as 32KiB,";
        case ValueKind::kLatency:
            return "a latency with a unit (cycles, ps, ns, us, ms), such as 4cycles or 114ns,";
        case ValueKind::kClock:
            return "a clock with a unit (GHz, MHz), such as 2.8GHz,";
        case ValueKind::kClockList:
            return "a list of clocks with units (GHz, MHz), such as 3GHz,2.8GHz, each";
        case ValueKind::kBandwidth:
            return "a bandwidth with a unit (GB/s, MB/s), such as 44GB/s,";
        case ValueKind::kEvents:
            return "model events joined by \"+\", such as llc_rfo + l1d_fill, or \"not supported\"";
        case ValueKind::kChoice:
            break;
    }
    std::string names = spec.allowed.size() == 1 ? "" : "one of ";
    for (std::size_t i = 0; i < spec.allowed.size(); ++i) {
        names += (i == 0 ? "" : ", ") + spec.allowed[i];
    }
    return names;
}

bool has_bounds(ValueKind kind) {
    switch (kind) {
        case ValueKind::kCount:
        case ValueKind::kReal:
        case ValueKind::kSize:
        case ValueKind::kLatency:
        case ValueKind::kClock:
        case ValueKind::kClockList:
        case ValueKind::kBandwidth:
            return true;
        default:
            return false;
    }
}

std::string format_clocks(const std::vector<double>& clocks) {
    std::string text;
    for (const double ghz : clocks) text += (text.empty() ? "" : ",") + format_clock(ghz);
    return text;
}

}  // namespace

std::string_view section_of(std::string_view key) {
    const auto dot = key.rfind('.');
    return dot == std::string_view::npos ? std::string_view{} : key.substr(0, dot);
}

std::string expected_value(const KeySpec& spec) {
    std::string text = form_of(spec);
    if (!has_bounds(spec.kind)) return text;
    if (spec.min == spec.max) return bound_text(spec.kind, spec.min);
    text += " from " + bound_text(spec.kind, spec.min) + " to " + bound_text(spec.kind, spec.max);
    return text;
}

std::string format_value(const KeySpec& spec, const Platform& platform) {
    // The field is only read: FieldRef has no const form, and a key that is not present, which it
    // would create, is not asked for.
    const FieldRef field = spec.field(const_cast<Platform&>(platform));
    switch (spec.kind) {
        case ValueKind::kFlag:
            return *std::get<bool*>(field) ? "true" : "false";
        case ValueKind::kCount:
            return std::to_string(*std::get<unsigned*>(field));
        case ValueKind::kReal:
            return format_number(*std::get<double*>(field));
        case ValueKind::kSize:
            return format_size(*std::get<std::uint64_t*>(field));
        case ValueKind::kLatency:
            return format_latency(*std::get<Latency*>(field));
        case ValueKind::kClock:
            return format_clock(*std::get<double*>(field));
        case ValueKind::kClockList:
            return format_clocks(*std::get<std::vector<double>*>(field));
        case ValueKind::kBandwidth:
            return format_bandwidth(*std::get<double*>(field));
        case ValueKind::kText:
        case ValueKind::kChoice:
        case ValueKind::kEvents:
            break;
    }
    return *std::get<std::string*>(field);
}

std::vector<KeySpec> keys_of(const Platform& platform) {
    std::vector<KeySpec> keys;
    for (const auto& spec : platform_schema()) {
        if (spec.is_present(platform)) keys.push_back(spec);
    }
    for (std::size_t i = 0; i < platform.idle_states.size(); ++i) {
        for (auto& spec : idle_state_schema(platform, i)) keys.push_back(std::move(spec));
    }
    return keys;
}

}  // namespace linefill::model
