// SPDX-License-Identifier: Apache-2.0
// Reads values by kind, and refuses what is not of the kind or out of bounds.
#include "model/platform/assign.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "model/platform/pmu_events.h"
#include "model/platform/units.h"
#include "model/sim/error.h"

namespace linefill::model {

namespace {

using Kind = RawValue::Kind;

UserError refusal(const std::string& problem, const KeySpec& spec, const std::string& value) {
    UserError error(problem);
    error.key(spec.key).value(value).expected(expected_value(spec));
    return error;
}

bool is_any(Kind kind, std::initializer_list<Kind> kinds) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

void require_type(const KeySpec& spec, const RawValue& value, std::initializer_list<Kind> kinds) {
    if (value.kind == Kind::kTable) {
        throw refusal("a section where a value belongs", spec, value.text);
    }
    if (value.kind != Kind::kBare && !is_any(value.kind, kinds)) {
        throw refusal("value of the wrong type", spec, value.text);
    }
}

void require_bounds(const KeySpec& spec, double number, const std::string& text) {
    // Written so that a number which is none (NaN) fails too.
    if (!(number >= spec.min && number <= spec.max)) {
        throw refusal("value out of bounds", spec, text);
    }
}

// Reads text with a unit; a plain number gets the message that a unit is missing.
template <typename Value>
Value with_unit(const KeySpec& spec, const std::string& text, const char* missing_unit,
                std::optional<Value> (*parse)(std::string_view)) {
    if (const auto value = parse(text)) return *value;
    if (parse_number(text)) throw refusal(missing_unit, spec, text);
    throw refusal("value cannot be read", spec, text);
}

template <typename Value>
Value quantity(const KeySpec& spec, const RawValue& value, const char* missing_unit,
               std::optional<Value> (*parse)(std::string_view)) {
    if (is_any(value.kind, {Kind::kInteger, Kind::kReal})) {
        throw refusal(missing_unit, spec, value.text);
    }
    require_type(spec, value, {Kind::kText});
    return with_unit(spec, value.text, missing_unit, parse);
}

bool read_flag(const KeySpec& spec, const RawValue& value) {
    require_type(spec, value, {Kind::kFlag});
    if (value.text != "true" && value.text != "false") {
        throw refusal("value of the wrong type", spec, value.text);
    }
    if (!spec.allowed.empty() && spec.allowed.front() != value.text) {
        throw refusal("value not supported", spec, value.text);
    }
    return value.text == "true";
}

unsigned read_count(const KeySpec& spec, const RawValue& value) {
    require_type(spec, value, {Kind::kInteger});
    const auto count = parse_count(value.text);
    if (!count) {
        const bool is_number = parse_number(value.text).has_value();
        throw refusal(is_number ? "value out of bounds" : "value of the wrong type", spec,
                      value.text);
    }
    require_bounds(spec, static_cast<double>(*count), value.text);
    return static_cast<unsigned>(*count);
}

double read_real(const KeySpec& spec, const RawValue& value) {
    require_type(spec, value, {Kind::kInteger, Kind::kReal});
    const auto number = parse_number(value.text);
    if (!number) throw refusal("value of the wrong type", spec, value.text);
    require_bounds(spec, *number, value.text);
    return *number;
}

std::string read_choice(const KeySpec& spec, const RawValue& value) {
    require_type(spec, value, {Kind::kText});
    const auto& names = spec.allowed;
    if (std::find(names.begin(), names.end(), value.text) == names.end()) {
        UserError error = refusal("unknown name", spec, value.text);
        error.nearest(value.text, names);
        throw error;
    }
    return value.text;
}

std::string read_text(const KeySpec& spec, const RawValue& value) {
    require_type(spec, value, {Kind::kText});
    if (value.text.empty()) throw refusal("empty text", spec, value.text);
    return value.text;
}

std::string read_events(const KeySpec& spec, const RawValue& value) {
    require_type(spec, value, {Kind::kText});
    try {
        (void)parse_event_sum(value.text);
    } catch (UserError& error) {
        error.key(spec.key);
        throw;
    }
    return value.text;
}

std::vector<std::string> split_list(const std::string& text) {
    std::vector<std::string> items(1);
    for (const char letter : text) {
        if (letter == ',') {
            items.emplace_back();
        } else {
            items.back() += letter;
        }
    }
    return items;
}

std::vector<double> read_clocks(const KeySpec& spec, const RawValue& value) {
    if (value.kind == Kind::kTable || value.kind == Kind::kFlag) {
        throw refusal("value of the wrong type", spec, value.text);
    }
    if (is_any(value.kind, {Kind::kInteger, Kind::kReal})) {
        throw refusal("clock without a unit", spec, value.text);
    }
    require_type(spec, value, {Kind::kList, Kind::kText});
    std::vector<double> clocks;
    for (const auto& item : value.kind == Kind::kList ? value.items : split_list(value.text)) {
        clocks.push_back(with_unit(spec, item, "clock without a unit", parse_clock));
        require_bounds(spec, clocks.back(), item);
    }
    return clocks;
}

}  // namespace

void assign_value(const KeySpec& spec, const RawValue& value, Platform& platform) {
    const FieldRef field = spec.field(platform);
    switch (spec.kind) {
        case ValueKind::kText:
            *std::get<std::string*>(field) = read_text(spec, value);
            break;
        case ValueKind::kChoice:
            *std::get<std::string*>(field) = read_choice(spec, value);
            break;
        case ValueKind::kEvents:
            *std::get<std::string*>(field) = read_events(spec, value);
            break;
        case ValueKind::kFlag:
            *std::get<bool*>(field) = read_flag(spec, value);
            break;
        case ValueKind::kCount:
            *std::get<unsigned*>(field) = read_count(spec, value);
            break;
        case ValueKind::kReal:
            *std::get<double*>(field) = read_real(spec, value);
            break;
        case ValueKind::kSize: {
            const auto size = quantity(spec, value, "size without a unit", parse_size);
            require_bounds(spec, static_cast<double>(size), value.text);
            *std::get<std::uint64_t*>(field) = size;
            break;
        }
        case ValueKind::kLatency: {
            const auto latency = quantity(spec, value, "latency without a unit", parse_latency);
            require_bounds(spec, latency.is_cycles ? latency.cycles : latency.ns, value.text);
            *std::get<Latency*>(field) = latency;
            break;
        }
        case ValueKind::kClock: {
            const auto clock = quantity(spec, value, "clock without a unit", parse_clock);
            require_bounds(spec, clock, value.text);
            *std::get<double*>(field) = clock;
            break;
        }
        case ValueKind::kBandwidth: {
            const auto gbs = quantity(spec, value, "bandwidth without a unit", parse_bandwidth);
            require_bounds(spec, gbs, value.text);
            *std::get<double*>(field) = gbs;
            break;
        }
        case ValueKind::kClockList:
            *std::get<std::vector<double>*>(field) = read_clocks(spec, value);
            break;
    }
}

}  // namespace linefill::model
