// SPDX-License-Identifier: Apache-2.0
// linefill show: one platform, kernel, patch, workload, event, layout or path in full.
#include "app/commands/show.h"

#include <utility>

#include "app/command.h"
#include "app/output.h"
#include "app/parser.h"
#include "app/text_table.h"
#include "model/sim/error.h"

namespace linefill::app {

using model::UserError;

int run_show(const std::vector<std::string>& arguments) {
    using Shower = std::string (*)(const std::string&, const ShowOptions&);
    const std::vector<std::pair<std::string, Shower>> kinds = {
        {"platform", show_platform}, {"kernel", show_kernel}, {"patch", show_patch},
        {"workload", show_workload}, {"event", show_event},   {"layout", show_layout},
        {"path", show_path}};
    std::vector<std::string> names;
    for (const auto& [name, shower] : kinds) names.push_back(name);

    ShowOptions options;
    Parser parser("show", "What something is: its parameters, units and sources.",
                  "platform|kernel|patch|workload|event|layout|path NAME [options]");
    options.machine.add_to(parser);
    options.kernel.add_to(parser);
    parser.group("Output");
    parser.choice("--format", options.format, {"text", "toml"},
                  "of `platform`: toml is the whole file with --set applied");
    parser.subjects([](const std::string& /*word*/, const std::vector<std::string>& so_far) {
        return so_far.size() < 2;
    });
    const Words words = parser.parse(arguments);
    if (words.subjects.empty()) {
        throw UserError("nothing to show").expected("one of " + comma_list(names) + ", and a name");
    }
    if (!words.rest.empty()) throw UserError("one thing at a time").value(words.rest.front());
    const std::string& wanted = words.subjects.front();
    for (const auto& [name, shower] : kinds) {
        if (name != wanted) continue;
        if (words.subjects.size() < 2) {
            throw UserError("no name given")
                .key("show " + name)
                .expected("linefill show " + name + " NAME");
        }
        write_stdout(shower(words.subjects[1], options));
        return 0;
    }
    throw UserError("nothing of that kind to show")
        .value(wanted)
        .expected("one of " + comma_list(names))
        .nearest(wanted, names);
}

}  // namespace linefill::app
