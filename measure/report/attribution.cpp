// SPDX-License-Identifier: Apache-2.0
#include "measure/report/attribution.h"

#include <algorithm>
#include <cmath>

namespace linefill::measure {

namespace {
using model::DataSource;

constexpr std::array<std::string_view, kSources> kSourceNames = {"L1",
                                                                 "fill buffer",
                                                                 "store buffer",
                                                                 "L2",
                                                                 "LLC",
                                                                 "same socket, clean",
                                                                 "same socket, modified",
                                                                 "other socket, clean",
                                                                 "other socket, modified",
                                                                 "local DRAM",
                                                                 "remote DRAM",
                                                                 "upgrade",
                                                                 "upgrade, other socket"};
constexpr std::array<std::string_view, kMissClasses> kMissNames = {
    "hit", "cold", "capacity", "conflict", "true sharing", "false sharing", "upgrade"};
constexpr std::array<std::string_view, kAccessKinds> kKindNames = {"load", "store", "rmw",
                                                                   "prefetch", "spin"};

std::uint64_t of(const AccessStats& s, DataSource d) {
    return s.by_source[static_cast<std::size_t>(d)];
}
}  // namespace

std::string_view source_name(std::size_t source) { return kSourceNames.at(source); }
std::string_view miss_class_name(std::size_t miss) { return kMissNames.at(miss); }
std::string_view access_kind_name(std::size_t kind) { return kKindNames.at(kind); }

AccessStats& AccessStats::operator+=(const AccessStats& o) {
    count += o.count;
    for (std::size_t i = 0; i < kSources; ++i) by_source[i] += o.by_source[i];
    for (std::size_t i = 0; i < kMissClasses; ++i) by_miss[i] += o.by_miss[i];
    latency_ns += o.latency_ns;
    cpus |= o.cpus;
    return *this;
}

std::uint64_t AccessStats::misses() const {
    return count - of(*this, DataSource::kL1) - of(*this, DataSource::kForward) -
           of(*this, DataSource::kFillBuffer);
}

std::uint64_t AccessStats::remote() const {
    return of(*this, DataSource::kSameSocketClean) + of(*this, DataSource::kSameSocketDirty) +
           of(*this, DataSource::kOtherSocketClean) + of(*this, DataSource::kOtherSocketDirty) +
           of(*this, DataSource::kUpgrade) + of(*this, DataSource::kUpgradeRemote);
}

std::uint64_t AccessStats::hitm() const {
    return of(*this, DataSource::kSameSocketDirty) + of(*this, DataSource::kOtherSocketDirty);
}

void LineStats::add(const std::string& field, const std::string& function, std::size_t kind,
                    std::uint32_t offset, const AccessStats& s) {
    const bool writes = kind == static_cast<std::size_t>(model::AccessKind::kStore) ||
                        kind == static_cast<std::size_t>(model::AccessKind::kRmw);
    const std::uint64_t own_l1 = of(s, DataSource::kL1) + of(s, DataSource::kForward);
    if (writes) {
        stores += s.count;
        store_l1_miss += s.misses();
    } else {
        loads += s.count;
        l1_hits += own_l1;
        fill_buffer += of(s, DataSource::kFillBuffer);
        l2_hits += of(s, DataSource::kL2);
        llc_hits += of(s, DataSource::kLlc);
        clean_local += of(s, DataSource::kSameSocketClean);
        clean_remote += of(s, DataSource::kOtherSocketClean);
        dram_local += of(s, DataSource::kDramLocal);
        dram_remote += of(s, DataSource::kDramRemote);
    }
    hitm_local += of(s, DataSource::kSameSocketDirty);
    hitm_remote += of(s, DataSource::kOtherSocketDirty);
    Site& site = sites.try_emplace({field, function}, Site{offset}).first->second;
    site.offset = std::min(site.offset, offset);
    site.accesses += s.count;
    site.stores += writes ? s.count : 0;
    site.hitm_local += of(s, DataSource::kSameSocketDirty);
    site.hitm_remote += of(s, DataSource::kOtherSocketDirty);
    site.misses += s.misses();
    site.miss_ns += s.latency_ns;
    site.cpus |= s.cpus;
}

LineStats& LineStats::operator+=(const LineStats& o) {
    loads += o.loads;
    stores += o.stores;
    store_l1_miss += o.store_l1_miss;
    hitm_local += o.hitm_local;
    hitm_remote += o.hitm_remote;
    l1_hits += o.l1_hits;
    fill_buffer += o.fill_buffer;
    l2_hits += o.l2_hits;
    llc_hits += o.llc_hits;
    clean_local += o.clean_local;
    clean_remote += o.clean_remote;
    dram_local += o.dram_local;
    dram_remote += o.dram_remote;
    for (const auto& [key, site] : o.sites) {
        Site& mine = sites.try_emplace(key, Site{site.offset}).first->second;
        mine.offset = std::min(mine.offset, site.offset);
        mine.accesses += site.accesses;
        mine.stores += site.stores;
        mine.hitm_local += site.hitm_local;
        mine.hitm_remote += site.hitm_remote;
        mine.misses += site.misses;
        mine.miss_ns += site.miss_ns;
        mine.cpus |= site.cpus;
    }
    return *this;
}

LockRow& LockRow::operator+=(const LockRow& o) {
    instances = std::max(instances, o.instances);
    acquisitions += o.acquisitions;
    contended += o.contended;
    wait_ns += o.wait_ns;
    max_wait_ns = std::max(max_wait_ns, o.max_wait_ns);
    acquire_ns += o.acquire_ns;
    hold_ns += o.hold_ns;
    max_hold_ns = std::max(max_hold_ns, o.max_hold_ns);
    return *this;
}

AttributionResult& AttributionResult::operator+=(const AttributionResult& o) {
    runs += o.runs;
    units += o.units;
    observed_units += o.observed_units;
    cycles += o.cycles;
    instructions += o.instructions;
    for (const auto& [k, v] : o.time_cycles) time_cycles[k] += v;
    for (const auto& [k, v] : o.fields) fields[k] += v;
    for (const auto& [k, v] : o.functions) {
        for (std::size_t i = 0; i < kAccessKinds; ++i) functions[k][i] += v[i];
    }
    for (const auto& [k, v] : o.places) places[k] = v;
    for (const auto& [k, v] : o.lines) lines[k] += v;
    lines_left_out += o.lines_left_out;
    moves_left_out += o.moves_left_out;
    for (const auto& [k, v] : o.locks) locks[k] += v;
    for (const auto& [k, v] : o.pahole) pahole[k] = v;
    return *this;
}

namespace {

void scale(std::uint64_t& n, double weight) {
    n = static_cast<std::uint64_t>(std::llround(static_cast<double>(n) * weight));
}

void scale(AccessStats& s, double weight) {
    s.count = 0;
    for (std::uint64_t& n : s.by_source) {
        scale(n, weight);
        s.count += n;  // so that the sources still sum to it
    }
    for (std::uint64_t& n : s.by_miss) scale(n, weight);
    s.latency_ns *= weight;
}

void scale(LineStats& l, double weight) {
    for (std::uint64_t* n : {&l.l1_hits, &l.fill_buffer, &l.l2_hits, &l.llc_hits, &l.clean_local,
                             &l.clean_remote, &l.dram_local, &l.dram_remote, &l.hitm_local,
                             &l.hitm_remote, &l.loads, &l.stores, &l.store_l1_miss}) {
        scale(*n, weight);
    }
    for (auto& [key, site] : l.sites) {
        for (std::uint64_t* n :
             {&site.accesses, &site.stores, &site.hitm_local, &site.hitm_remote, &site.misses}) {
            scale(*n, weight);
        }
        site.miss_ns *= weight;
    }
}

}  // namespace

void AttributionResult::scale(double weight) {
    if (weight == 1) return;
    units *= weight;
    cycles *= weight;
    instructions *= weight;
    for (auto& [key, time] : time_cycles) time *= weight;
    for (auto& [key, stats] : fields) measure::scale(stats, weight);
    for (auto& [name, kinds] : functions) {
        for (AccessStats& stats : kinds) measure::scale(stats, weight);
    }
    for (auto& [line, stats] : lines) measure::scale(stats, weight);
    for (auto& [name, lock] : locks) {
        measure::scale(lock.acquisitions, weight);
        measure::scale(lock.contended, weight);
        lock.wait_ns *= weight;
        lock.acquire_ns *= weight;
        lock.hold_ns *= weight;
    }
}

}  // namespace linefill::measure
