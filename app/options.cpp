// SPDX-License-Identifier: Apache-2.0
// Names and help of the shared options, and their checks.
#include "app/options.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "app/data_dirs.h"
#include "app/logging.h"
#include "app/output.h"
#include "kernel/version.h"
#include "measure/config_sections.h"
#include "measure/event_list.h"
#include "measure/text_format.h"
#include "model/platform/load.h"
#include "model/platform/units.h"
#include "model/sim/error.h"
#include "scenarios/workload.h"

namespace linefill::app {
namespace {

using model::UserError;

constexpr std::uint64_t kMaxRepeats = 100000;
constexpr std::uint64_t kMaxJobs = 1024;
constexpr std::uint64_t kMaxSeed = std::numeric_limits<std::uint64_t>::max() - kMaxRepeats;
constexpr double kMaxQuantumNs = 1e9;
constexpr std::uint64_t kMaxIntervalMs = 1000ULL * 60 * 60 * 24;

std::uint64_t parse_quantum(const std::string& text, const std::string& option) {
    if (text == "0") return 0;
    const auto time = model::parse_latency(text);
    if (!time || time->is_cycles || !(time->ns >= 1) || time->ns > kMaxQuantumNs) {
        throw UserError("not a quantum")
            .key(option)
            .value(text)
            .expected("0, or a time from 1ns to 1s such as 500ns");
    }
    return static_cast<std::uint64_t>(std::llround(time->ns));
}

void add_all(std::vector<std::string>& to, const std::vector<std::string>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

[[noreturn]] void refuse_config(const std::string& file, const std::string& section) {
    throw UserError("not a configuration of this command")
        .file(file)
        .expected("what --dump-config of the same command wrote, with a section [" + section + "]");
}

bool is_number(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

void MachineOptions::add_to(Parser& parser) {
    parser.group("Machine");
    parser.text("-p,--platform", platforms, "NAME|FILE[,...]",
                "the machine; several give one table");
    parser.texts("--set", overrides, "KEY=VALUE",
                 "changes a key of the platform file (cache.llc.size=10MiB)");
    parser.text("--quantum", quantum, "TIME",
                "how far a CPU may run ahead of the others; 0: not at all");
    parser.texts("--ablate", ablations, "MECHANISM", "runs without one mechanism of the model");
    parser.flag("--no-draws", no_draws, "draws nothing from the seed: all runs are equal");
}

void KernelOptions::add_to(Parser& parser) {
    parser.group("Kernel");
    parser.text("-k,--kernel", kernel, "VERSION{+PATCH|~PATCH}",
                "the kernel: a version, patches applied (+) or reverted (~)");
    parser.texts("--config", config, "NAME=VALUE", "a configuration option (HZ=1000)");
    parser.texts("--boot", boot, "WORDS", "boot parameters (\"schedstats=enable\")");
    parser.text("--layout", layout_file, "FILE",
                "structure layouts: pahole text, BTF, ELF with BTF, or CSV");
    parser.text("--layout-of", layout_of, "NAME", "a shipped layout, or defconfig");
    parser.texts("--move", moves, "struct.field=OFFSET", "puts a field at another offset");
    parser.texts("--align", aligns, "struct.field=N", "aligns a field");
}

void SideOptions::add_to(Parser& parser, const std::string& side) {
    const std::string prefix = "--" + side + "-";
    parser.group("For the " + side + " side only");
    parser.text(prefix + "platform", machine.platforms, "NAME|FILE", "as --platform");
    parser.texts(prefix + "set", machine.overrides, "KEY=VALUE", "as --set");
    parser.text(prefix + "quantum", machine.quantum, "TIME", "as --quantum");
    parser.texts(prefix + "ablate", machine.ablations, "MECHANISM", "as --ablate");
    parser.texts(prefix + "config", kernel.config, "NAME=VALUE", "as --config");
    parser.texts(prefix + "boot", kernel.boot, "WORDS", "as --boot");
    parser.text(prefix + "layout", kernel.layout_file, "FILE", "as --layout");
    parser.text(prefix + "layout-of", kernel.layout_of, "NAME", "as --layout-of");
    parser.texts(prefix + "move", kernel.moves, "struct.field=OFFSET", "as --move");
    parser.texts(prefix + "align", kernel.aligns, "struct.field=N", "as --align");
}

bool SideOptions::any() const {
    return !machine.platforms.empty() || !machine.overrides.empty() || machine.quantum ||
           !machine.ablations.empty() || !kernel.config.empty() || !kernel.boot.empty() ||
           !kernel.layout_file.empty() || !kernel.layout_of.empty() || !kernel.moves.empty() ||
           !kernel.aligns.empty();
}

void RepeatOptions::add_to(Parser& parser) {
    parser.group("Runs");
    parser.number("-r,--repeat", repeats, 1, kMaxRepeats, "N", "runs, which differ by their seed");
    parser.number("--seed", seed, 0, kMaxSeed, "N", "seed of the first run; run i has N + i");
    parser.text("--sample", sample, "CALLS|TIME", "how much is simulated in detail");
    parser.flag("--full", full, "simulates everything in detail");
}

void EventOptions::add_to(Parser& parser) {
    parser.group("Counting");
    parser.texts("-e,--event", lists, "EVENTS", "events, with :u or :k; a list, or repeated");
    parser.counted_flag("-d,--detailed", detail, "more events, up to -ddd");
    parser.flag("-a,--all-cpus", all_cpus, "counts the whole system");
    parser.setting("-A,--no-aggr", split, "--no-aggr", "with -a: one row per CPU");
    parser.setting("--per-socket", split, "--per-socket", "with -a: one row per socket");
    parser.setting("--per-core", split, "--per-core", "with -a: one row per core");
    parser.setting("--per-thread", split, "--per-thread", "with -a: one row per thread");
    parser.number("-I,--interval-print", interval_ms, 1, kMaxIntervalMs, "MS",
                  "counts of every MS of modelled time");
}

std::vector<std::string> EventOptions::events(const std::vector<std::string>& figures,
                                              bool of_system) const {
    if (!lists.empty()) return measure::parse_event_list(measure::joined(lists, ","), figures);
    std::vector<std::string> events = measure::default_events(detail);
    if (of_system) {
        std::replace(events.begin(), events.end(), std::string("task-clock"),
                     std::string("cpu-clock"));
    }
    return events;
}

void HostOptions::add_to(Parser& parser) {
    parser.group("Host");
    parser.number("--jobs", jobs, 1, kMaxJobs, "N", "runs at a time; default: one per host CPU");
    parser.flag("-v,--verbose", verbose, "host seconds, accesses per second, memory; to stderr");
    parser.choice("--log-level", log_level, log_levels(), "what is logged");
    parser.text("--log-file", log_file, "FILE", "the log goes there instead of to stderr");
}

void HostOptions::apply() const { start_logging(log_level, log_file); }

void HostOptions::print_host_figures(const measure::ExperimentEnd& end, double wall_seconds) const {
    if (!verbose) return;
    constexpr double kMillion = 1e6;
    constexpr double kKibPerMib = 1024;
    const double rate =
        end.host_seconds > 0 ? static_cast<double>(end.accesses) / end.host_seconds / kMillion : 0;
    write_stderr("linefill: " + measure::fixed(wall_seconds, 2) + " s on the host for " +
                 std::to_string(end.finished) + " runs of " + measure::fixed(end.host_seconds, 2) +
                 " CPU seconds in all, " + measure::fixed(rate, 2) +
                 " million modelled accesses per CPU second (" +
                 measure::grouped(static_cast<double>(end.accesses), 0) +
                 " accesses), peak memory of one run " +
                 measure::fixed(static_cast<double>(end.peak_kib) / kKibPerMib, 1) + " MiB\n");
}

void apply(const MachineOptions& options, measure::RunSpec& spec, const std::string& prefix) {
    if (!options.platforms.empty()) {
        spec.platform = options.platforms;
        spec.platform_text.clear();
        spec.overrides_in_text = 0;
    }
    add_all(spec.overrides, options.overrides);
    if (options.quantum) spec.quantum_ns = parse_quantum(*options.quantum, prefix + "quantum");
    add_all(spec.ablations, options.ablations);
    if (options.no_draws) spec.draws = false;
}

void apply(const KernelOptions& options, measure::RunSpec& spec) {
    if (!options.kernel.empty()) spec.kernel = options.kernel;
    add_all(spec.config, options.config);
    const std::string boot = measure::joined(options.boot, " ");
    if (!boot.empty()) spec.boot += (spec.boot.empty() ? "" : " ") + boot;
    if (!options.layout_file.empty()) spec.layout_file = options.layout_file;
    if (!options.layout_of.empty()) spec.layout_of = options.layout_of;
    add_all(spec.moves, options.moves);
    add_all(spec.aligns, options.aligns);
}

void apply(const RepeatOptions& options, measure::RunSpec& spec) {
    if (options.seed) spec.seed = *options.seed;
    if (options.full && !options.sample.empty()) {
        throw UserError("--full and --sample exclude each other");
    }
    if (options.full) spec.sampling = measure::Sampling::kFull;
    if (!options.sample.empty()) {
        spec.sampling = measure::Sampling::kAmount;
        spec.sample_amount = options.sample;
        (void)measure::parse_sample(options.sample, "--sample");
    }
}

void apply(const MachineOptions& machine, const KernelOptions& kernel, const RepeatOptions& repeat,
           const std::vector<std::string>& words, measure::RunConfig& config) {
    apply(machine, config.spec);
    apply(kernel, config.spec);
    apply(repeat, config.spec);
    if (repeat.repeats) config.repeats = static_cast<unsigned>(*repeat.repeats);
    if (!words.empty()) config.workloads = {measure::command_line(words)};
}

void apply(const EventOptions& options, measure::RunSpec& spec) {
    using measure::CountScope;
    if (options.all_cpus) spec.scope = CountScope::kSystem;
    if (!options.split.empty()) {
        if (spec.scope == CountScope::kWorkload) {
            throw UserError("counts are split only of the whole system")
                .key(options.split)
                .expected("-a beside it");
        }
        spec.scope = options.split == "--no-aggr"      ? CountScope::kPerCpu
                     : options.split == "--per-socket" ? CountScope::kPerSocket
                     : options.split == "--per-core"   ? CountScope::kPerCore
                                                       : CountScope::kPerThread;
    }
    if (options.interval_ms) spec.interval_ms = static_cast<double>(*options.interval_ms);
}

void ConfigFileOptions::add_to(Parser& parser) {
    parser.group("Configuration");
    parser.text("--dump-config", dump, "FILE", "writes the resolved configuration");
    parser.text("--load-config", load, "FILE", "starts from a configuration written before");
}

measure::RunConfig ConfigFileOptions::start(const measure::ConfigNeeds& needs) const {
    if (!load) return {};
    const std::string text = read_input(*load);
    const std::vector<std::string> sections = measure::section_roots(text);
    if (!sections.empty() && sections.front() != "run") refuse_config(*load, "run");
    return measure::read_run_config(text, *load, needs);
}

std::vector<measure::NamedConfig> ConfigFileOptions::start_named(const measure::ConfigNeeds& needs,
                                                                 const std::string& first,
                                                                 const std::string& others) const {
    if (!load) return {};
    const std::string text = read_input(*load);
    const std::vector<std::string> sections = measure::section_roots(text);
    for (std::size_t i = 0; i < sections.size(); ++i) {
        const bool fits = i == 0 ? sections[i] == first : sections[i].rfind(others, 0) == 0;
        if (!fits) refuse_config(*load, i == 0 ? first + ".run" : others + std::to_string(i));
    }
    return measure::read_named_configs(text, *load, needs);
}

void ConfigFileOptions::write(const std::function<std::string()>& text) const {
    if (!dump) return;
    const std::string written = text();
    Output output(dump, Output::Stream::kStdout);
    output.write(written);
    output.finish();
}

void refuse_platforms_in_config() {
    throw UserError("a configuration holds one platform").key("--dump-config");
}

std::string read_input(const std::string& path) {
    std::error_code error;
    std::ifstream file(path, std::ios::binary);
    if (!file || std::filesystem::is_directory(path, error)) {
        throw UserError("the file cannot be read").file(path);
    }
    // Files of measurements and configurations have some KB. The limit ends a device without end.
    constexpr std::size_t kLargestInput = std::size_t{64} << 20U;
    std::string text;
    std::array<char, 65536> buffer;
    while (text.size() <= kLargestInput && file.read(buffer.data(), buffer.size()).gcount() > 0) {
        text.append(buffer.data(), static_cast<std::size_t>(file.gcount()));
    }
    if (text.size() > kLargestInput) {
        throw UserError("the file is too large").file(path).expected("at most 64 MiB");
    }
    return text;
}

std::vector<std::string> platform_list(const std::string& text, const std::string& option) {
    const auto known = [] {
        return "a platform of `linefill list platforms`, or a file: " +
               measure::joined(model::platform_names(data_dirs("platforms")), ", ");
    };
    if (text.empty()) throw UserError("no platform given").key(option).expected(known());
    std::vector<std::string> platforms = measure::split(text, ',');
    for (const std::string& platform : platforms) {
        if (platform.empty()) {
            throw UserError("an empty name of a platform")
                .key(option)
                .value(text)
                .expected(known());
        }
        if (is_number(platform)) {
            throw UserError("-p names a platform here, not a process id")
                .key(option)
                .value(platform)
                .expected(known() + "; what to run stands behind --");
        }
    }
    return platforms;
}

void require_kernel(const std::string& kernel) {
    if (!kernel.empty()) return;
    std::vector<std::string> names;
    for (const kernel::VersionInfo& version : kernel::known_versions()) {
        if (version.built) names.push_back(version.name);
    }
    throw UserError("no kernel given")
        .key("--kernel")
        .expected("VERSION, VERSION+PATCH or VERSION~PATCH, of the versions " +
                  measure::joined(names, ", "));
}

void require_workload(const std::vector<std::string>& words) {
    if (!words.empty()) return;
    std::vector<std::string> names;
    for (const scenarios::WorkloadKind* kind : scenarios::WorkloadRegistry::instance().kinds()) {
        names.push_back(kind->name());
    }
    throw UserError("no workload given")
        .expected("after the options: -- WORKLOAD [ARGS], one of " + measure::joined(names, ", "));
}

measure::DataDirs default_dirs() { return {data_dirs("platforms"), data_dirs("scenarios")}; }

}  // namespace linefill::app
