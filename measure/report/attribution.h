// SPDX-License-Identifier: Apache-2.0
// What runs recorded about accesses, time and locks: sums by name, so that runs of different seeds add
// up and the order of output depends on nothing but the names and the figures.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "model/core/access.h"
#include "model/core/counters.h"

namespace linefill::measure {

inline constexpr std::size_t kSources = static_cast<std::size_t>(model::DataSource::kCount);
inline constexpr std::size_t kMissClasses = static_cast<std::size_t>(model::MissClass::kCount);
inline constexpr std::size_t kAccessKinds = 5;  ///< load, store, rmw, prefetch, spin

[[nodiscard]] std::string_view source_name(std::size_t source);
[[nodiscard]] std::string_view miss_class_name(std::size_t miss);
[[nodiscard]] std::string_view access_kind_name(std::size_t kind);

/// Accesses of one kind to one field.
struct AccessStats {
    std::uint64_t count = 0;
    std::array<std::uint64_t, kSources> by_source{};
    std::array<std::uint64_t, kMissClasses> by_miss{};
    /// Issue to data or ownership, summed over those that the own L1D did not serve.
    double latency_ns = 0;
    std::uint64_t cpus = 0;  ///< bit per CPU that did it (CPU number modulo 64)
    AccessStats& operator+=(const AccessStats& o);
    [[nodiscard]] std::uint64_t misses() const;
    /// Supplied by another core's or another socket's cache, or taken from it.
    [[nodiscard]] std::uint64_t remote() const;
    [[nodiscard]] std::uint64_t hitm() const;
};

struct FieldPlace {
    std::uint32_t offset = 0;  ///< in its structure, bytes
    std::uint32_t size = 0;
};

/// One cache line of the machine that moved between cores. Loads are loads, polls and prefetches;
/// stores are stores and locked operations.
struct LineStats {
    std::uint64_t loads = 0, stores = 0, store_l1_miss = 0;
    /// Of all accesses: supplied by a modified line of another core.
    std::uint64_t hitm_local = 0, hitm_remote = 0;
    /// Of the loads: what else supplied them. Upgrades are of stores only.
    std::uint64_t l1_hits = 0, fill_buffer = 0, l2_hits = 0, llc_hits = 0;
    std::uint64_t clean_local = 0, clean_remote = 0, dram_local = 0, dram_remote = 0;

    /// The accesses of one function to one field.
    struct Site {
        std::uint32_t offset = 0;  ///< in the line; the lowest, if there are several
        std::uint64_t accesses = 0, stores = 0, hitm_local = 0, hitm_remote = 0;
        std::uint64_t misses = 0;
        double miss_ns = 0;      ///< issue to data or ownership, of the misses
        std::uint64_t cpus = 0;  ///< bit per CPU
    };
    /// By (structure.field, function).
    std::map<std::pair<std::string, std::string>, Site> sites;

    void add(const std::string& field, const std::string& function, std::size_t kind,
             std::uint32_t offset, const AccessStats& stats);
    [[nodiscard]] std::uint64_t records() const { return loads + stores; }
    /// How often it came modified from another core.
    [[nodiscard]] std::uint64_t moved() const { return hitm_local + hitm_remote; }
    LineStats& operator+=(const LineStats& o);
};

struct LockRow {
    std::uint64_t instances = 0, acquisitions = 0, contended = 0;
    double wait_ns = 0, max_wait_ns = 0, acquire_ns = 0, hold_ns = 0, max_hold_ns = 0;
    LockRow& operator+=(const LockRow& o);
};

/// Who spent the time: function, its caller, the field that was waited for ("": none), component.
using TimeKey = std::tuple<std::string, std::string, std::string, std::string>;
/// Field and kind of access.
using FieldKey = std::pair<std::string, std::size_t>;

struct AttributionResult {
    std::uint64_t runs = 0;
    /// All sums are of the whole run: what was observed, each window weighted by the work that it
    /// stands for.
    double units = 0;           ///< units of work
    double observed_units = 0;  ///< of those, observed
    double cycles = 0;          ///< user and kernel
    double instructions = 0;
    std::map<TimeKey, double> time_cycles;
    std::map<FieldKey, AccessStats> fields;
    std::map<std::string, std::array<AccessStats, kAccessKinds>> functions;
    std::map<std::string, FieldPlace> places;
    std::map<std::uint64_t, LineStats> lines;  ///< those that moved most, by line address
    std::uint64_t lines_left_out = 0;          ///< others that moved
    std::uint64_t moves_left_out = 0;          ///< how often they did, all together
    std::map<std::string, LockRow> locks;
    std::map<std::string, std::string> pahole;  ///< structure -> its text, of those touched

    AttributionResult& operator+=(const AttributionResult& o);
    /// Every sum times `weight`; counts to the nearest.
    void scale(double weight);
    [[nodiscard]] double per_unit(double value) const { return units > 0 ? value / units : 0; }
};

[[nodiscard]] std::string encode_attribution(const AttributionResult& r);
/// Throws std::runtime_error for a text that encode_attribution did not write.
[[nodiscard]] AttributionResult decode_attribution(std::string_view text);

}  // namespace linefill::measure
