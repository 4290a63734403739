// SPDX-License-Identifier: Apache-2.0
// The text by which attribution travels from a worker process to its parent.
#include <array>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "measure/report/attribution.h"

namespace linefill::measure {

namespace {
using Json = nlohmann::json;

Json to_json(const AccessStats& s) {
    return Json::array({s.count, s.by_source, s.by_miss, s.latency_ns, s.cpus});
}
AccessStats access_from(const Json& j) {
    AccessStats s;
    s.count = j.at(0).get<std::uint64_t>();
    s.by_source = j.at(1).get<std::array<std::uint64_t, kSources>>();
    s.by_miss = j.at(2).get<std::array<std::uint64_t, kMissClasses>>();
    s.latency_ns = j.at(3).get<double>();
    s.cpus = j.at(4).get<std::uint64_t>();
    return s;
}

/// The plain sums of a line, in the order of the text.
template <class Line>
auto plain_sums(Line& l) {
    return std::array{&l.loads,       &l.stores,      &l.store_l1_miss, &l.hitm_local,
                      &l.hitm_remote, &l.l1_hits,     &l.fill_buffer,   &l.l2_hits,
                      &l.llc_hits,    &l.clean_local, &l.clean_remote,  &l.dram_local,
                      &l.dram_remote};
}

Json to_json(const LineStats& l) {
    Json sums = Json::array();
    for (const std::uint64_t* sum : plain_sums(l)) sums.push_back(*sum);
    Json sites = Json::array();
    for (const auto& [key, s] : l.sites) {
        sites.push_back({key.first, key.second, s.offset, s.accesses, s.stores, s.hitm_local,
                         s.hitm_remote, s.misses, s.miss_ns, s.cpus});
    }
    return Json::array({sums, sites});
}

LineStats line_from(const Json& j) {
    LineStats l;
    std::size_t i = 0;
    for (std::uint64_t* sum : plain_sums(l)) *sum = j.at(0).at(i++).get<std::uint64_t>();
    for (const Json& s : j.at(1)) {
        LineStats::Site& site = l.sites[{s.at(0).get<std::string>(), s.at(1).get<std::string>()}];
        site.offset = s.at(2).get<std::uint32_t>();
        site.accesses = s.at(3).get<std::uint64_t>();
        site.stores = s.at(4).get<std::uint64_t>();
        site.hitm_local = s.at(5).get<std::uint64_t>();
        site.hitm_remote = s.at(6).get<std::uint64_t>();
        site.misses = s.at(7).get<std::uint64_t>();
        site.miss_ns = s.at(8).get<double>();
        site.cpus = s.at(9).get<std::uint64_t>();
    }
    return l;
}

}  // namespace

std::string encode_attribution(const AttributionResult& r) {
    Json j;
    j["runs"] = r.runs;
    j["units"] = r.units;
    j["observed"] = r.observed_units;
    j["cycles"] = r.cycles;
    j["instructions"] = r.instructions;
    Json& time = j["time"] = Json::array();
    for (const auto& [k, v] : r.time_cycles) {
        time.push_back({std::get<0>(k), std::get<1>(k), std::get<2>(k), std::get<3>(k), v});
    }
    Json& fields = j["fields"] = Json::array();
    for (const auto& [k, v] : r.fields) fields.push_back({k.first, k.second, to_json(v)});
    Json& functions = j["functions"] = Json::object();
    for (const auto& [k, v] : r.functions) {
        for (const AccessStats& s : v) functions[k].push_back(to_json(s));
    }
    Json& places = j["places"] = Json::object();
    for (const auto& [k, v] : r.places) places[k] = {v.offset, v.size};
    Json& lines = j["lines"] = Json::array();
    for (const auto& [k, v] : r.lines) lines.push_back({k, to_json(v)});
    j["left_out"] = {r.lines_left_out, r.moves_left_out};
    Json& locks = j["locks"] = Json::object();
    for (const auto& [k, v] : r.locks) {
        locks[k] = {v.instances,   v.acquisitions, v.contended, v.wait_ns,
                    v.max_wait_ns, v.acquire_ns,   v.hold_ns,   v.max_hold_ns};
    }
    j["pahole"] = r.pahole;
    return j.dump();
}

namespace {
AttributionResult decode(const Json& j) {
    AttributionResult r;
    r.runs = j.at("runs").get<std::uint64_t>();
    r.units = j.at("units").get<double>();
    r.observed_units = j.at("observed").get<double>();
    r.cycles = j.at("cycles").get<double>();
    r.instructions = j.at("instructions").get<double>();
    for (const Json& t : j.at("time")) {
        r.time_cycles[{t.at(0).get<std::string>(), t.at(1).get<std::string>(),
                       t.at(2).get<std::string>(), t.at(3).get<std::string>()}] =
            t.at(4).get<double>();
    }
    for (const Json& f : j.at("fields")) {
        r.fields[{f.at(0).get<std::string>(), f.at(1).get<std::size_t>()}] = access_from(f.at(2));
    }
    for (const auto& [name, kinds] : j.at("functions").items()) {
        for (std::size_t i = 0; i < kAccessKinds; ++i) {
            r.functions[name][i] = access_from(kinds.at(i));
        }
    }
    for (const auto& [name, p] : j.at("places").items()) {
        r.places[name] = {p.at(0).get<std::uint32_t>(), p.at(1).get<std::uint32_t>()};
    }
    for (const Json& l : j.at("lines")) r.lines[l.at(0).get<std::uint64_t>()] = line_from(l.at(1));
    r.lines_left_out = j.at("left_out").at(0).get<std::uint64_t>();
    r.moves_left_out = j.at("left_out").at(1).get<std::uint64_t>();
    for (const auto& [name, l] : j.at("locks").items()) {
        LockRow& row = r.locks[name];
        row.instances = l.at(0).get<std::uint64_t>();
        row.acquisitions = l.at(1).get<std::uint64_t>();
        row.contended = l.at(2).get<std::uint64_t>();
        row.wait_ns = l.at(3).get<double>();
        row.max_wait_ns = l.at(4).get<double>();
        row.acquire_ns = l.at(5).get<double>();
        row.hold_ns = l.at(6).get<double>();
        row.max_hold_ns = l.at(7).get<double>();
    }
    r.pahole = j.at("pahole").get<std::map<std::string, std::string>>();
    return r;
}
}  // namespace

AttributionResult decode_attribution(std::string_view text) {
    try {
        return decode(Json::parse(text));
    } catch (const Json::exception& e) {
        throw std::runtime_error(std::string("not what a run recorded: ") + e.what());
    }
}

}  // namespace linefill::measure
