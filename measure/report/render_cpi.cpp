// SPDX-License-Identifier: Apache-2.0
// report cpi: where each cycle went. The sum of the components is the cycles counted.
#include <algorithm>
#include <cmath>
#include <vector>

#include "measure/report/render.h"
#include "measure/report/sums.h"
#include "measure/report/table.h"
#include "measure/text_format.h"
#include "model/core/counters.h"

namespace linefill::measure {
namespace {

constexpr std::size_t kFunctionsInText = 20;
constexpr double kLargestDifferencePct = 0.1;
constexpr double kShownPct = 0.05;  // a component below that gets no column

using ByComponent = std::map<std::string, double>;

struct Sums {
    ByComponent components;
    std::vector<std::pair<std::string, ByComponent>> functions;  // largest first
};

double total(const ByComponent& components) {
    double sum = 0;
    for (const auto& [name, cycles] : components) sum += cycles;
    return sum;
}

Sums sum_up(const AttributionResult& r) {
    Sums sums;
    std::map<std::string, ByComponent> functions;
    for (const auto& [key, cycles] : r.time_cycles) {
        const auto& [function, caller, field, component] = key;
        sums.components[component] += cycles;
        functions[function][component] += cycles;
    }
    sums.functions.assign(functions.begin(), functions.end());
    std::stable_sort(
        sums.functions.begin(), sums.functions.end(),
        [](const auto& a, const auto& b) { return total(a.second) > total(b.second); });
    return sums;
}

/// All that are part of `cycles`, in the model's order.
std::vector<std::string> component_names() {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < model::kCpiCount; ++i) {
        const auto component = static_cast<model::CpiComponent>(i);
        if (component != model::CpiComponent::kIdle) names.emplace_back(model::cpi_name(component));
    }
    return names;
}

double of(const ByComponent& components, const std::string& name) {
    const auto found = components.find(name);
    return found == components.end() ? 0 : found->second;
}

std::string component_table(const AttributionResult& r, const Sums& sums) {
    Table table({{"component", "", true}, {"cycles/unit", ""}, {"%", ""}});
    for (const std::string& name : component_names()) {
        const double cycles = of(sums.components, name);
        table.add(
            {word(name), number(r.per_unit(cycles), 1), number(percent_of(cycles, r.cycles), 2)});
    }
    const double sum = total(sums.components);
    table.rule();
    table.add({word("sum"), number(r.per_unit(sum), 1), number(percent_of(sum, r.cycles), 2)});
    table.add({word("cycles counted"), number(r.per_unit(r.cycles), 1),
               number(percent_of(r.cycles, r.cycles), 2)});
    std::string text = table.text();
    const double difference = percent_of(sum - r.cycles, r.cycles);
    text += "\nThe sum differs from the cycles counted by " + fixed(std::abs(difference), 4) + " %";
    text += std::abs(difference) < kLargestDifferencePct
                ? ".\n"
                : ": more than rounding explains; some time was not seen.\n";
    return text;
}

std::string function_table(const AttributionResult& r, const Sums& sums, std::size_t limit) {
    std::vector<std::string> shown;
    std::vector<Table::Column> columns = {{"function", "", true}, {"cycles/unit", ""}, {"%", ""}};
    for (const std::string& name : component_names()) {
        if (percent_of(of(sums.components, name), r.cycles) < kShownPct) continue;
        shown.push_back(name);
        columns.push_back({name, ""});
    }
    Table table(columns);
    double rest = 0;
    for (std::size_t i = 0; i < sums.functions.size(); ++i) {
        const auto& [function, components] = sums.functions[i];
        if (i >= limit) {
            rest += total(components);
            continue;
        }
        std::vector<Cell> row = {word(function), number(r.per_unit(total(components)), 1),
                                 number(percent_of(total(components), r.cycles), 2)};
        for (const std::string& name : shown) {
            row.push_back(number_or_blank(r.per_unit(of(components, name)), 1));
        }
        table.add(row);
    }
    std::string text = table.text();
    if (sums.functions.size() > limit) {
        text += std::to_string(sums.functions.size() - limit) +
                " more functions together: " + fixed(r.per_unit(rest), 1) + " cycles/unit\n";
    }
    return text;
}

std::string data(const AttributionResult& r, const Sums& sums, const ReportOptions& options) {
    const std::size_t limit = options.limit == 0 ? sums.functions.size() : options.limit;
    Table table({{"", "function"}, {"", "component"}, {"", "cycles_per_unit"}, {"", "cycles_pct"}});
    const auto add = [&](const std::string& function, const std::string& component, double cycles) {
        table.add({word(function), word(component), number(r.per_unit(cycles), 1),
                   number(percent_of(cycles, r.cycles), 2)});
    };
    for (const std::string& name : component_names()) add("", name, of(sums.components, name));
    add("", "sum", total(sums.components));
    add("", "cycles", r.cycles);
    for (std::size_t i = 0; i < std::min(limit, sums.functions.size()); ++i) {
        const auto& [function, components] = sums.functions[i];
        for (const std::string& name : component_names()) {
            if (of(components, name) != 0) add(function, name, of(components, name));
        }
    }
    return data_text(table, options.format);
}

}  // namespace

std::string render_cpi(const AttributionResult& r, const ReportOptions& options) {
    const Sums sums = sum_up(r);
    if (options.format != "text") return data(r, sums, options);
    return "Where the cycles went: " + scope_text(r) + "\n\n" + component_table(r, sums) +
           "\nBy function, cycles per unit:\n\n" +
           function_table(r, sums, options.limit == 0 ? kFunctionsInText : options.limit);
}

}  // namespace linefill::measure
