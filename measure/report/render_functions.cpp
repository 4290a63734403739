// SPDX-License-Identifier: Apache-2.0
// report functions: time, accesses and misses of each function, and who called it.
#include <algorithm>
#include <set>
#include <vector>

#include "measure/report/render.h"
#include "measure/report/sums.h"
#include "measure/report/table.h"
#include "measure/text_format.h"

namespace linefill::measure {
namespace {

constexpr double kShownCallerPct = 0.5;  // of the function's own time, in text

/// A sum of which a part may be unknown.
struct Inclusive {
    double cycles = 0;
    bool is_complete = true;
};

/// Self time by function and caller. Only one level of callers is recorded, so what a function's
/// callees cost on its behalf is known exactly as long as each has one caller.
class CallTimes {
public:
    explicit CallTimes(const AttributionResult& r) {
        for (const auto& [key, cycles] : r.time_cycles) {
            const auto& [function, caller, field, component] = key;
            callers_[function][caller] += cycles;
            if (function != caller) callees_[caller][function] += cycles;
        }
    }

    [[nodiscard]] const std::map<std::string, std::map<std::string, double>>& callers() const {
        return callers_;
    }

    [[nodiscard]] double self(const std::string& function) const {
        double sum = 0;
        const auto found = callers_.find(function);
        if (found == callers_.end()) return 0;
        for (const auto& [caller, cycles] : found->second) sum += cycles;
        return sum;
    }

    [[nodiscard]] Inclusive inclusive(const std::string& function) const {
        std::set<std::string> active;
        Inclusive sum = below(function, active);
        sum.cycles += self(function);
        return sum;
    }

private:
    Inclusive below(const std::string& function, std::set<std::string>& active) const {
        Inclusive sum;
        const auto callees = callees_.find(function);
        if (callees == callees_.end()) return sum;
        if (!active.insert(function).second) return {0, false};  // recursion
        for (const auto& [callee, cycles] : callees->second) {
            sum.cycles += cycles;
            if (callees_.count(callee) == 0) continue;
            if (callers_.at(callee).size() > 1) {
                sum.is_complete = false;  // its callees work for others too
                continue;
            }
            const Inclusive deeper = below(callee, active);
            sum.cycles += deeper.cycles;
            sum.is_complete = sum.is_complete && deeper.is_complete;
        }
        active.erase(function);
        return sum;
    }

    std::map<std::string, std::map<std::string, double>> callers_;
    std::map<std::string, std::map<std::string, double>> callees_;
};

struct Row {
    std::string function;
    double self = 0;
    Demand demand;
};

/// Largest first; functions with accesses and no time are there too.
std::vector<Row> rows_of(const AttributionResult& r, const CallTimes& times) {
    std::map<std::string, Row> by_name;
    for (const auto& [function, callers] : times.callers()) {
        by_name[function].self = times.self(function);
    }
    for (const auto& [function, kinds] : r.functions) by_name[function].demand = demand_of(kinds);
    std::vector<Row> rows;
    for (auto& [function, row] : by_name) {
        row.function = function;
        rows.push_back(row);
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.self > b.self; });
    return rows;
}

Cell inclusive_cell(const AttributionResult& r, const Inclusive& inclusive) {
    Cell cell = number(r.per_unit(inclusive.cycles), 1);
    if (!inclusive.is_complete) cell.text.insert(0, ">=");
    return cell;
}

void add_function(Table& table, const AttributionResult& r, const CallTimes& times,
                  const Row& row) {
    const AccessStats all = row.demand.all();
    const auto per_unit = [&](std::uint64_t n) { return r.per_unit(static_cast<double>(n)); };
    const Inclusive inclusive = times.inclusive(row.function);
    table.add(
        {word(row.function), word(""), number(r.per_unit(row.self), 1),
         number(percent_of(row.self, r.cycles), 2), inclusive_cell(r, inclusive),
         Cell{"", inclusive.is_complete ? "exact" : "at least"},
         number_or_blank(per_unit(row.demand.reads.count), 2),
         number_or_blank(per_unit(row.demand.writes.count), 2),
         number_or_blank(per_unit(all.misses()), 3),
         number(percent_of(static_cast<double>(all.remote()), static_cast<double>(all.misses())),
                1),
         number_or_blank(per_unit(all.hitm()), 3)});
}

void add_callers(Table& table, const AttributionResult& r, const CallTimes& times, const Row& row,
                 double least_pct) {
    const auto found = times.callers().find(row.function);
    if (found == times.callers().end()) return;
    std::vector<std::pair<std::string, double>> callers(found->second.begin(), found->second.end());
    std::stable_sort(callers.begin(), callers.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [caller, cycles] : callers) {
        if (percent_of(cycles, row.self) < least_pct) continue;
        table.add({{"  <- " + caller, row.function},
                   word(caller),
                   number(r.per_unit(cycles), 1),
                   number(percent_of(cycles, r.cycles), 2),
                   blank(),
                   word(""),
                   blank(),
                   blank(),
                   blank(),
                   blank(),
                   blank()});
    }
}

}  // namespace

std::string render_functions(const AttributionResult& r, const ReportOptions& options) {
    const CallTimes times(r);
    const std::vector<Row> rows = rows_of(r, times);
    const bool is_data = options.format != "text";
    const std::size_t limit = options.limit == 0 ? rows.size() : options.limit;
    Table table({{"function", "function", true},
                 {"", "caller"},
                 {"self cycles/unit", "self_cycles_per_unit"},
                 {"%", "self_pct"},
                 {"with callees", "inclusive_cycles_per_unit"},
                 {"", "inclusive_is"},
                 {"loads/unit", "loads_per_unit"},
                 {"stores/unit", "stores_per_unit"},
                 {"L1 misses/unit", "l1_misses_per_unit"},
                 {"remote %", "remote_pct"},
                 {"HitM/unit", "hitm_per_unit"}});
    double rest = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i >= limit) {
            rest += rows[i].self;
            continue;
        }
        add_function(table, r, times, rows[i]);
        add_callers(table, r, times, rows[i], is_data ? 0 : kShownCallerPct);
    }
    if (is_data) return data_text(table, options.format);
    std::string text = "Functions: " + scope_text(r) + "\n\n" + table.text();
    if (limit < rows.size()) {
        text += std::to_string(rows.size() - limit) +
                " more functions together: " + fixed(r.per_unit(rest), 1) + " cycles/unit\n";
    }
    return text +
           "\n<-: the function's own time by caller. With callees: \">=\" where a callee further "
           "down\nworks for other callers too. Stores hold locked operations. Remote: share of the "
           "L1 misses\nthat another core or socket supplied or gave up; HitM: of those, modified "
           "lines.\n";
}

}  // namespace linefill::measure
