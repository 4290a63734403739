// SPDX-License-Identifier: Apache-2.0
// Looks up and checks provenance.
#include "model/platform/provenance.h"

#include <algorithm>
#include <utility>

#include "model/platform/units.h"

namespace linefill::model {

namespace {

// A value as one number, with the kind of unit where there are two.
struct Measure {
    double number = 0;
    bool is_cycles = false;
};

std::optional<Measure> plain(std::optional<double> number) {
    if (!number) return std::nullopt;
    return Measure{*number, false};
}

std::optional<Measure> measure(ValueKind kind, std::string_view text) {
    switch (kind) {
        case ValueKind::kCount:
        case ValueKind::kReal:
            return plain(parse_number(text));
        case ValueKind::kSize: {
            const auto size = parse_size(text);
            if (!size) return std::nullopt;
            return Measure{static_cast<double>(*size), false};
        }
        case ValueKind::kLatency: {
            const auto latency = parse_latency(text);
            if (!latency) return std::nullopt;
            return Measure{latency->is_cycles ? latency->cycles : latency->ns, latency->is_cycles};
        }
        case ValueKind::kClock:
        case ValueKind::kClockList:
            return plain(parse_clock(text));
        case ValueKind::kBandwidth:
            return plain(parse_bandwidth(text));
        default:
            return std::nullopt;
    }
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (;;) {
        const auto end = text.find(separator);
        parts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

bool is_named_kind(ValueKind kind) {
    return kind == ValueKind::kChoice || kind == ValueKind::kFlag;
}

}  // namespace

const std::vector<std::string>& provenance_tags() {
    static const std::vector<std::string> kTags{"measured", "manual", "derived", "assumed"};
    return kTags;
}

const Provenance* provenance_of(const Platform& platform, std::string_view key) {
    for (; !key.empty(); key = section_of(key)) {
        const auto found = platform.provenance.find(std::string(key));
        if (found != platform.provenance.end()) return &found->second;
    }
    return nullptr;
}

std::optional<ValueRange> parse_range(const KeySpec& spec, const std::string& text) {
    ValueRange range;
    if (text == "fixed") {
        range.is_fixed = true;
        return range;
    }
    if (is_named_kind(spec.kind)) {
        range.names = split(text, '|');
        for (const auto& name : range.names) {
            const auto& allowed = spec.allowed;
            const bool is_known =
                spec.kind == ValueKind::kFlag
                    ? name == "true" || name == "false"
                    : std::find(allowed.begin(), allowed.end(), name) != allowed.end();
            if (!is_known) return std::nullopt;
        }
        return range;
    }
    const auto dots = text.find("..");
    if (dots == std::string::npos) return std::nullopt;
    range.low = text.substr(0, dots);
    range.high = text.substr(dots + 2);
    const auto low = measure(spec.kind, range.low);
    const auto high = measure(spec.kind, range.high);
    if (!low || !high || low->is_cycles != high->is_cycles || low->number > high->number) {
        return std::nullopt;
    }
    return range;
}

std::string expected_range(const KeySpec& spec) {
    if (spec.kind == ValueKind::kFlag) return "fixed, or names joined by |: true|false";
    if (spec.kind == ValueKind::kChoice) {
        std::string names;
        for (const auto& name : spec.allowed) names += (names.empty() ? "" : "|") + name;
        return "fixed, or names joined by |: " + names;
    }
    if (spec.kind == ValueKind::kText || spec.kind == ValueKind::kEvents) return "fixed";
    return "fixed, or LOW..HIGH with the unit of the key, such as 4cycles..5cycles for a latency";
}

bool is_in_range(const KeySpec& spec, const Platform& platform, const ValueRange& range) {
    if (range.is_fixed) return true;
    const std::string text = format_value(spec, platform);
    if (!range.names.empty()) {
        return std::find(range.names.begin(), range.names.end(), text) != range.names.end();
    }
    const auto low = measure(spec.kind, range.low);
    const auto high = measure(spec.kind, range.high);
    const auto values = split(text, ',');
    return low && high && std::all_of(values.begin(), values.end(), [&](const std::string& one) {
               const auto value = measure(spec.kind, one);
               return value && value->is_cycles == low->is_cycles && value->number >= low->number &&
                      value->number <= high->number;
           });
}

std::vector<std::string> provenance_complaints(const Platform& platform) {
    std::vector<std::string> complaints;
    for (const auto& spec : keys_of(platform)) {
        if (!spec.is_figure) continue;
        const Provenance* entry = provenance_of(platform, spec.key);
        if (entry == nullptr) {
            complaints.push_back(spec.key + ": no provenance");
            continue;
        }
        const auto range = parse_range(spec, entry->range);
        if (!range) {
            complaints.push_back(spec.key + ": range " + entry->range + " does not suit the key");
        } else if (!is_in_range(spec, platform, *range)) {
            complaints.push_back(spec.key + ": " + format_value(spec, platform) +
                                 " is outside its range " + entry->range);
        }
    }
    return complaints;
}

}  // namespace linefill::model
