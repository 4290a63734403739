// SPDX-License-Identifier: Apache-2.0
// A probe's rows lined up: what was found, what the machine's file says, how far apart they are.
#include "measure/probe_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "measure/run_outcome.h"
#include "measure/text_format.h"
#include "measure/worker_pool.h"
#include "model/sim/error.h"

namespace linefill::measure {
namespace {

constexpr int kDigits = 4;

using Line = std::vector<std::string>;

std::string verdict(const scenarios::ProbeRow& row) {
    if (!row.target || row.tolerance <= 0) return "";
    return std::abs(row.deviation_pct()) <= 100 * row.tolerance ? "ok" : "off";
}

Line text_line(const scenarios::ProbeRow& row) {
    Line line = {row.what,
                 row.parameter,
                 plain_digits(row.predicted, kDigits) + " " + row.unit,
                 row.cycles > 0 ? plain_digits(row.cycles, kDigits) : "",
                 "",
                 "",
                 "",
                 row.level};
    if (row.target) {
        line[4] = plain_digits(*row.target, kDigits) + " " + row.unit;
        line[5] = (row.deviation_pct() >= 0 ? "+" : "") + fixed(row.deviation_pct(), 1) + "%";
        line[6] = verdict(row);
    }
    return line;
}

std::string print_text(const scenarios::ProbeTable& table, const model::Platform& platform) {
    const Line heading = {"what", "parameter", "found", "cycles", "target", "apart", "", "level"};
    std::vector<Line> lines = {heading};
    for (const scenarios::ProbeRow& row : table.rows) lines.push_back(text_line(row));
    std::vector<std::size_t> widths(heading.size(), 0);
    for (const Line& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i)
            widths[i] = std::max(widths[i], line[i].size());
    }
    std::string text = "# linefill " LINEFILL_VERSION "\n# linefill platform: " + platform.name +
                       "\n\n" + table.title + "\n\n";
    for (const Line& line : lines) {
        std::string printed;
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (widths[i] == 0) continue;
            const int width = static_cast<int>(widths[i]);
            // Numbers end under each other, words begin under each other.
            const bool number = i >= 2 && i <= 5;
            printed += (printed.empty() ? "" : "  ") +
                       (number ? right_aligned(line[i], width) : left_aligned(line[i], width));
        }
        printed.erase(printed.find_last_not_of(' ') + 1);
        text += printed + "\n";
    }
    // Each source once, in the order of the rows.
    Line sources;
    for (const scenarios::ProbeRow& row : table.rows) {
        if (!row.target || row.target_key.empty()) continue;
        const std::string line = row.target_key + ": " + row.target_source;
        if (std::find(sources.begin(), sources.end(), line) == sources.end()) {
            sources.push_back(line);
        }
    }
    if (!sources.empty()) text += "\nTargets:\n";
    for (const std::string& line : sources) text += "  " + line + "\n";
    return text;
}

std::string print_csv(const scenarios::ProbeTable& table, const model::Platform& platform) {
    constexpr int kSignificant = 6;
    std::string text =
        "platform,what,parameter,level,unit,found,cycles,target,deviation_pct,tolerance_pct,"
        "target_key\n";
    for (const scenarios::ProbeRow& row : table.rows) {
        const auto number = [](double value) { return significant(value, kSignificant); };
        const Line fields = {platform.name,
                             row.what,
                             row.parameter,
                             row.level,
                             row.unit,
                             number(row.predicted),
                             row.cycles > 0 ? number(row.cycles) : "",
                             row.target ? number(*row.target) : "",
                             row.target ? number(row.deviation_pct()) : "",
                             row.tolerance > 0 ? number(100 * row.tolerance) : "",
                             row.target_key};
        std::string line;
        for (const std::string& field : fields)
            line += (line.empty() ? "" : ",") + csv_field(field);
        text += line + "\n";
    }
    return text;
}

}  // namespace

std::string print_probe(const scenarios::ProbeTable& table, const model::Platform& platform,
                        ProbeFormat format) {
    return format == ProbeFormat::kCsv ? print_csv(table, platform) : print_text(table, platform);
}

bool run_probes(const std::string& name, const std::vector<model::Platform>& platforms,
                const scenarios::ProbeOptions& options, ProbeFormat format, unsigned jobs,
                const InterruptGuard* interrupt,
                const std::function<void(const std::string&)>& on_table) {
    // The text travels in the place of a run's attribution; failures travel as those of runs do.
    const RunFunction probe = [&](const RunSpec& spec) {
        const model::Platform& platform = platforms.at(spec.seed);
        RunOutcome outcome;
        outcome.attribution =
            print_probe(scenarios::run_probe(name, platform, options), platform, format);
        return outcome;
    };
    std::map<std::size_t, RunOutcome> tables;
    const bool complete = run_in_processes(
        platforms.size(), jobs == 0 ? host_cpus() : jobs,
        [&](std::size_t index) {
            RunSpec spec;
            spec.seed = index;
            return encode(guarded_run(probe, spec));
        },
        [&](std::size_t index, const JobEnd& end) {
            if (end.signal != 0 || end.exit_code != 0) {
                throw model::InternalError("the probe " + name + " on " + platforms[index].name +
                                           " was ended by signal " + std::to_string(end.signal));
            }
            tables.emplace(index, decode(end.bytes));
        },
        interrupt);
    for (const auto& [index, outcome] : tables) {
        switch (outcome.status) {
            case RunStatus::kDone:
                on_table(outcome.attribution);
                break;
            case RunStatus::kUserError:
                throw model::UserError(outcome.message);
            case RunStatus::kSimulationError:
                throw model::SimulationError(outcome.message, outcome.report);
            default:
                throw model::InternalError(outcome.message);
        }
    }
    return complete;
}

}  // namespace linefill::measure
