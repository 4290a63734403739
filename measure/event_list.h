// SPDX-License-Identifier: Apache-2.0
// Names of perf events: the lists behind -d, what -e accepts, aliases and modifiers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace linefill::measure {

/// An event name taken apart.
struct EventName {
    /// As the user gave it, which is how perf prints it: "cpu-cycles:u".
    std::string full;
    /// perf's first name for it, without modifier: "cycles".
    std::string event;
    /// 'u' user mode only, 'k' kernel mode only, '\0' both.
    char modifier = '\0';
};

/// The events that perf stat 6.1 counts without -e, in its order; `detail` is the number of -d
/// (0 to 3). Throws UserError for any other number.
[[nodiscard]] std::vector<std::string> default_events(int detail = 0);

/// Every event that Linefill knows by name, in perf's order, whether a platform counts it or not.
[[nodiscard]] const std::vector<std::string>& known_events();

/// Takes one name apart. The event itself is not checked. Throws UserError for a modifier other than
/// :u, :k and :uk.
[[nodiscard]] EventName parse_event_name(std::string_view name);

/// The names in a list as -e takes it, "cycles,instructions:u". Each must be a known event, a ratio
/// of two, or one of `figures` (what the workload reports). Throws UserError for an unknown, empty
/// or repeated name.
[[nodiscard]] std::vector<std::string> parse_event_list(
    std::string_view list, const std::vector<std::string>& figures = {});

}  // namespace linefill::measure
