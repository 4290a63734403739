// SPDX-License-Identifier: Apache-2.0
// show platform, show event: what the machine's description says.
#include <algorithm>

#include "app/commands/show.h"
#include "app/text_table.h"
#include "measure/event_list.h"
#include "model/platform/dump.h"
#include "model/platform/load.h"
#include "model/sim/error.h"

namespace linefill::app {
namespace {

using model::KeyDescription;

std::string provenance(const KeyDescription& key) {
    std::string text;
    if (!key.tag.empty()) text += "[" + key.tag + "] ";
    text += key.source;
    if (!key.range.empty() && key.range != "fixed") text += "; range " + key.range;
    if (!key.reason.empty()) text += "; " + key.reason;
    return text;
}

}  // namespace

std::string show_platform(const std::string& name, const ShowOptions& options) {
    measure::RunSpec spec;
    apply(options.machine, spec);
    spec.platform = name;
    const model::Platform platform = measure::prepare_platform(spec, default_dirs());
    if (options.format == "toml") return model::dump_platform(platform);
    std::string text = platform.name + ": " + platform.title + "\n" + platform.isa + ", " +
                       std::to_string(platform.topology.cpus()) + " logical CPUs; " +
                       platform.source + "\n\n";
    for (const KeyDescription& key : model::describe_platform(platform)) {
        text += key.key + " = " + key.value + "\n";
        if (!key.doc.empty()) text += wrapped(key.doc, 4);
        const std::string from = provenance(key);
        if (!from.empty()) text += wrapped(from, 4);
    }
    return text;
}

std::string show_event(const std::string& name, const ShowOptions& options) {
    const std::vector<std::string>& known = measure::known_events();
    const measure::EventName parsed = measure::parse_event_name(name);
    if (std::find(known.begin(), known.end(), parsed.event) == known.end()) {
        throw model::UserError("unknown event")
            .value(name)
            .expected("an event of `linefill list events`")
            .nearest(parsed.event, known);
    }
    const measure::DataDirs dirs = default_dirs();
    const std::vector<std::string> platforms = options.machine.platforms.empty()
                                                   ? model::platform_names(dirs.platforms)
                                                   : platform_list(options.machine.platforms);
    std::vector<std::vector<std::string>> rows;
    for (const std::string& platform : platforms) {
        const model::Platform machine = model::load_platform(platform, dirs.platforms);
        const auto found = machine.pmu.events.find(parsed.event);
        rows.push_back({platform, found == machine.pmu.events.end() ? "" : found->second});
    }
    const bool anywhere =
        std::any_of(rows.begin(), rows.end(), [](const auto& row) { return !row[1].empty(); });
    if (!anywhere) {
        for (auto& row : rows) {
            const bool software = parsed.event.find("-faults") != std::string::npos ||
                                  parsed.event == "task-clock" || parsed.event == "cpu-clock" ||
                                  parsed.event == "context-switches" ||
                                  parsed.event == "cpu-migrations";
            row[1] = software ? "counted by the kernel, each one" : "not supported";
        }
    }
    return parsed.event + ", in events of the model:\n" + text_table(rows, 2);
}

}  // namespace linefill::app
