// SPDX-License-Identifier: Apache-2.0
// The groups of options that commands share, and the run that they describe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/parser.h"
#include "measure/config_file.h"
#include "measure/experiment.h"
#include "measure/prepare.h"
#include "measure/run_spec.h"

namespace linefill::app {

/// -p, --set, --quantum, --ablate, --no-draws.
struct MachineOptions {
    std::string platforms;  ///< one or several, separated by commas
    std::vector<std::string> overrides;
    std::optional<std::string> quantum;
    std::vector<std::string> ablations;
    bool no_draws = false;

    void add_to(Parser& parser);
};

/// -k, --config, --boot, --layout, --layout-of, --move, --align.
struct KernelOptions {
    std::string kernel;
    std::vector<std::string> config;
    std::vector<std::string> boot;
    std::string layout_file;
    std::string layout_of;
    std::vector<std::string> moves;
    std::vector<std::string> aligns;

    void add_to(Parser& parser);
};

/// The same for one side of a comparison: --baseline-set, --patched-boot, ...
struct SideOptions {
    MachineOptions machine;
    KernelOptions kernel;

    void add_to(Parser& parser, const std::string& side);
    /// Whether any of them was given.
    [[nodiscard]] bool any() const;
};

/// -r, --seed, --sample, --full.
struct RepeatOptions {
    std::optional<std::uint64_t> repeats;
    std::optional<std::uint64_t> seed;
    std::string sample;
    bool full = false;

    void add_to(Parser& parser);
};

/// -e, -d, -a, ... : what is counted, of whom.
struct EventOptions {
    std::vector<std::string> lists;
    int detail = 0;
    bool all_cpus = false;
    std::string split;  ///< the option that splits counts, "--per-socket"; the last one given
    std::optional<std::uint64_t> interval_ms;

    void add_to(Parser& parser);
    /// The events of -e or, without it, of -d; `figures` are names that the workload reports. Of the
    /// whole system the clock is that of the CPUs, as in perf.
    [[nodiscard]] std::vector<std::string> events(const std::vector<std::string>& figures,
                                                  bool of_system) const;
};

/// --jobs, --verbose, --log-level, --log-file.
struct HostOptions {
    std::uint64_t jobs = 0;
    bool verbose = false;
    std::string log_level = "warn";
    std::optional<std::string> log_file;

    void add_to(Parser& parser);
    /// Starts the log.
    void apply() const;
    /// The lines of --verbose for what was run, to stderr; `wall_seconds` from start to end.
    void print_host_figures(const measure::ExperimentEnd& end, double wall_seconds) const;
};

/// --dump-config and --load-config.
struct ConfigFileOptions {
    std::optional<std::string> dump;
    std::optional<std::string> load;

    void add_to(Parser& parser);
    /// What --load-config names, else a configuration without anything.
    [[nodiscard]] measure::RunConfig start(const measure::ConfigNeeds& needs = {}) const;
    /// The same of a file with several, the first of which is called `first`, the names of the others
    /// beginning with `others`; none without --load-config.
    [[nodiscard]] std::vector<measure::NamedConfig> start_named(const measure::ConfigNeeds& needs,
                                                                const std::string& first,
                                                                const std::string& others) const;
    /// Writes what --dump-config asks for, if it does. Throws UserError if the file cannot be opened,
    /// InternalError if it cannot be written.
    void write(const std::function<std::string()>& text) const;
};

/// The error for runs on several platforms, of which a configuration holds one.
[[noreturn]] void refuse_platforms_in_config();

/// The text of a file. Throws UserError.
[[nodiscard]] std::string read_input(const std::string& path);

/// Adds to `spec` what was given; options for one side come after those for both and win or add up.
/// `prefix` is how the options begin ("--baseline-").
void apply(const MachineOptions& options, measure::RunSpec& spec, const std::string& prefix = "--");
void apply(const KernelOptions& options, measure::RunSpec& spec);
void apply(const RepeatOptions& options, measure::RunSpec& spec);
/// What every command that runs a workload adds to a configuration: the machine, the kernel, how often,
/// and the workload if `words` name one.
void apply(const MachineOptions& machine, const KernelOptions& kernel, const RepeatOptions& repeat,
           const std::vector<std::string>& words, measure::RunConfig& config);
/// All but the events. Throws UserError for a split without -a, as perf does.
void apply(const EventOptions& options, measure::RunSpec& spec);

/// The platforms of -p, one at least. Throws UserError for none, for an empty name, and for a
/// number (which elsewhere is a process).
[[nodiscard]] std::vector<std::string> platform_list(const std::string& text,
                                                     const std::string& option = "--platform");

/// Throws UserError if no kernel is named.
void require_kernel(const std::string& kernel);

/// The words behind the options, or UserError that says which workloads there are.
void require_workload(const std::vector<std::string>& words);

/// Where platforms and scenarios are.
[[nodiscard]] measure::DataDirs default_dirs();

}  // namespace linefill::app
