// SPDX-License-Identifier: Apache-2.0
// show workload: arguments and figures of a command that runs on the machine.
#include "app/commands/show.h"
#include "app/text_table.h"
#include "scenarios/workload.h"

namespace linefill::app {

std::string show_workload(const std::string& name, const ShowOptions& /*options*/) {
    const scenarios::WorkloadKind& kind = scenarios::WorkloadRegistry::instance().find(name);
    std::string text = kind.name() + "\n" + wrapped(kind.summary(), 2);
    if (!kind.aliases().empty()) text += "  also: " + comma_list(kind.aliases()) + "\n";
    std::vector<std::vector<std::string>> arguments;
    for (const scenarios::ArgumentSpec& argument : kind.arguments()) {
        std::string flag = argument.flag;
        if (!argument.alias.empty()) flag += ", " + argument.alias;
        std::string about = argument.doc + "; " + std::to_string(argument.min) + " to " +
                            std::to_string(argument.max);
        if (argument.required) about += "; must be given";
        if (argument.makes_rows) about += "; a list gives a row each";
        arguments.push_back({flag + " " + argument.value, about});
    }
    if (!arguments.empty()) text += "\nArguments:\n" + text_table(arguments, 2);
    std::vector<std::vector<std::string>> figures;
    for (const scenarios::WorkloadMetric& metric : kind.metrics()) {
        figures.push_back({metric.name, metric.unit, metric.doc});
    }
    if (!figures.empty()) text += "\nFigures:\n" + text_table(figures, 2);
    return text;
}

}  // namespace linefill::app
