// SPDX-License-Identifier: Apache-2.0
// RunResult as one line of JSON, which is how a worker process hands it to its parent.
#pragma once

#include <string>
#include <string_view>

#include "measure/run_result.h"

namespace linefill::measure {

/// One line without a newline. Exact: every double, infinities and not-a-number included, reads
/// back with the same value.
[[nodiscard]] std::string to_json(const RunResult& run);

/// The inverse of to_json. Throws std::runtime_error, naming the key, for text that is no RunResult
/// (a worker that died while it wrote).
[[nodiscard]] RunResult run_result_from_json(std::string_view text);

}  // namespace linefill::measure
