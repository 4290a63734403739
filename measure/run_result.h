// SPDX-License-Identifier: Apache-2.0
// What one run of a workload gave: the counts, the times, the workload's own figures.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace linefill::measure {

/// One counter at the end of a run.
struct EventCount {
    /// The count, scaled to the whole run; nanoseconds for task-clock and cpu-clock.
    double value = 0;
    /// False: the platform does not count this event; the other members mean nothing then.
    bool supported = true;
    /// Share of the run that was simulated in detail, in percent; 100 = all of it.
    double running_pct = 100;
    /// Time during which the event was counted, in ns; 0 = never (`<not counted>`).
    double running_ns = 0;

    bool operator==(const EventCount&) const = default;
};

/// The counts of a part of a run: of an interval, of a CPU, a socket, a core or a thread.
struct RunPart {
    unsigned interval = 0;
    double end_s = 0;     ///< of the interval, since the program's start
    double length_s = 0;  ///< of every interval but the last, which may be shorter
    int id = 0;           ///< the CPU's number, or the thread's id
    std::string name;     ///< "S0", "S0-D0-C0", or the thread's name
    int cpus = 0;         ///< of a socket or a core
    std::map<std::string, EventCount> events;

    bool operator==(const RunPart&) const = default;
};

/// One run. Runs of a comparison's two sides that share a seed are a pair.
struct RunResult {
    std::uint64_t seed = 0;
    /// By event name as the user gave it: "cycles", "L1-dcache-loads:u".
    std::map<std::string, EventCount> events;
    double elapsed_s = 0;
    double user_s = 0;
    double sys_s = 0;
    /// The workload's own figures, by name ("throughput"), in the workload's units.
    std::map<std::string, double> metrics;
    /// Error of sampling within this run (one standard error), in percent of the value, by event or
    /// metric name.
    std::map<std::string, double> sampling_rel_err;
    /// If counts are split (RunSpec::scope, RunSpec::interval_ms): by interval, then CPU, socket, core
    /// or thread. What is whole in them sums to `events`.
    std::vector<RunPart> parts;

    bool operator==(const RunResult&) const = default;
};

}  // namespace linefill::measure
