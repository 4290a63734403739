// SPDX-License-Identifier: Apache-2.0
// How the table of keys is written: one short call for each key. Only the table's files use this.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/platform/schema.h"

namespace linefill::model::schema_build {

inline constexpr double kKiB = 1024;
inline constexpr double kMiB = 1024 * kKiB;
inline constexpr double kGiB = 1024 * kMiB;
inline constexpr double kTiB = 1024 * kGiB;
inline constexpr double kLongestLatency = 1e9;  // cycles, or ns: one second

using Field = std::function<FieldRef(Platform&)>;
using Names = std::vector<std::string>;
using Schema = std::vector<KeySpec>;

inline KeySpec base(std::string key, ValueKind kind, Field field, std::string doc) {
    KeySpec spec;
    spec.key = std::move(key);
    spec.kind = kind;
    spec.field = std::move(field);
    spec.doc = std::move(doc);
    return spec;
}

inline KeySpec bounded(std::string key, ValueKind kind, double min, double max, Field field,
                       std::string doc) {
    KeySpec spec = base(std::move(key), kind, std::move(field), std::move(doc));
    spec.min = min;
    spec.max = max;
    return spec;
}

inline KeySpec count(std::string key, double min, double max, Field field, std::string doc) {
    return bounded(std::move(key), ValueKind::kCount, min, max, std::move(field), std::move(doc));
}

inline KeySpec real(std::string key, double min, double max, Field field, std::string doc) {
    return bounded(std::move(key), ValueKind::kReal, min, max, std::move(field), std::move(doc));
}

inline KeySpec latency(std::string key, Field field, std::string doc, double min = 0) {
    return bounded(std::move(key), ValueKind::kLatency, min, kLongestLatency, std::move(field),
                   std::move(doc));
}

inline KeySpec choice(std::string key, Names allowed, Field field, std::string doc) {
    KeySpec spec = base(std::move(key), ValueKind::kChoice, std::move(field), std::move(doc));
    spec.allowed = std::move(allowed);
    return spec;
}

inline KeySpec flag(std::string key, Field field, std::string doc) {
    return base(std::move(key), ValueKind::kFlag, std::move(field), std::move(doc));
}

inline KeySpec text(std::string key, Field field, std::string doc) {
    KeySpec spec = base(std::move(key), ValueKind::kText, std::move(field), std::move(doc));
    spec.is_figure = false;
    return spec;
}

// A key that may be left out because all machines so far have the same value.
inline KeySpec with_default(KeySpec spec) {
    spec.required = false;
    spec.is_figure = false;
    return spec;
}

/// The keys of the machine as a whole, of its cores, caches and TLBs.
void add_core_keys(Schema& out);
/// Those of everything outside the cores: coherence, links, memory, interrupts, timer.
void add_uncore_keys(Schema& out);
/// Those that describe no part: events, ablations, targets.
void add_measure_keys(Schema& out);

}  // namespace linefill::model::schema_build
