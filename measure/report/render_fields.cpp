// SPDX-License-Identifier: Apache-2.0
// report fields: pahole text of structures with a heat column, fit to paste into a mail.
#include <algorithm>
#include <set>
#include <vector>

#include "kernel/layout/layout.h"
#include "kernel/layout/pahole_print.h"
#include "measure/report/render.h"
#include "measure/report/shorten_pahole.h"
#include "measure/report/sums.h"
#include "measure/report/table.h"
#include "measure/text_format.h"
#include "model/sim/error.h"

namespace linefill::measure {
namespace {

constexpr double kShownPct = 1.0;  // of the waits: a structure below that is only named
constexpr int kHeatWidth = 9;

struct Structure {
    std::string name;
    double wait = 0;
    std::uint64_t misses = 0;
    std::set<std::string> fields;  ///< "task_struct.se.exec_start"
};

class FieldsReport {
public:
    explicit FieldsReport(const AttributionResult& r)
        : r_(r), demand_(demand_by_field(r)), wait_(wait_by_field(r)) {
        std::map<std::string, Structure> by_name;
        const auto structure = [&](const std::string& field) -> Structure& {
            Structure& s = by_name[structure_of(field)];
            s.fields.insert(field);
            return s;
        };
        for (const auto& [field, demand] : demand_) {
            if (!field.empty()) structure(field).misses += demand.all().misses();
        }
        for (const auto& [field, cycles] : wait_) {
            all_waits_ += cycles;
            if (!field.empty()) structure(field).wait += cycles;
        }
        for (auto& [name, s] : by_name) {
            s.name = name;
            structures_.push_back(s);
        }
        std::stable_sort(structures_.begin(), structures_.end(),
                         [](const Structure& a, const Structure& b) {
                             return a.wait != b.wait ? a.wait > b.wait : a.misses > b.misses;
                         });
    }

    /// Those asked for, or those that cost most.
    [[nodiscard]] std::vector<Structure> chosen(const ReportOptions& options) const {
        std::vector<Structure> result;
        for (const std::string& name : options.structures) {
            const auto found = std::find_if(structures_.begin(), structures_.end(),
                                            [&](const Structure& s) { return s.name == name; });
            if (found == structures_.end()) refuse(name);
            result.push_back(*found);
        }
        if (!options.structures.empty()) return result;
        for (const Structure& s : structures_) {
            if (options.limit != 0 && result.size() >= options.limit) break;
            if (options.limit == 0 && options.format == "text" && !result.empty() &&
                percent_of(s.wait, all_waits_) < kShownPct) {
                break;
            }
            result.push_back(s);
        }
        return result;
    }

    [[nodiscard]] std::string text(const ReportOptions& options) const {
        const std::vector<Structure> shown = chosen(options);
        std::string text = "Fields: " + scope_text(r_) + ", " + fixed(r_.per_unit(all_waits_), 1) +
                           " of them waited for data, ownership or locks\n"
                           "Per unit: loads (polls too), stores (locked operations too), cycles "
                           "waited. miss %: of both, in L1;\nremote %: of the misses, from another "
                           "core or socket; writers: CPUs that wrote.\n";
        for (const Structure& s : shown) {
            text += '\n' + heading(s) + '\n' + body(s, options.structures.empty());
        }
        if (options.structures.empty()) text += others(shown);
        return text;
    }

    [[nodiscard]] std::string data(const ReportOptions& options) const {
        Table table({{"", "structure"},
                     {"", "field"},
                     {"", "offset"},
                     {"", "size"},
                     {"", "line"},
                     {"", "loads_per_unit"},
                     {"", "stores_per_unit"},
                     {"", "prefetches_per_unit"},
                     {"", "misses_per_unit"},
                     {"", "miss_pct"},
                     {"", "remote_pct"},
                     {"", "writers"},
                     {"", "wait_cycles_per_unit"}});
        for (const Structure& s : chosen(options)) {
            for (const std::string& field : by_place(s)) {
                const auto place = r_.places.find(field);
                const bool known = place != r_.places.end();
                const Demand d = demand(field);
                const AccessStats all = d.all();
                table.add(
                    {word(s.name), word(field.substr(std::min(s.name.size() + 1, field.size()))),
                     known ? count(place->second.offset) : blank(),
                     known ? count(place->second.size) : blank(),
                     known ? count(static_cast<std::uint64_t>(line_in_structure(r_, field)))
                           : blank(),
                     per_unit(d.reads.count), per_unit(d.writes.count), per_unit(d.prefetch.count),
                     per_unit(all.misses()), number(miss_pct(all), 2), number(remote_pct(all), 2),
                     count(d.writers()), number(r_.per_unit(wait(field)), 2)});
            }
        }
        return data_text(table, options.format);
    }

private:
    [[noreturn]] void refuse(const std::string& name) const {
        std::vector<std::string> names;
        for (const Structure& s : structures_) names.push_back(s.name);
        throw model::UserError("the workload touches no such structure")
            .key("--struct")
            .value(name)
            .expected("a structure that it accesses")
            .nearest(name, names);
    }

    [[nodiscard]] Cell per_unit(std::uint64_t n) const {
        return number(r_.per_unit(static_cast<double>(n)), 2);
    }
    [[nodiscard]] double wait(const std::string& field) const {
        const auto found = wait_.find(field);
        return found == wait_.end() ? 0 : found->second;
    }
    [[nodiscard]] Demand demand(const std::string& field) const {
        const auto found = demand_.find(field);
        return found == demand_.end() ? Demand{} : found->second;
    }
    static double miss_pct(const AccessStats& s) {
        return percent_of(static_cast<double>(s.misses()), static_cast<double>(s.count));
    }
    static double remote_pct(const AccessStats& s) {
        return percent_of(static_cast<double>(s.remote()), static_cast<double>(s.misses()));
    }

    [[nodiscard]] std::vector<std::string> by_place(const Structure& s) const {
        std::vector<std::string> fields(s.fields.begin(), s.fields.end());
        const auto offset = [&](const std::string& field) {
            const auto place = r_.places.find(field);
            return place == r_.places.end() ? ~std::uint32_t{0} : place->second.offset;
        };
        std::stable_sort(fields.begin(), fields.end(),
                         [&](const auto& a, const auto& b) { return offset(a) < offset(b); });
        return fields;
    }

    [[nodiscard]] std::string heading(const Structure& s) const {
        return s.name + ": " + fixed(r_.per_unit(s.wait), 1) + " cycles waited per unit, " +
               fixed(percent_of(s.wait, all_waits_), 1) + " % of all waits";
    }

    static std::string heat_title() {
        std::string title;
        for (const char* name : {"loads", "stores", "miss %", "remote %", "writers", "cycles"}) {
            title += right_aligned(name, kHeatWidth);
        }
        return title;
    }

    /// Empty for a field without access.
    [[nodiscard]] std::string heat(const std::string& field) const {
        const Demand d = demand(field);
        const double waited = wait(field);
        const AccessStats all = d.all();
        if (all.count == 0 && d.prefetch.count == 0 && waited == 0) return "";
        std::string text;
        const auto add = [&](const Cell& cell) { text += right_aligned(cell.text, kHeatWidth); };
        add(per_unit(d.reads.count));
        add(per_unit(d.writes.count));
        add(number(miss_pct(all), 1));
        add(number(remote_pct(all), 1));
        add(count(d.writers()));
        add(number(r_.per_unit(waited), 1));
        if (d.prefetch.count != 0) {
            text += "  prefetched " + per_unit(d.prefetch.count).text;
        }
        return text;
    }

    /// The structure's text, and a list of the fields that have no place in it.
    [[nodiscard]] std::string body(const Structure& s, bool shorten) const {
        std::set<std::string> left(s.fields);
        std::string text;
        const auto pahole = r_.pahole.find(s.name);
        if (pahole != r_.pahole.end()) {
            const kernel::Layout layout = kernel::Layout::parse(pahole->second, s.name);
            kernel::PaholeOptions options;
            options.heat_title = heat_title();
            options.heat = [&](const kernel::LayoutMember& member) {
                const std::string field = s.name + "." + member.name;
                left.erase(field);
                return heat(field);
            };
            text = kernel::print_pahole(layout, s.name, options);
            if (shorten) text = shorten_pahole(text);
        }
        if (left.empty()) return text;
        Table table({{pahole != r_.pahole.end() ? "not in the layout" : "field", "", true},
                     {"loads", ""},
                     {"stores", ""},
                     {"miss %", ""},
                     {"remote %", ""},
                     {"writers", ""},
                     {"cycles", ""}});
        for (const std::string& field : left) {
            const Demand d = demand(field);
            const AccessStats all = d.all();
            table.add({word(field), per_unit(d.reads.count), per_unit(d.writes.count),
                       number(miss_pct(all), 1), number(remote_pct(all), 1), count(d.writers()),
                       number(r_.per_unit(wait(field)), 1)});
        }
        return text + (text.empty() ? "" : "\n") + table.text();
    }

    [[nodiscard]] std::string others(const std::vector<Structure>& shown) const {
        std::string names;
        double sum = 0;
        std::size_t n = 0;
        for (const Structure& s : structures_) {
            const bool is_shown = std::any_of(shown.begin(), shown.end(),
                                              [&](const auto& o) { return o.name == s.name; });
            if (is_shown) continue;
            ++n;
            sum += s.wait;
            names += (names.empty() ? "" : ", ") + s.name;
        }
        std::string text;
        if (n > 0) {
            text += "\n" + std::to_string(n) + " more structures, " + fixed(r_.per_unit(sum), 1) +
                    " cycles waited per unit: " + names + "\n";
        }
        const double none = wait("");
        if (none != 0) {
            text += "\nWaited for no field in particular (page walks, user memory): " +
                    fixed(r_.per_unit(none), 1) + " cycles per unit\n";
        }
        return text;
    }

    const AttributionResult& r_;
    std::map<std::string, Demand> demand_;
    std::map<std::string, double> wait_;
    std::vector<Structure> structures_;  ///< most waited for first
    double all_waits_ = 0;
};

}  // namespace

std::string render_fields(const AttributionResult& r, const ReportOptions& options) {
    const FieldsReport report(r);
    return options.format == "text" ? report.text(options) : report.data(options);
}

}  // namespace linefill::measure
