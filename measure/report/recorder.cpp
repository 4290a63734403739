// SPDX-License-Identifier: Apache-2.0
#include "measure/report/recorder.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "kernel/base/registry.h"
#include "kernel/layout/pahole_print.h"
#include "scenarios/run.h"

namespace linefill::measure {

namespace {
using model::AccessKind;
using model::DataSource;
using model::MissClass;

constexpr std::size_t kLinesKept = 512;  // of a run, for report c2c

std::string field_name(model::FieldId id) {
    if (id == model::kNoField) return "";
    const kernel::FieldInfo& info = kernel::FieldRegistry::instance().info(id);
    return info.structure + "." + info.field;
}

std::string function_name(model::FunctionId id) {
    if (id == model::kNoFunction) return "[user]";
    return kernel::FunctionRegistry::instance().info(id).symbol;
}
}  // namespace

void Recorder::take(const model::BatchedAccess* first, std::size_t count) {
    std::array<std::size_t, kSize> hashes;
    for (std::size_t i = 0; i < count; ++i) {
        hashes[i] = Site{first[i].line, first[i].site}.hash();
        if (first[i].is_plain_hit()) {
            now_.hits.expect(hashes[i]);
        } else {
            now_.others.expect(hashes[i]);
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        const model::BatchedAccess& a = first[i];
        const Site site{a.line, a.site};
        if (a.is_plain_hit()) {
            now_.hits.at(site, hashes[i]).add(a.cpu, 1);
            continue;
        }
        Others& others = now_.others.at(site, hashes[i]);
        ++others.by_source[static_cast<std::size_t>(a.source)];
        ++others.by_miss[static_cast<std::size_t>(a.miss)];
        others.latency += a.latency;
        others.cpus |= model::cpu_bit(a.cpu);
    }
}

void Recorder::take(const model::BatchedTime* first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) now_.time[{first[i].site}] += first[i].fs;
}

void Recorder::take(model::FunctionId function, AccessKind kind, const model::BulkHits& hits) {
    if (hits.count == 0) return;
    model::BulkHits& sum =
        now_.hits[{kNoLine, model::AccessSite::of(model::kNoField, function, kind, 0)}];
    sum.count += hits.count;
    sum.cpus |= hits.cpus;
}

void Recorder::on_bulk_hits(unsigned cpu, model::FunctionId function, model::FieldId field,
                            AccessKind kind, std::uint64_t count) {
    now_.hits[{kNoLine, model::AccessSite::of(field, function, kind, 0)}].add(cpu, count);
}

void Recorder::on_snoop(model::Addr, unsigned, unsigned, bool, bool, model::FieldId) {}

AccessStats Recorder::stats_of(const Others& o) {
    AccessStats s;
    for (std::size_t i = 0; i < kSources; ++i) {
        s.by_source[i] = o.by_source[i];
        s.count += o.by_source[i];
    }
    for (std::size_t i = 0; i < kMissClasses; ++i) s.by_miss[i] = o.by_miss[i];
    s.latency_ns = model::ns_from_ticks(o.latency);
    s.cpus = o.cpus;
    return s;
}

void Recorder::add_access(AttributionResult& out, const Site& site, const AccessStats& s) {
    const std::string field = field_name(site.rest.field());
    const std::string function = function_name(site.rest.function());
    const std::uint8_t kind = site.rest.kind();
    out.fields[{field, kind}] += s;
    out.functions[function][kind] += s;
    if (site.line != kNoLine) {
        out.lines[site.line].add(field, function, kind, site.rest.offset(), s);
    }
}

void Recorder::add_accesses(AttributionResult& out, const Seen& seen) {
    for (const auto& [site, hits] : seen.hits.sorted()) {
        AccessStats s;
        s.count = hits->count;
        s.by_source[static_cast<std::size_t>(DataSource::kL1)] = hits->count;
        s.by_miss[static_cast<std::size_t>(MissClass::kHit)] = hits->count;
        s.cpus = hits->cpus;
        add_access(out, site, s);
    }
    for (const auto& [site, others] : seen.others.sorted())
        add_access(out, site, stats_of(*others));
}

void Recorder::add_places(AttributionResult& out) {
    const kernel::FieldRegistry& registry = kernel::FieldRegistry::instance();
    for (model::FieldId id = 1; id < registry.size(); ++id) {
        const kernel::FieldInfo& info = registry.info(id);
        const std::string name = field_name(id);
        for (std::size_t kind = 0; kind < kAccessKinds; ++kind) {
            if (out.fields.count({name, kind}) != 0) out.places[name] = {info.offset, info.size};
        }
    }
}

// The lines that moved most; ties by address, so that the choice depends on nothing else.
void Recorder::keep_busiest_lines(AttributionResult& out) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> order;
    for (const auto& [line, stats] : out.lines) {
        if (stats.moved() != 0) order.emplace_back(stats.moved(), line);
    }
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    std::map<std::uint64_t, LineStats> kept;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i < kLinesKept) {
            kept.insert(out.lines.extract(order[i].second));
        } else {
            ++out.lines_left_out;
            out.moves_left_out += order[i].first;
        }
    }
    out.lines = std::move(kept);
}

void Recorder::add_time(AttributionResult& out, const Seen& seen, double cycles_per_fs) {
    for (const auto& [key, fs] : seen.time.sorted()) {
        const model::TimeSite at = key.site;
        out.time_cycles[{function_name(at.function()), function_name(at.caller()),
                         field_name(at.field()),
                         model::cpi_name(static_cast<model::CpiComponent>(at.component()))}] +=
            static_cast<double>(*fs) * cycles_per_fs;
    }
}

void Recorder::add_locks(AttributionResult& out, const Seen& seen) {
    for (const kernel::LockStatistics::Row& row : seen.locks.by_class()) {
        LockRow& l = out.locks[row.name];
        l.instances = row.instances;
        l.acquisitions += row.totals.acquisitions;
        l.contended += row.totals.contended;
        l.wait_ns += model::ns_from_ticks(row.totals.contended_wait);
        l.max_wait_ns = std::max(l.max_wait_ns, model::ns_from_ticks(row.totals.max_wait));
        l.acquire_ns += model::ns_from_ticks(row.totals.acquire);
        l.hold_ns += model::ns_from_ticks(row.totals.hold);
        l.max_hold_ns = std::max(l.max_hold_ns, model::ns_from_ticks(row.totals.max_hold));
    }
}

void Recorder::add_pahole(AttributionResult& out) const {
    std::set<std::string> touched;
    for (const auto& [name, place] : out.places) touched.insert(name.substr(0, name.find('.')));
    for (const std::string& name : touched) {
        if (layout_.has(name)) out.pahole[name] = kernel::print_pahole(layout_, name);
    }
}

AttributionResult Recorder::sums_of(const Seen& seen, double cycles_per_fs) {
    AttributionResult out;
    add_time(out, seen, cycles_per_fs);
    add_accesses(out, seen);
    add_locks(out, seen);
    return out;
}

void Recorder::complete(AttributionResult& out) const {
    out.runs = 1;
    add_places(out);
    keep_busiest_lines(out);
    add_pahole(out);
}

AttributionResult Recorder::sums(double cycles_per_fs) {
    flush();
    AttributionResult out = sums_of(now_, cycles_per_fs);
    complete(out);
    return out;
}

void Recorder::begin_window() {
    flush();
    if (any_window_) past_.push_back(std::exchange(now_, Seen()));
    any_window_ = true;
}

std::string Recorder::finish(const scenarios::ScenarioResult& result) {
    flush();
    past_.push_back(std::exchange(now_, Seen()));
    AttributionResult out;
    for (std::size_t i = 0; i < past_.size() && i < result.observed.size(); ++i) {
        const scenarios::ObservedWindow& window = result.observed[i];
        if (window.units <= 0) continue;
        const model::Counters total = window.counted.total();
        const auto cycles = static_cast<double>(total[model::Event::kCycles]);
        // Time becomes cycles at the clock of the run: what was seen sums to what was counted.
        const auto counted_fs = static_cast<double>(total[model::Event::kUnhaltedFs]);
        AttributionResult seen = sums_of(past_[i], counted_fs > 0 ? cycles / counted_fs : 0);
        seen.units = seen.observed_units = window.units;
        seen.cycles = cycles;
        seen.instructions = static_cast<double>(total[model::Event::kInstructions]);
        // A window weighs as much as the work that it stands for: few CPUs are busy at a run's end,
        // but not for long.
        seen.scale(window.stands_for / window.units);
        out += seen;
    }
    // Windows see different instances of a class.
    std::map<std::string, std::set<std::uint32_t>> instances;
    for (const Seen& seen : past_) {
        for (const auto& [key, totals] : seen.locks.locks()) {
            instances[field_name(key.first)].insert(key.second);
        }
    }
    for (auto& [name, lock] : out.locks) lock.instances = instances[name].size();
    complete(out);
    return encode_attribution(out);
}

}  // namespace linefill::measure
