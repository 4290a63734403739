// SPDX-License-Identifier: Apache-2.0
// linefill validate: a file of measurements against what the model predicts for them.
#include <algorithm>
#include <optional>

#include "app/command.h"
#include "app/options.h"
#include "app/output.h"
#include "app/parser.h"
#include "app/session.h"
#include "measure/perf_text.h"
#include "measure/run_header.h"
#include "measure/validate_run.h"
#include "model/sim/error.h"

namespace linefill::app {
namespace {

using model::UserError;

struct ValidateOptions {
    std::vector<std::string> overrides;
    std::vector<std::string> ablations;
    std::optional<std::string> quantum;
    bool no_draws = false;
    RepeatOptions repeat;
    std::string format = "text";
    std::optional<std::string> file;
    ConfigFileOptions config;
    HostOptions host;

    void add_to(Parser& parser) {
        parser.group("Machine");
        parser.texts("--set", overrides, "KEY=VALUE", "changes a key of every platform");
        parser.text("--quantum", quantum, "TIME", "how far a CPU may run ahead of the others");
        parser.texts("--ablate", ablations, "MECHANISM", "runs without one mechanism of the model");
        parser.flag("--no-draws", no_draws, "draws nothing from the seed");
        repeat.add_to(parser);
        parser.group("Output");
        parser.choice("--format", format, {"text", "csv"}, "how the result is written");
        parser.text("-o,--output", file, "FILE", "the result goes there instead of to stdout");
        config.add_to(parser);
        host.add_to(parser);
    }
};

/// Names in a configuration; platforms have a number behind theirs.
const std::string kCommon = "common";
const std::string kPlatform = "platform";

/// What is the same for all rows, and the platforms as --load-config has them.
struct Configuration {
    measure::RunConfig common;
    measure::PlatformTexts platforms;
};

Configuration configuration_of(const ValidateOptions& options) {
    constexpr unsigned kUsualRepeats = 10;
    Configuration configuration;
    measure::RunConfig& common = configuration.common;
    common.repeats = kUsualRepeats;
    for (const measure::NamedConfig& named :
         options.config.start_named({false, false, false}, kCommon, kPlatform)) {
        if (named.name == kCommon) {
            common = named.config;
        } else {
            configuration.platforms[named.config.spec.platform] = named.config.spec;
        }
    }
    MachineOptions machine;
    machine.overrides = options.overrides;
    machine.ablations = options.ablations;
    machine.quantum = options.quantum;
    machine.no_draws = options.no_draws;
    apply(machine, common.spec);
    apply(options.repeat, common.spec);
    if (options.repeat.repeats) common.repeats = static_cast<unsigned>(*options.repeat.repeats);
    return configuration;
}

/// The common part, and every platform that is run on.
std::string dump_of(const measure::RunConfig& common, const measure::ValidationPlan& plan) {
    std::vector<measure::NamedConfig> configs = {{kCommon, common}};
    std::vector<std::string> known;
    for (const measure::ValidationRun& run : plan.runs()) {
        if (std::find(known.begin(), known.end(), run.spec.platform) != known.end()) continue;
        known.push_back(run.spec.platform);
        measure::RunConfig config;
        config.spec = common.spec;
        config.spec.platform = run.spec.platform;
        config.spec.platform_text = run.spec.platform_text;
        config.spec.platform_file = run.spec.platform_file;
        config.spec.overrides_in_text = run.spec.overrides_in_text;
        configs.push_back({kPlatform + std::to_string(known.size()), config});
    }
    return measure::write_named_configs(configs, default_dirs());
}

std::vector<std::string> header_of(const measure::RunSpec& common, unsigned repeats) {
    measure::RunSpec shown = common;
    shown.platform = shown.kernel = "of each row";
    return {"linefill " LINEFILL_VERSION, "linefill runs: " + measure::side_line(shown),
            "linefill seed: " + std::to_string(common.seed) + " to " +
                std::to_string(common.seed + repeats - 1)};
}

}  // namespace

int run_validate(const std::vector<std::string>& arguments) {
    ValidateOptions options;
    Parser parser("validate", "Predicted against measured figures.", "FILE.csv [options]");
    options.add_to(parser);
    parser.subjects([](const std::string& /*word*/, const std::vector<std::string>& so_far) {
        return so_far.empty();
    });
    const Words words = parser.parse(arguments);
    options.host.apply();
    if (words.subjects.empty()) {
        throw UserError("no file of measurements").expected("linefill validate FILE.csv");
    }
    if (!words.rest.empty()) throw UserError("one file at a time").value(words.rest.front());
    const std::string& file = words.subjects.front();
    const Configuration configuration = configuration_of(options);
    const measure::RunSpec& common = configuration.common.spec;
    const unsigned repeats = configuration.common.repeats;
    measure::ValidationPlan plan(measure::parse_measurements(read_input(file), file), file, common,
                                 default_dirs(), configuration.platforms);
    Output output(options.file, Output::Stream::kStdout);
    options.config.write([&] { return dump_of(configuration.common, plan); });

    const bool csv = options.format == "csv";
    std::size_t width = 0;
    for (const auto& group : plan.measurements().groups) width = std::max(width, group.name.size());
    const auto print_ready = [&] {
        for (const measure::GroupCheck& group : plan.take_ready_groups()) {
            output.write(csv ? measure::validation_csv_group(plan.measurements(), group)
                             : measure::validation_group(plan.measurements(), group,
                                                         static_cast<int>(width)));
        }
    };
    output.write(csv ? measure::validation_csv_heading()
                     : measure::comment_block(header_of(common, repeats)) +
                           measure::validation_heading(static_cast<int>(width)));
    Session session(options.host);
    session.run(plan.row_plan(repeats), [&](const measure::RowOutcome& outcome) {
        plan.add(outcome);
        print_ready();
    });
    plan.close("not finished");
    print_ready();
    if (!csv) {
        output.write(measure::validation_summary(plan.result(), plan.work()));
        output.write(plan.ratio_by_definition());
    }
    const int code = session.finish();
    output.finish();
    return code;
}

}  // namespace linefill::app
