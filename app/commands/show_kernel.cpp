// SPDX-License-Identifier: Apache-2.0
// show kernel, show patch, show layout: what the kernel's tables say.
#include <map>

#include "app/commands/show.h"
#include "app/text_table.h"
#include "kernel/layout/pahole_print.h"
#include "kernel/patches/patch.h"
#include "kernel/version.h"
#include "model/sim/error.h"

namespace linefill::app {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::vector<std::string> slugs(const std::vector<const kernel::Patch*>& patches) {
    std::vector<std::string> names;
    for (const kernel::Patch* patch : patches) names.push_back(patch->slug);
    return names;
}

std::string name_of(kernel::KernelVersion number) {
    for (const kernel::VersionInfo& version : kernel::known_versions()) {
        if (version.number == number) return version.name;
    }
    return "a version in between";
}

std::vector<std::string> names_of(const std::vector<kernel::KernelVersion>& versions) {
    std::vector<std::string> names;
    for (const kernel::KernelVersion version : versions) names.push_back(name_of(version));
    return names;
}

}  // namespace

std::string show_kernel(const std::string& name, const ShowOptions& options) {
    measure::RunSpec spec;
    apply(options.kernel, spec);
    spec.kernel = name;
    const kernel::KernelSpec kernel = measure::prepare_kernel(spec);
    const kernel::VersionInfo& version = kernel::find_version(kernel.version);
    std::string text = kernel.text() + "\n" + wrapped(version.about, 2);
    text += text_table(
        {{"layout", kernel.layout_version},
         {"patches in effect", comma_list(slugs(kernel.patches))},
         {"spinlocks", kernel.lock_kind() == kernel::LockKind::kTicket ? "ticket, 2 bytes"
                                                                       : "queued (MCS), 4 bytes"},
         {"timer tick", std::to_string(kernel.hz()) + " Hz"},
         {"schedstats", kernel.schedstats_on() ? "on" : "off"}},
        2);
    Rows options_in_effect;
    std::map<std::string, std::string> about;
    for (const kernel::OptionInfo& option : kernel::known_config()) {
        about[option.name] = option.about;
    }
    for (const auto& [option, value] : kernel.config) {
        options_in_effect.push_back({"CONFIG_" + option + "=" + value, about[option]});
    }
    text += "\nConfiguration:\n" + text_table(options_in_effect, 2);
    Rows parameters;
    for (const kernel::OptionInfo& parameter : kernel::known_boot_parameters()) {
        const auto given = kernel.boot.find(parameter.name);
        parameters.push_back({parameter.name + "=" +
                                  (given == kernel.boot.end() ? parameter.fallback : given->second),
                              parameter.about});
    }
    if (!parameters.empty()) text += "\nBoot parameters:\n" + text_table(parameters, 2);
    return text;
}

std::string show_patch(const std::string& name, const ShowOptions& /*options*/) {
    const kernel::Patch& patch = kernel::find_patch(name);
    std::string text = patch.slug + (patch.built ? "" : " (not built yet)") + "\n" +
                       wrapped(patch.title, 2) + "\n" + wrapped(patch.paragraph, 2) + "\n";
    Rows rows = {{"commit", patch.commit.empty() ? "none" : patch.commit},
                 {"in", comma_list(names_of(patch.in))},
                 {"applies to", comma_list(names_of(patch.applies_to))},
                 {"needs", comma_list(patch.needs)},
                 {"conflicts with", comma_list(patch.conflicts)}};
    const kernel::PatchScenario& scenario = patch.scenario;
    if (!scenario.file.empty()) rows.push_back({"scenario", scenario.file});
    if (!scenario.platform.empty()) {
        rows.push_back({"platform", scenario.platform});
        rows.push_back({"kernel", name_of(scenario.base)});
    }
    for (const std::string& workload : scenario.workloads) rows.push_back({"workload", workload});
    return text + text_table(rows, 2);
}

std::string show_layout(const std::string& name, const ShowOptions& options) {
    require_kernel(options.kernel.kernel);
    measure::RunSpec spec;
    apply(options.machine, spec);
    apply(options.kernel, spec);
    std::string isa = "x86_64";
    if (!spec.platform.empty()) isa = measure::prepare_platform(spec, default_dirs()).isa;
    const kernel::Layout layout = measure::prepare_layout(spec, isa);
    return "/* layout " + layout.name() + ": " + layout.source_of(name) + " */\n" +
           kernel::print_pahole(layout, name);
}

}  // namespace linefill::app
