// SPDX-License-Identifier: Apache-2.0
// The right-hand sides of [pmu.events]: which model events a perf event of this machine counts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace linefill::model {

/// What a platform file writes for a perf event that prints <not supported>.
inline constexpr std::string_view kNotSupported = "not supported";

/// Names of the model events joined by "+" in `text`, in its order; empty for "not supported".
/// Throws UserError with the value, for an unknown or repeated name and for what is no such sum.
[[nodiscard]] std::vector<std::string> parse_event_sum(const std::string& text);

/// All names that a sum may have.
[[nodiscard]] const std::vector<std::string>& model_event_names();

}  // namespace linefill::model
