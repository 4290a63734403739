// SPDX-License-Identifier: Apache-2.0
// Everything that decides what one run gives: machine, kernel, workload, seed, what is counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace linefill::measure {

/// Whose counts are reported (perf's -a, -A, --per-socket, ...).
enum class CountScope { kWorkload, kSystem, kPerCpu, kPerSocket, kPerCore, kPerThread };

/// "workload", "system", "cpu", "socket", "core", "thread", in the order of the values.
[[nodiscard]] const std::vector<std::string>& count_scope_names();

/// How much of a long workload is simulated in detail.
enum class Sampling {
    kDefault,  ///< the workload's own choice
    kFull,     ///< all of it
    kAmount    ///< as RunSpec::sample_amount says
};

/// What the run records beside the counters; it costs speed, so it is off unless asked for.
struct Attribution {
    /// Every access with function, field, miss class and source.
    bool accesses = false;

    bool operator==(const Attribution&) const = default;
};

/// One run, in the user's words. Two equal specs give the same bytes, on any host.
struct RunSpec {
    // The machine.
    std::string platform;                     ///< name or file
    std::string platform_text;                ///< the file's own text, if it is not to be looked up
    std::string platform_file;                ///< where that text is from, for messages
    std::vector<std::string> overrides;       ///< KEY=VALUE, as --set takes them, in order
    std::size_t overrides_in_text = 0;        ///< how many of them platform_text has already
    std::optional<std::uint64_t> quantum_ns;  ///< bound of the run-ahead; 0: every access in order

    // The kernel.
    std::string kernel;               ///< VERSION{+PATCH|~PATCH}
    std::vector<std::string> config;  ///< NAME=VALUE, CONFIG_ left out or not
    std::string boot;                 ///< boot parameters, separated by blanks
    std::string layout_file;
    std::string layout_of;
    std::vector<std::string> moves;   ///< struct.field=OFFSET
    std::vector<std::string> aligns;  ///< struct.field=ALIGNMENT

    // What runs, and from which seed.
    std::vector<std::string> workload;  ///< the command's words
    std::uint64_t seed = 1;
    bool draws = true;  ///< false: nothing is drawn from the seed, all runs are equal

    // What is counted.
    std::vector<std::string> events;
    CountScope scope = CountScope::kWorkload;
    Sampling sampling = Sampling::kDefault;
    std::string sample_amount;  ///< "20000" calls or "5ms"
    std::optional<double> interval_ms;
    Attribution attribution;

    /// Mechanisms switched off for an ablation, by name.
    std::vector<std::string> ablations;

    bool operator==(const RunSpec&) const = default;
};

/// The workload's words as one line, quoted where a shell would need it.
[[nodiscard]] std::string command_line(const std::vector<std::string>& words);

/// The spec in one line for messages: "pound_times --threads 8 on xeon-snb-2s, v4.7-rc7, seed 3".
[[nodiscard]] std::string describe(const RunSpec& spec);

}  // namespace linefill::measure
