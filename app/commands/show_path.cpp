// SPDX-License-Identifier: Apache-2.0
// show path: one call of a kernel function as an ordered list of its accesses.
#include "app/command.h"
#include "app/commands/show.h"

namespace linefill::app {

std::string show_path(const std::string& /*name*/, const ShowOptions& /*options*/) {
    refuse_not_built("linefill show path");
}

}  // namespace linefill::app
