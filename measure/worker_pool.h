// SPDX-License-Identifier: Apache-2.0
// Jobs in processes of their own: a crash loses one job, and each starts from fresh library state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "measure/interrupt.h"

namespace linefill::measure {

/// How a job's process ended.
struct JobEnd {
    std::string bytes;  ///< what the job returned; whatever arrived if it died
    int signal = 0;     ///< that ended it, 0 for none
    int exit_code = 0;
    double cpu_seconds = 0;
    std::int64_t peak_kib = 0;
};

/// Runs `job(0)` to `job(count - 1)`, at most `workers` at a time and begun in this order, each in a
/// forked child that does nothing else; `on_end` gets what the job returned, in order of ending. An
/// exception that leaves `on_end` kills the children and goes on to the caller; one that leaves
/// `job` ends its child with exit code 1. Returns false if `interrupt` cut the work short: running
/// jobs were killed, those that had ended were handed over. Throws std::runtime_error if no process
/// can be started.
///
/// The calling process must have no other threads.
bool run_in_processes(std::size_t count, unsigned workers,
                      const std::function<std::string(std::size_t)>& job,
                      const std::function<void(std::size_t, JobEnd)>& on_end,
                      const InterruptGuard* interrupt = nullptr);

/// The number of host CPUs that this process may use.
[[nodiscard]] unsigned host_cpus();

}  // namespace linefill::measure
