// SPDX-License-Identifier: Apache-2.0
// A process can simulate one machine: tests that compare runs run each in a child process.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "scenarios/run.h"

namespace linefill::scenarios {

/// What a test wants to know of a run; plain data, so that it goes through a pipe as it is.
struct Summary {
    std::array<std::int64_t, model::kEventCount> user, kernel;
    std::array<double, model::kEventCount> error;
    std::array<std::int64_t, model::kCpiCount> cpi;
    double elapsed_s, task_clock_s, units, sampled_share, running_threads;
    double steady_cycles_per_unit;  ///< mean of the windows of the second to the fifth tenth
    unsigned windows, tasks, failed_identities;
    bool interrupted;

    std::int64_t total(model::Event e) const {
        const auto i = static_cast<std::size_t>(e);
        return user[i] + kernel[i];
    }
    bool operator==(const Summary&) const = default;
};

/// A request for `command` on xeon-snb-2s; `spec` as after -k.
struct TestRun {
    std::string spec = "v4.7-rc7";
    std::string command;
    std::uint64_t seed = 1;
    bool full = false;
    bool draws = true;
    bool mcs_queueing = true;
    bool page_aligned_percpu = true;
    bool stopped = false;       ///< ^C before the run begins
    bool finite_window = true;  ///< platform.mechanisms
    std::uint64_t sample_units = 0;
};

/// Fills a request; `owner` keeps what it points to.
struct RequestOwner {
    kernel::Layout layout;
    std::unique_ptr<Workload> workload;
    std::atomic<bool> stop{false};
    RunRequest request;
    explicit RequestOwner(const TestRun& run);
};

Summary summarise(const ScenarioResult& result);

/// Runs it in a child process; throws std::runtime_error with what the child said if it failed.
Summary run_in_child(const TestRun& run);

}  // namespace linefill::scenarios
