// SPDX-License-Identifier: Apache-2.0
// report c2c: the tables of perf c2c, filled with every access instead of samples, and with the
// structure's field at each offset.
#include <algorithm>
#include <bitset>
#include <map>
#include <utility>
#include <vector>

#include "measure/report/render.h"
#include "measure/report/sums.h"
#include "measure/report/table.h"
#include "measure/text_format.h"

namespace linefill::measure {
namespace {

constexpr std::size_t kLinesInText = 20;

using Line = std::pair<std::uint64_t, LineStats>;
using Site = std::pair<std::pair<std::string, std::string>, LineStats::Site>;

double real(std::uint64_t n) { return static_cast<double>(n); }

std::string address_text(std::uint64_t line) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (std::uint64_t a = line * model::kLineBytes; a != 0; a /= kDigits.size()) {
        text.insert(text.begin(), kDigits[a % kDigits.size()]);
    }
    return "0x" + (text.empty() ? "0" : text);
}

std::vector<Line> busiest_first(const AttributionResult& r) {
    std::vector<Line> lines(r.lines.begin(), r.lines.end());
    std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
        return a.second.moved() > b.second.moved();
    });
    return lines;
}

std::vector<Site> sites_of(const LineStats& line) {
    std::vector<Site> sites(line.sites.begin(), line.sites.end());
    std::stable_sort(sites.begin(), sites.end(), [](const Site& a, const Site& b) {
        const auto moved = [](const Site& s) { return s.second.hitm_local + s.second.hitm_remote; };
        if (moved(a) != moved(b)) return moved(a) > moved(b);
        return a.second.offset != b.second.offset ? a.second.offset < b.second.offset
                                                  : a.second.accesses > b.second.accesses;
    });
    return sites;
}

/// "rq line 0": what the line holds, by its first field that has a name.
std::string holds(const AttributionResult& r, const LineStats& line) {
    std::string best;
    std::uint64_t most = 0;
    for (const auto& [key, site] : line.sites) {
        if (key.first.empty() || site.accesses <= most) continue;
        most = site.accesses;
        best = key.first;
    }
    if (best.empty()) return "";
    const long number = line_in_structure(r, best);
    return structure_of(best) + (number < 0 ? "" : " line " + std::to_string(number));
}

unsigned cpus(std::uint64_t bits) { return static_cast<unsigned>(std::bitset<64>(bits).count()); }

double mean_miss_ns(const LineStats::Site& s) {
    return s.misses == 0 ? percent_of(0, 0) : s.miss_ns / real(s.misses);
}

std::string ruled(const std::string& title) {
    constexpr std::size_t kWidth = 72;
    const std::string rule(kWidth, '=');
    return rule + "\n  " + title + '\n' + rule + '\n';
}

std::string global_table(const AttributionResult& r) {
    LineStats all;
    for (const auto& [address, line] : r.lines) {
        LineStats sums = line;
        sums.sites.clear();
        all += sums;
    }
    std::string text = ruled("Shared cache lines: lines that came modified from another core");
    const auto add = [&](const std::string& name, std::uint64_t value) {
        constexpr int kNameWidth = 46;
        constexpr int kValueWidth = 12;
        text += "  " + left_aligned(name, kNameWidth) + ":" +
                right_aligned(std::to_string(value), kValueWidth) + '\n';
    };
    add("Total shared cache lines", r.lines.size() + r.lines_left_out);
    add("  of those in these tables", r.lines.size());
    add("Total records", all.records());
    add("HITM local (same socket)", all.hitm_local);
    add("HITM remote (other socket)", all.hitm_remote);
    add("HITM of lines not in these tables", r.moves_left_out);
    add("Loads", all.loads);
    add("  L1D hits", all.l1_hits);
    add("  fill buffer hits", all.fill_buffer);
    add("  L2 hits", all.l2_hits);
    add("  LLC hits", all.llc_hits);
    add("  clean from a core of the socket", all.clean_local);
    add("  clean from the other socket", all.clean_remote);
    add("  local DRAM", all.dram_local);
    add("  remote DRAM", all.dram_remote);
    add("Stores, locked operations", all.stores);
    add("  L1D hits", all.stores - all.store_l1_miss);
    add("  L1D misses", all.store_l1_miss);
    return text;
}

/// The lines, for text and CSV alike; CSV has for each line one more row per place in it.
Table line_rows(const AttributionResult& r, const std::vector<Line>& lines, std::size_t limit,
                double all_hitm, bool with_sites) {
    Table table({{"Index", "index"},
                 {"Address", "address", true},
                 {"Holds", "holds", true},
                 {"", "offset"},
                 {"", "field"},
                 {"", "function"},
                 {"Records", "records"},
                 {"HITM %", ""},
                 {"HITM", ""},
                 {"Lcl", "hitm_local"},
                 {"Rmt", "hitm_remote"},
                 {"Stores", "stores"},
                 {"L1hit", ""},
                 {"L1miss", "store_l1_miss"},
                 {"Loads", "loads"},
                 {"FB", "fill_buffer"},
                 {"L1", "l1"},
                 {"L2", "l2"},
                 {"LLC", "llc"},
                 {"LclClean", "clean_local"},
                 {"RmtClean", "clean_remote"},
                 {"LclDram", "dram_local"},
                 {"RmtDram", "dram_remote"},
                 {"", "misses"},
                 {"", "mean_miss_ns"},
                 {"", "cpus"}});
    const Cell none = blank();
    for (std::size_t i = 0; i < std::min(limit, lines.size()); ++i) {
        const auto& [address, l] = lines[i];
        const std::vector<Cell> head = {count(i), word(address_text(address)), word(holds(r, l))};
        std::vector<Cell> row = head;
        row.insert(row.end(), {none,
                               word(""),
                               word(""),
                               count(l.records()),
                               number(percent_of(real(l.moved()), all_hitm), 2),
                               count(l.moved()),
                               count(l.hitm_local),
                               count(l.hitm_remote),
                               count(l.stores),
                               count(l.stores - l.store_l1_miss),
                               count(l.store_l1_miss),
                               count(l.loads),
                               count(l.fill_buffer),
                               count(l.l1_hits),
                               count(l.l2_hits),
                               count(l.llc_hits),
                               count(l.clean_local),
                               count(l.clean_remote),
                               count(l.dram_local),
                               count(l.dram_remote),
                               none,
                               none,
                               none});
        table.add(std::move(row));
        if (!with_sites) continue;
        for (const auto& [key, s] : sites_of(l)) {
            std::vector<Cell> site = head;
            site.insert(site.end(), {count(s.offset),
                                     word(key.first),
                                     word(key.second),
                                     count(s.accesses),
                                     none,
                                     none,
                                     count(s.hitm_local),
                                     count(s.hitm_remote),
                                     count(s.stores),
                                     none,
                                     none,
                                     count(s.accesses - s.stores),
                                     none,
                                     none,
                                     none,
                                     none,
                                     none,
                                     none,
                                     none,
                                     none,
                                     count(s.misses),
                                     number(mean_miss_ns(s), 1),
                                     count(cpus(s.cpus))});
            table.add(std::move(site));
        }
    }
    return table;
}

std::string line_table(const AttributionResult& r, const std::vector<Line>& lines,
                       std::size_t limit, double all_hitm) {
    std::string text = '\n' + ruled("Shared Data Cache Line Table") +
                       line_rows(r, lines, limit, all_hitm, false).text();
    if (limit < lines.size()) {
        text += std::to_string(lines.size() - limit) + " more lines with fewer HITM\n";
    }
    return text;
}

/// Every task has a line 27: the lines of all objects together.
std::string holds_table(const AttributionResult& r, const std::vector<Line>& lines,
                        double all_hitm) {
    struct Sum {
        std::string name;
        std::uint64_t lines = 0, moved = 0;
        LineStats stats;
    };
    std::map<std::string, Sum> by_name;
    for (const auto& [address, line] : lines) {
        Sum& sum = by_name[holds(r, line)];
        ++sum.lines;
        sum.moved += line.moved();
        LineStats stats = line;
        stats.sites.clear();
        sum.stats += stats;
    }
    std::vector<Sum> sums;
    for (auto& [name, sum] : by_name) {
        sum.name = name.empty() ? "[no field]" : name;
        sums.push_back(sum);
    }
    std::stable_sort(sums.begin(), sums.end(),
                     [](const Sum& a, const Sum& b) { return a.moved > b.moved; });
    Table table({{"Holds", "", true},
                 {"Lines", ""},
                 {"HITM %", ""},
                 {"HITM", ""},
                 {"Lcl", ""},
                 {"Rmt", ""},
                 {"Stores", ""},
                 {"Loads", ""}});
    for (const Sum& s : sums) {
        table.add({word(s.name), count(s.lines), number(percent_of(real(s.moved), all_hitm), 2),
                   count(s.moved), count(s.stats.hitm_local), count(s.stats.hitm_remote),
                   count(s.stats.stores), count(s.stats.loads)});
    }
    return '\n' + ruled("Shared cache lines by what they hold") + table.text();
}

std::string pareto(const AttributionResult& r, const std::vector<Line>& lines, std::size_t limit) {
    std::string text = '\n' + ruled("Shared Cache Line Distribution Pareto");
    for (std::size_t i = 0; i < std::min(limit, lines.size()); ++i) {
        const auto& [address, l] = lines[i];
        const std::string what = holds(r, l);
        text += (i == 0 ? "" : "\n") + std::string("Line ") + std::to_string(i) + "  " +
                address_text(address) + "  " + what + (what.empty() ? "" : "  ") + "HITM remote " +
                std::to_string(l.hitm_remote) + ", local " + std::to_string(l.hitm_local) +
                ", stores " + std::to_string(l.stores) + '\n';
        Table table({{"Rmt %", ""},
                     {"Lcl %", ""},
                     {"Store %", ""},
                     {"Offset", ""},
                     {"Records", ""},
                     {"Miss ns", ""},
                     {"CPUs", ""},
                     {"Field", "", true},
                     {"Function", "", true}});
        for (const auto& [key, s] : sites_of(l)) {
            table.add({number(percent_of(real(s.hitm_remote), real(l.hitm_remote)), 2),
                       number(percent_of(real(s.hitm_local), real(l.hitm_local)), 2),
                       number(percent_of(real(s.stores), real(l.stores)), 2),
                       word(std::to_string(s.offset)), count(s.accesses),
                       number(mean_miss_ns(s), 1), count(cpus(s.cpus)),
                       word(key.first.empty() ? "[no field]" : key.first), word(key.second)});
        }
        text += table.text(2);
    }
    return text;
}

}  // namespace

std::string render_c2c(const AttributionResult& r, const ReportOptions& options) {
    const std::vector<Line> lines = busiest_first(r);
    std::uint64_t hitm = r.moves_left_out;
    for (const auto& [address, line] : lines) hitm += line.moved();
    if (options.format != "text") {
        const std::size_t all = options.limit == 0 ? lines.size() : options.limit;
        return data_text(line_rows(r, lines, all, real(hitm), true), options.format);
    }
    const std::size_t limit = options.limit == 0 ? kLinesInText : options.limit;
    return "Cache to cache: " + scope_text(r) +
           "\nEvery access of the units observed is counted, none sampled, and weighted by the "
           "work "
           "that its\nwindow stands for. HITM counts loads, stores and locked operations that a "
           "modified line of another\ncore served; Lcl: same socket, Rmt: other socket.\n\n" +
           global_table(r) + holds_table(r, lines, real(hitm)) +
           line_table(r, lines, limit, real(hitm)) + pareto(r, lines, limit);
}

}  // namespace linefill::measure
