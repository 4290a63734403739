// SPDX-License-Identifier: Apache-2.0
// What perf stat shows of a set of runs, before it is laid out: one row per event with its notes.
// The text, CSV and JSON writers differ only in layout.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/metrics.h"
#include "measure/run_result.h"

namespace linefill::measure {

/// How the number of a note is written in text and CSV (JSON always has six decimals).
enum class NoteForm {
    kThreeDecimals,  ///< "   2.855"
    kTwoDecimals,    ///< "   0.24 "
    kPercent,        ///< "  13.90%"
    kPercentApart,   ///< "  14.000 %"
};

/// What stands behind `#` in a row: a rate, a ratio.
struct PerfNote {
    NoteForm form = NoteForm::kThreeDecimals;
    double value = 0;
    std::string unit;
    /// False: perf has a note for this event, but nothing to work it out from. Text and CSV then
    /// leave the place empty; JSON keeps the unit.
    bool known = true;
};

struct PerfRow {
    enum class State { kCounted, kNotCounted, kNotSupported };

    /// As the user gave it.
    std::string name;
    State state = State::kCounted;
    /// Mean over the runs, in `unit`.
    double value = 0;
    /// "msec" for the clocks, a figure's own unit, empty for plain counts.
    std::string unit;
    /// A figure that the workload reports, which has decimals and no notes.
    bool is_figure = false;
    /// perf's `+-`, percent.
    double noise_pct = 0;
    /// Mean time the counter ran, ns.
    double running_ns = 0;
    /// Share of the time that it ran, percent.
    double running_pct = 100;
    /// At least one for a counted event, the second on a line of its own.
    std::vector<PerfNote> notes;
};

/// Names of the columns that a row may start with when counts are split or taken at intervals.
struct RowScope {
    enum class Kind { kAll, kCpu, kSocket, kCore, kNode, kThread };

    Kind kind = Kind::kAll;
    /// The CPU's number or the thread's id.
    int id = 0;
    /// "S0", "S0-D0-C0", "N0", or the thread's name.
    std::string name;
    /// How many CPUs were added up (sockets, cores, nodes).
    int aggregated = 0;
    /// The end of the interval, seconds since the start.
    std::optional<double> interval_s;
};

struct ScopedRuns {
    RowScope scope;
    std::vector<RunResult> runs;
};

/// Everything that one block of perf stat output shows.
struct StatReport {
    /// What stands between the quotes of the title; system_wide has a title of its own.
    std::string command;
    bool system_wide = false;
    /// Lines that say what was simulated, without their "# ".
    std::vector<std::string> header;
    /// In the order of the rows.
    std::vector<std::string> events;
    /// The workload's figures, shown after the events unless named among them.
    std::vector<MetricInfo> figures;
    /// One entry unless counts are split (-A, --per-socket, ...) or taken at intervals (-I). All
    /// entries have equally many runs.
    std::vector<ScopedRuns> parts;
    /// The whole runs behind parts that are split: their times, and the workload's figures.
    std::vector<RunResult> whole;

    [[nodiscard]] const std::vector<RunResult>& whole_runs() const {
        return whole.empty() && !parts.empty() ? parts.front().runs : whole;
    }
    [[nodiscard]] bool at_intervals() const {
        return !parts.empty() && parts.front().scope.interval_s.has_value();
    }
};

/// A report of `runs` without any split.
[[nodiscard]] StatReport make_report(std::string command, std::vector<std::string> events,
                                     std::vector<RunResult> runs);

/// The rows of one part: its events, then its figures. Where perf 6.1 itself shows the last of
/// several runs with the spread of all, the mean is shown. Throws std::invalid_argument without runs.
[[nodiscard]] std::vector<PerfRow> perf_rows(const StatReport& report, const ScopedRuns& part);

/// The parts and rows in the order in which perf prints them: with -A all CPUs of an event follow
/// each other, with --per-thread those threads that counted anything, largest count first; in every
/// other split all events of a part. Behind parts that are split, but not at intervals, stand the
/// workload's figures, of the whole run.
struct PlacedRow {
    RowScope scope;
    PerfRow row;
};
[[nodiscard]] std::vector<PlacedRow> placed_rows(const StatReport& report);

/// What stands in the place of a count that there is not, the same in all forms; nothing for a
/// counted row.
[[nodiscard]] std::optional<std::string_view> missing_text(const PerfRow& row);

/// How many CPUs the row of a socket, core or node says it adds up: perf stops at the first that did
/// not count.
[[nodiscard]] int aggregated_cpus(const RowScope& scope, const PerfRow& row);

/// "sampling error: cycles 0.42%, ..." for the header of a single sampled run; empty if the run was
/// not sampled.
[[nodiscard]] std::string sampling_error_line(const RunResult& run,
                                              const std::vector<std::string>& names);

}  // namespace linefill::measure
