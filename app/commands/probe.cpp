// SPDX-License-Identifier: Apache-2.0
// linefill probe: measures the modelled machine as one measures a real one.
#include "scenarios/probes/probe.h"

#include <optional>

#include "app/command.h"
#include "app/options.h"
#include "app/output.h"
#include "app/parser.h"
#include "measure/experiment.h"
#include "measure/probe_table.h"
#include "model/sim/error.h"

namespace linefill::app {
namespace {

using model::UserError;

struct ProbeCommandOptions {
    MachineOptions machine;
    std::optional<std::uint64_t> seed;
    std::string format = "text";
    std::optional<std::string> file;
    ConfigFileOptions config;
    HostOptions host;

    void add_to(Parser& parser) {
        machine.add_to(parser);
        parser.group("Runs");
        parser.number("--seed", seed, 0, UINT64_MAX, "N", "seed of the addresses that are chased");
        parser.group("Output");
        parser.choice("--format", format, {"text", "csv"}, "how the table is written");
        parser.text("-o,--output", file, "FILE", "the table goes there instead of to stdout");
        config.add_to(parser);
        host.add_to(parser);
    }
};

std::string checked_name(const Words& words) {
    const std::vector<std::string> names = scenarios::probe_names();
    std::string expected = "one of";
    for (const std::string& name : names) expected += (expected == "one of" ? " " : ", ") + name;
    if (words.subjects.empty()) throw UserError("no probe given").expected(expected);
    for (const std::string& name : names) {
        if (name == words.subjects.front()) return name;
    }
    throw UserError("unknown probe")
        .value(words.subjects.front())
        .expected(expected)
        .nearest(words.subjects.front(), names);
}

}  // namespace

int run_probe(const std::vector<std::string>& arguments) {
    ProbeCommandOptions options;
    Parser parser("probe", "Measures the modelled machine as one measures a real one.",
                  "latency|bandwidth|c2c|tlb -p PLATFORM [options]");
    options.add_to(parser);
    parser.subjects([](const std::string& /*word*/, const std::vector<std::string>& so_far) {
        return so_far.empty();
    });
    const Words words = parser.parse(arguments);
    options.host.apply();
    const std::string name = checked_name(words);
    if (!words.rest.empty()) {
        throw UserError("a word that is no option").value(words.rest.front());
    }
    scenarios::ProbeOptions probe;
    measure::RunConfig config;
    config.spec.seed = probe.seed;
    if (options.config.load) config = options.config.start({true, false, false});
    apply(options.machine, config.spec);
    if (options.seed) config.spec.seed = *options.seed;
    probe.seed = config.spec.seed;
    std::vector<std::string> names = {config.spec.platform};
    if (config.spec.platform_text.empty()) names = platform_list(config.spec.platform);
    std::vector<model::Platform> platforms;
    for (const std::string& platform : names) {
        measure::RunSpec spec = config.spec;
        spec.platform = platform;
        platforms.push_back(measure::prepare_platform(spec, default_dirs()));
    }
    Output output(options.file, Output::Stream::kStdout);
    options.config.write([&] {
        if (names.size() != 1) refuse_platforms_in_config();
        return measure::write_run_config(config, default_dirs());
    });
    const measure::ProbeFormat format =
        options.format == "csv" ? measure::ProbeFormat::kCsv : measure::ProbeFormat::kText;
    measure::InterruptGuard interrupt;
    const bool complete = measure::run_probes(name, platforms, probe, format,
                                              static_cast<unsigned>(options.host.jobs), &interrupt,
                                              [&](const std::string& text) { output.write(text); });
    output.finish();
    return complete ? 0 : measure::kExitInterrupted;
}

}  // namespace linefill::app
