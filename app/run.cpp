// SPDX-License-Identifier: Apache-2.0
// Picks the command, and turns exceptions into messages and exit codes.
#include "app/run.h"

#include <cstdio>
#include <exception>
#include <new>

#include "app/command.h"
#include "app/logging.h"
#include "app/output.h"
#include "app/parser.h"
#include "model/sim/error.h"

namespace linefill::app {
namespace {

using model::UserError;

Command later(const std::string& name, const std::string& summary) {
    return {name, summary + " (not built yet)",
            [name](const std::vector<std::string>& /*arguments*/) -> int {
                refuse_not_built("linefill " + name);
            }};
}

std::string help_text() {
    std::string text =
        "linefill predicts what a kernel patch or a hardware change does to cycles and cache "
        "misses.\n\nUsage: linefill COMMAND [options] [-- WORKLOAD [ARGS]]\n\nCommands:\n";
    for (const Command& command : commands()) {
        text += "  " + command.name + std::string(14 - command.name.size(), ' ') + command.summary +
                "\n";
    }
    return text +
           "\nlinefill COMMAND --help shows a command's options.\n"
           "Exit codes: 0 done; 2 wrong input; 3 the simulated system failed; 4 internal error, or "
           "an\noutput that fails while written; 130 interrupted.\n";
}

int dispatch(const std::vector<std::string>& words) {
    if (words.empty()) {
        throw UserError("no command").expected("a command, such as stat or compare; see --help");
    }
    if (words[0] == "-h" || words[0] == "--help" || words[0] == "help") {
        write_stdout(help_text());
        return 0;
    }
    if (words[0] == "--version") {
        write_stdout("linefill " LINEFILL_VERSION "\n");
        return 0;
    }
    std::vector<std::string> names;
    for (const Command& command : commands()) {
        if (command.name == words[0]) {
            return command.run({words.begin() + 1, words.end()});
        }
        names.push_back(command.name);
    }
    throw UserError(words[0].rfind('-', 0) == 0 ? "unknown option" : "unknown command")
        .value(words[0])
        .expected("a command; linefill --help lists them")
        .nearest(words[0], names);
}

int complain(const std::string& message, int code) {
    log_error(message);
    write_stderr("linefill: error: " + message + "\n");
    return code;
}

}  // namespace

const std::vector<Command>& commands() {
    static const std::vector<Command> kAll = {
        {"compare", "two kernels or machines against each other, and why they differ", run_compare},
        {"stat", "counts events of a workload, as perf stat does", run_stat},
        {"report", "where cycles and misses are, and who caused them", run_report},
        {"probe", "measures the modelled machine as one measures a real one", run_probe},
        {"validate", "predicted against measured figures", run_validate},
        {"list", "names of platforms, kernels, patches, workloads, events, ...", run_list},
        {"show", "one of them: what it is, its parameters, units and sources", run_show},
        {"check", "reads platform, scenario and measurement files and says what is wrong",
         run_check},
        {"new", "starts a file of your own: new patch NAME --from VERSION", run_new},
        later("trace", "ftrace text and Chrome JSON of a run"),
        later("sweep", "a study over many configurations"),
        later("sensitivity", "which parameters of a machine matter"),
        later("results", "the database of a study"),
        later("replay", "an outside memory trace through the caches"),
        later("platform", "imports machine descriptions")};
    return kAll;
}

void refuse_not_built(const std::string& what) { throw UserError("not built yet: " + what); }

int run_command_line(const std::vector<std::string>& words) {
    try {
        return dispatch(words);
    } catch (const HelpRequested& help) {
        try {
            write_stdout(help.text);
        } catch (const std::exception& error) {
            return complain(error.what(), model::kExitInternalError);
        }
        return 0;
    } catch (const UserError& error) {
        return complain(error.what(), model::kExitUserError);
    } catch (const model::SimulationError& error) {
        const int code = complain(error.what(), model::kExitSimulationError);
        if (!error.report().empty()) write_stderr(error.report() + "\n");
        return code;
    } catch (const std::bad_alloc&) {
        return complain("out of memory", model::kExitInternalError);
    } catch (const std::exception& error) {
        return complain(error.what(), model::kExitInternalError);
    }
}

}  // namespace linefill::app
