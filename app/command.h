// SPDX-License-Identifier: Apache-2.0
// What a command of linefill is; one file each in app/commands/.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace linefill::app {

struct Command {
    std::string name;
    std::string summary;
    /// Gets what follows the command's name and returns the exit code; throws as run.h says.
    std::function<int(const std::vector<std::string>&)> run;
};

/// In the order in which help shows them.
[[nodiscard]] const std::vector<Command>& commands();

int run_stat(const std::vector<std::string>& arguments);
int run_compare(const std::vector<std::string>& arguments);
int run_report(const std::vector<std::string>& arguments);
int run_probe(const std::vector<std::string>& arguments);
int run_validate(const std::vector<std::string>& arguments);
int run_list(const std::vector<std::string>& arguments);
int run_show(const std::vector<std::string>& arguments);
int run_check(const std::vector<std::string>& arguments);
int run_new(const std::vector<std::string>& arguments);

/// The error for a part of the plan that this version has not: "not built yet: linefill trace".
[[noreturn]] void refuse_not_built(const std::string& what);

}  // namespace linefill::app
