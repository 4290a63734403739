// SPDX-License-Identifier: Apache-2.0
// Many runs: spread over worker processes, delivered in order, none lost to a crash or to ^C.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "measure/interrupt.h"
#include "measure/run_outcome.h"
#include "measure/run_spec.h"

namespace linefill::measure {

struct Progress {
    std::size_t finished = 0;
    std::size_t total = 0;
    std::size_t failed = 0;
};

struct ExperimentOptions {
    unsigned jobs = 0;  ///< worker processes; 0: one per host CPU
    const InterruptGuard* interrupt = nullptr;
    std::function<void(const Progress&)> on_progress;
};

/// What the whole of the runs came to.
struct ExperimentEnd {
    bool interrupted = false;
    std::size_t finished = 0;
    std::size_t failed = 0;
    /// 0, or the code of the first run in order that failed; 130 after an interrupt.
    int exit_code = 0;
    // For --verbose.
    std::uint64_t accesses = 0;
    double host_seconds = 0;  ///< of the runs, added up
    std::int64_t peak_kib = 0;

    /// Adds the figures of another experiment of the same command.
    void add(const ExperimentEnd& other);
};

inline constexpr int kExitInterrupted = 130;

/// Does all `runs`, begun in their order. `deliver` gets each outcome with its index, in order of
/// the index and as early as that order allows; after an interrupt it gets the finished ones behind
/// a gap as well. A run whose input turns out to be wrong ends the experiment with UserError.
ExperimentEnd run_experiment(const std::vector<RunSpec>& runs, const RunFunction& run,
                             const ExperimentOptions& options,
                             const std::function<void(std::size_t, RunOutcome)>& deliver);

/// The runs of one configuration repeated: run i has seed `spec.seed` + i.
[[nodiscard]] std::vector<RunSpec> repeated(const RunSpec& spec, unsigned repeats);

}  // namespace linefill::measure
