// SPDX-License-Identifier: Apache-2.0
#include "measure/report/sums.h"

#include <algorithm>
#include <bitset>

#include "measure/text_format.h"
#include "model/core/counters.h"

namespace linefill::measure {

namespace {
constexpr std::size_t kStore = static_cast<std::size_t>(model::AccessKind::kStore);
constexpr std::size_t kRmw = static_cast<std::size_t>(model::AccessKind::kRmw);
constexpr std::size_t kPrefetch = static_cast<std::size_t>(model::AccessKind::kPrefetch);
}  // namespace

void Demand::add(std::size_t kind, const AccessStats& stats) {
    if (kind == kPrefetch) {
        prefetch += stats;
    } else if (kind == kStore || kind == kRmw) {
        writes += stats;
    } else {
        reads += stats;
    }
}

AccessStats Demand::all() const {
    AccessStats sum = reads;
    sum += writes;
    return sum;
}

unsigned Demand::writers() const {
    return static_cast<unsigned>(std::bitset<64>(writes.cpus).count());
}

Demand demand_of(const std::array<AccessStats, kAccessKinds>& kinds) {
    Demand demand;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) demand.add(kind, kinds[kind]);
    return demand;
}

std::map<std::string, Demand> demand_by_field(const AttributionResult& r) {
    std::map<std::string, Demand> fields;
    for (const auto& [key, stats] : r.fields) fields[key.first].add(key.second, stats);
    return fields;
}

bool is_wait(std::string_view component) {
    using model::CpiComponent;
    constexpr std::array kWaits = {CpiComponent::kL2,          CpiComponent::kLlc,
                                   CpiComponent::kSameSocket,  CpiComponent::kOtherSocket,
                                   CpiComponent::kDram,        CpiComponent::kTlb,
                                   CpiComponent::kStoreBuffer, CpiComponent::kLockWait};
    return std::any_of(kWaits.begin(), kWaits.end(),
                       [&](CpiComponent c) { return component == model::cpi_name(c); });
}

std::map<std::string, double> wait_by_field(const AttributionResult& r) {
    std::map<std::string, double> waits;
    for (const auto& [key, cycles] : r.time_cycles) {
        if (is_wait(std::get<3>(key))) waits[std::get<2>(key)] += cycles;
    }
    return waits;
}

double attributed_cycles(const AttributionResult& r) {
    double sum = 0;
    for (const auto& [key, cycles] : r.time_cycles) sum += cycles;
    return sum;
}

std::string structure_of(const std::string& field) { return field.substr(0, field.find('.')); }

long line_in_structure(const AttributionResult& r, const std::string& field) {
    const auto place = r.places.find(field);
    return place == r.places.end() ? -1
                                   : static_cast<long>(place->second.offset / model::kLineBytes);
}

std::string scope_text(const AttributionResult& r) {
    return std::to_string(r.runs) + (r.runs == 1 ? " run, " : " runs, ") + fixed(r.units, 0) +
           " units of work, " + fixed(r.observed_units, 0) + " of them observed, " +
           fixed(r.per_unit(r.cycles), 1) + " cycles per unit";
}

}  // namespace linefill::measure
