// SPDX-License-Identifier: Apache-2.0
// What became of one run, and how a worker process tells its parent.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "measure/run_result.h"
#include "measure/run_spec.h"

namespace linefill::measure {

enum class RunStatus {
    kDone,
    kUserError,        ///< the input is wrong after all; exit code 2
    kSimulationError,  ///< panic, deadlock, failed identity; exit code 3
    kInternalError,    ///< an unexpected exception; exit code 4
    kCrashed           ///< the process died; exit code 4
};

struct RunOutcome {
    RunStatus status = RunStatus::kDone;
    RunResult result;
    /// What RunSpec::attribution asked for, as measure/report writes it; else empty.
    std::string attribution;
    /// Accesses that were modelled one by one, spin loops not among them.
    std::uint64_t accesses = 0;
    /// Of a run that failed: one line, and (simulation errors) the details in many.
    std::string message;
    std::string report;
    /// Host figures, for --verbose alone; never part of a result.
    double host_seconds = 0;
    std::int64_t peak_kib = 0;
};

/// Does one run, in this process. Throws what the run throws.
using RunFunction = std::function<RunOutcome(const RunSpec&)>;

/// `run(spec)` with every exception turned into an outcome.
[[nodiscard]] RunOutcome guarded_run(const RunFunction& run, const RunSpec& spec);

/// Exact both ways, host figures left out.
[[nodiscard]] std::string encode(const RunOutcome& outcome);
/// Throws std::runtime_error for bytes that are not a whole outcome (a worker that died writing).
[[nodiscard]] RunOutcome decode(std::string_view bytes);

/// 0, 2, 3 or 4.
[[nodiscard]] int exit_code_of(RunStatus status);

}  // namespace linefill::measure
