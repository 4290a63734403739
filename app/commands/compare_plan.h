// SPDX-License-Identifier: Apache-2.0
// What a comparison's command line asks for, and the plan that comes of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options.h"
#include "app/parser.h"
#include "measure/compare_run.h"

namespace linefill::app {

struct CompareOptions {
    std::string baseline;
    std::vector<std::string> patched;
    MachineOptions machine;
    KernelOptions kernel;
    SideOptions baseline_side;
    SideOptions patched_side;
    RepeatOptions repeat;
    std::vector<std::string> events;
    int detail = 0;
    std::string format = "table";
    bool explain = false;
    std::optional<std::string> file;
    ConfigFileOptions config;
    HostOptions host;

    void add_to(Parser& parser);
};

/// Whether the word names a scenario file.
[[nodiscard]] bool is_scenario(const std::string& word);

/// From --load-config, or from a patch, a scenario or options. Everything is checked.
[[nodiscard]] measure::ComparePlan plan_of(const CompareOptions& options, const Words& words);

/// The plan as it will be run, for --dump-config.
[[nodiscard]] std::string dump_of(const measure::ComparePlan& plan);

}  // namespace linefill::app
