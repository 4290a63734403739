// SPDX-License-Identifier: Apache-2.0
// linefill check: reads files of every kind that Linefill reads and says what is wrong with them.
#include <algorithm>
#include <functional>

#include "app/command.h"
#include "app/options.h"
#include "app/output.h"
#include "app/parser.h"
#include "app/text_table.h"
#include "kernel/layout/layout.h"
#include "measure/config_file.h"
#include "measure/measurements.h"
#include "measure/text_format.h"
#include "measure/validate_run.h"
#include "model/platform/load.h"
#include "model/platform/provenance.h"
#include "model/platform/toml_reader.h"
#include "model/sim/error.h"
#include "scenarios/scenario_file.h"
#include "scenarios/workload.h"

namespace linefill::app {
namespace {

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string check_platform(const std::string& text, const std::string& file) {
    const model::Platform platform = model::parse_platform(text, file);
    std::string result = "platform " + platform.name;
    for (const std::string& complaint : model::provenance_complaints(platform)) {
        result += "\n    " + complaint;
    }
    return result;
}

std::string check_scenario(const std::string& text, const std::string& file) {
    const scenarios::Scenario scenario = scenarios::parse_scenario(text, file);
    for (const std::string& platform : scenario.platforms) {
        std::vector<std::string> kernels = scenario.patched;
        kernels.push_back(scenario.baseline);
        for (const std::string& kernel : kernels) {
            measure::RunSpec spec;
            spec.platform = platform;
            spec.kernel = kernel;
            spec.overrides = scenario.set;
            spec.config = scenario.config;
            spec.boot = scenario.boot;
            try {
                (void)measure::prepare_platform(spec, default_dirs());
                (void)measure::prepare_kernel(spec);
            } catch (model::UserError& error) {
                if (error.file().empty()) error.file(file);
                throw;
            }
        }
    }
    return "scenario, " + std::to_string(scenarios::scenario_commands(scenario).size()) + " rows";
}

std::string check_toml(const std::string& text, const std::string& file) {
    bool scenario = false;
    bool config = false;
    for (const model::Setting& setting : model::read_toml(text, file).settings) {
        const std::string& first = setting.path.front();
        scenario = scenario || (setting.path.size() == 1 &&
                                (first == "workload" || first == "baseline" || first == "patched"));
        config = config || (setting.path.size() > 1 && first == "run");
    }
    if (config) {
        const measure::RunConfig run = measure::read_run_config(text, file);
        return "configuration of " + comma_list(run.workloads) + " on " + run.spec.platform;
    }
    return scenario ? check_scenario(text, file) : check_platform(text, file);
}

std::string check_measurements(const std::string& text, const std::string& file) {
    const measure::ValidationPlan plan(measure::parse_measurements(text, file), file,
                                       measure::RunSpec(), default_dirs());
    return "measurements, " + std::to_string(plan.measurements().rows.size()) + " rows in " +
           std::to_string(plan.measurements().groups.size()) + " groups, " +
           std::to_string(plan.runs().size()) + " configurations to run";
}

std::string check_layout(const std::string& text, const std::string& file) {
    const kernel::Layout layout = kernel::Layout::parse(text, file);
    return "layout, " + std::to_string(layout.structs().size()) + " structures";
}

std::string check_file(const std::string& file) {
    const std::string text = read_input(file);
    if (ends_with(file, ".toml")) return check_toml(text, file);
    if (ends_with(file, ".csv") && text.rfind("group,role", 0) == 0) {
        return check_measurements(text, file);
    }
    return check_layout(text, file);
}

}  // namespace

int run_check(const std::vector<std::string>& arguments) {
    Parser parser("check",
                  "Reads files and says what is wrong with them: platforms, scenarios, "
                  "configurations, measurements, layouts.",
                  "FILE...");
    parser.subjects([](const std::string& /*word*/, const std::vector<std::string>& /*so_far*/) {
        return true;
    });
    Words words = parser.parse(arguments);
    words.subjects.insert(words.subjects.end(), words.rest.begin(), words.rest.end());
    if (words.subjects.empty()) throw model::UserError("no file to check");
    int code = 0;
    for (const std::string& file : words.subjects) {
        try {
            write_stdout(file + ": " + check_file(file) + "\n");
        } catch (const model::UserError& error) {
            write_stderr(std::string("linefill: error: ") + error.what() + "\n");
            code = model::kExitUserError;
        }
    }
    return code;
}

}  // namespace linefill::app
