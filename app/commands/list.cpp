// SPDX-License-Identifier: Apache-2.0
// linefill list: names of what there is, with a line on each.
#include <functional>
#include <map>
#include <utility>

#include "app/command.h"
#include "app/data_dirs.h"
#include "app/options.h"
#include "app/output.h"
#include "app/parser.h"
#include "app/text_table.h"
#include "kernel/patches/patch.h"
#include "kernel/version.h"
#include "measure/comparison.h"
#include "measure/event_list.h"
#include "model/platform/load.h"
#include "model/sim/error.h"
#include "scenarios/scenario_file.h"
#include "scenarios/workload.h"

namespace linefill::app {
namespace {

using model::UserError;
using Rows = std::vector<std::vector<std::string>>;

Rows platforms(const MachineOptions& /*options*/) {
    Rows rows;
    for (const std::string& name : model::platform_names(default_dirs().platforms)) {
        rows.push_back({name, model::load_platform(name, default_dirs().platforms).title});
    }
    return rows;
}

Rows kernels(const MachineOptions& /*options*/) {
    Rows rows;
    for (const kernel::VersionInfo& version : kernel::known_versions()) {
        if (version.about.empty() && !version.built) continue;
        rows.push_back({version.name, version.about + (version.built ? "" : " (not built yet)")});
    }
    return rows;
}

Rows patches(const MachineOptions& /*options*/) {
    Rows rows;
    for (const kernel::Patch* patch : kernel::all_patches()) {
        rows.push_back({patch->slug, patch->commit.empty() ? "-" : patch->commit,
                        patch->title + (patch->built ? "" : " (not built yet)")});
    }
    return rows;
}

Rows workloads(const MachineOptions& /*options*/) {
    Rows rows;
    for (const scenarios::WorkloadKind* kind : scenarios::WorkloadRegistry::instance().kinds()) {
        std::string usage = kind->name();
        for (const scenarios::ArgumentSpec& argument : kind->arguments()) {
            const std::string one = argument.flag + " " + argument.value;
            usage += argument.required ? " " + one : " [" + one + "]";
        }
        rows.push_back({usage, kind->summary()});
    }
    return rows;
}

Rows events(const MachineOptions& options) {
    std::vector<std::pair<std::string, model::Platform>> machines;
    if (!options.platforms.empty()) {
        for (const std::string& name : platform_list(options.platforms)) {
            machines.emplace_back(name, model::load_platform(name, default_dirs().platforms));
        }
    }
    Rows rows;
    for (const std::string& event : measure::known_events()) {
        std::vector<std::string> row = {event};
        for (const auto& [name, platform] : machines) {
            const auto found = platform.pmu.events.find(event);
            const bool software = event == "task-clock" || event == "cpu-clock" ||
                                  event == "context-switches" || event == "cpu-migrations" ||
                                  event.find("-faults") != std::string::npos;
            row.push_back(software                             ? "counted by the kernel"
                          : found == platform.pmu.events.end() ? "not supported"
                                                               : found->second);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

Rows scenario_list(const MachineOptions& /*options*/) {
    Rows rows;
    const auto dirs = default_dirs().scenarios;
    for (const std::string& name : scenarios::scenario_names(dirs)) {
        rows.push_back({name + ".toml", scenarios::load_scenario(name, dirs).title});
    }
    return rows;
}

Rows mechanisms(const MachineOptions& /*options*/) {
    static const std::map<std::string, std::string> kAbout = {
        {"inflight_hold", "a line is held at its home from request to completion"},
        {"inorder_drain", "stores become visible in order, when they drain"},
        {"finite_window", "reorder window and fill buffers bound the overlap of misses"},
        {"numa_distance", "the other socket is farther than the own"},
        {"prefetch_shared_only", "a prefetch gets no right to write"},
        {"mcs_queueing", "waiters of a queued lock spin on nodes of their own"},
        {"page_aligned_percpu", "per-CPU areas are pages apart, so their lines share cache sets"}};
    Rows rows;
    for (const std::string& name : measure::ablation_names()) {
        const auto found = kAbout.find(name);
        rows.push_back({name, found == kAbout.end() ? "" : found->second});
    }
    return rows;
}

Rows formats(const MachineOptions& /*options*/) {
    Rows rows;
    for (const auto& [name, about] : measure::comparison_formats()) {
        rows.push_back({"compare", name, about});
    }
    const Rows others = {{"stat", "text", "perf stat's own layout (the default)"},
                         {"stat", "-x SEP", "perf stat's CSV"},
                         {"stat", "-j", "perf stat's JSON, one object a line"},
                         {"report", "text", "tables to read"},
                         {"report", "csv", "the same to process"},
                         {"validate", "text", "row by row, with a summary"},
                         {"validate", "csv", "one line per group"}};
    rows.insert(rows.end(), others.begin(), others.end());
    return rows;
}

}  // namespace

int run_list(const std::vector<std::string>& arguments) {
    using Lister = std::function<Rows(const MachineOptions&)>;
    const std::vector<std::pair<std::string, Lister>> lists = {
        {"platforms", platforms}, {"kernels", kernels},      {"patches", patches},
        {"workloads", workloads}, {"events", events},        {"scenarios", scenario_list},
        {"formats", formats},     {"mechanisms", mechanisms}};
    std::vector<std::string> names;
    for (const auto& [name, lister] : lists) names.push_back(name);

    MachineOptions machine;
    Parser parser("list", "Names of what there is.",
                  "platforms|kernels|patches|workloads|events|scenarios|formats|mechanisms");
    parser.text("-p,--platform", machine.platforms, "NAME|FILE[,...]",
                "of `events`: what they count on these machines");
    parser.subjects([](const std::string& /*word*/, const std::vector<std::string>& so_far) {
        return so_far.empty();
    });
    const Words words = parser.parse(arguments);
    if (words.subjects.empty()) {
        throw UserError("nothing to list").expected("one of " + comma_list(names));
    }
    if (!words.rest.empty()) throw UserError("one list at a time").value(words.rest.front());
    for (const auto& [name, lister] : lists) {
        if (name == words.subjects.front()) {
            write_stdout(text_table(lister(machine)));
            return 0;
        }
    }
    throw UserError("no such list")
        .value(words.subjects.front())
        .expected("one of " + comma_list(names))
        .nearest(words.subjects.front(), names);
}

}  // namespace linefill::app
