// SPDX-License-Identifier: Apache-2.0
// Averages over runs and perf's derived notes. Which note an event has, and what it shows when its
// base is missing or zero, was read off perf 6.1 given made-up counts.
#include "measure/perf_rows.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "measure/event_list.h"
#include "measure/statistics.h"
#include "measure/text_format.h"

namespace linefill::measure {
namespace {

constexpr double kPercent = 100.0;
constexpr double kNsPerSecond = 1e9;
constexpr double kNsPerMillisecond = 1e6;

bool is_clock(const EventName& name) {
    return name.event == "task-clock" || name.event == "cpu-clock";
}

/// One event summed up over the runs, in its own unit (clocks: ns).
struct Counted {
    EventName name;
    PerfRow::State state = PerfRow::State::kCounted;
    double mean = 0;
    double noise_pct = 0;
    double running_ns = 0;
    double running_pct = kPercent;
};

Counted sum_up(const std::string& event, const std::vector<RunResult>& runs) {
    Counted counted;
    counted.name = parse_event_name(event);
    Welford values;
    Welford running;
    Welford enabled;
    bool partly = false;
    for (const RunResult& run : runs) {
        const auto found = run.events.find(event);
        if (found == run.events.end() || !found->second.supported) {
            counted.state = PerfRow::State::kNotSupported;
            return counted;
        }
        const EventCount& count = found->second;
        values.add(count.value);
        running.add(count.running_ns);
        enabled.add(count.running_pct > 0 ? count.running_ns * kPercent / count.running_pct : 0);
        partly = partly || count.running_pct != kPercent;
    }
    counted.running_ns = running.mean();
    if (running.mean() <= 0) {
        counted.state = PerfRow::State::kNotCounted;
        return counted;
    }
    counted.mean = values.mean();
    counted.noise_pct = values.relative_error_pct();
    if (partly && enabled.mean() > 0) {
        counted.running_pct = kPercent * running.mean() / enabled.mean();
    }
    return counted;
}

/// What notes are worked out from.
struct Context {
    std::vector<Counted> events;
    double elapsed_ns = 0;
};

// The mean over all shown events of that name and mode, as perf has it; nothing if none can be
// counted. One that never ran counts as 0.
std::optional<double> base_of(const Context& context, std::string_view event, char modifier) {
    Welford values;
    for (const Counted& counted : context.events) {
        if (counted.state != PerfRow::State::kNotSupported && counted.name.event == event &&
            counted.name.modifier == modifier) {
            values.add(counted.mean);
        }
    }
    return values.count() == 0 ? std::nullopt : std::optional<double>(values.mean());
}

// Clocks serve as base whatever their mode.
std::optional<double> clock_ns(const Context& context) {
    Welford values;
    for (const Counted& counted : context.events) {
        if (counted.state != PerfRow::State::kNotSupported && is_clock(counted.name)) {
            values.add(counted.mean);
        }
    }
    return values.count() == 0 ? std::nullopt : std::optional<double>(values.mean());
}

double quotient(double above, double below) { return below == 0 ? 0 : above / below; }

struct Share {
    std::string_view event;
    std::string_view base;
    std::string_view unit;
    NoteForm form;
};

constexpr std::array<Share, 7> kShares = {
    {{"branch-misses", "branches", "of all branches", NoteForm::kPercent},
     {"L1-dcache-load-misses", "L1-dcache-loads", "of all L1-dcache accesses", NoteForm::kPercent},
     {"L1-icache-load-misses", "L1-icache-loads", "of all L1-icache accesses", NoteForm::kPercent},
     {"dTLB-load-misses", "dTLB-loads", "of all dTLB cache accesses", NoteForm::kPercent},
     {"iTLB-load-misses", "iTLB-loads", "of all iTLB cache accesses", NoteForm::kPercent},
     {"LLC-load-misses", "LLC-loads", "of all LL-cache accesses", NoteForm::kPercent},
     {"cache-misses", "cache-references", "of all cache refs", NoteForm::kPercentApart}}};

PerfNote rate_note(const Context& context, double value) {
    const std::optional<double> clock = clock_ns(context);
    if (!clock) {
        // perf hands a null pointer to printf here; seen in JSON only.
        return {NoteForm::kThreeDecimals, 0, "(null)", false};
    }
    constexpr double kStep = 1000;
    constexpr std::array<std::string_view, 4> kUnits = {"/sec", "K/sec", "M/sec", "G/sec"};
    double rate = quotient(value * kNsPerSecond, *clock);
    std::size_t unit = 0;
    // 1000 itself keeps its unit.
    while (rate > kStep && unit + 1 < kUnits.size()) {
        rate /= kStep;
        ++unit;
    }
    return {NoteForm::kThreeDecimals, rate, std::string(kUnits[unit]), true};
}

std::vector<PerfNote> instruction_notes(const Context& context, const Counted& counted) {
    const char modifier = counted.name.modifier;
    const double cycles = base_of(context, "cycles", modifier).value_or(0);
    std::vector<PerfNote> notes = {
        {NoteForm::kTwoDecimals, quotient(counted.mean, cycles), "insn per cycle", cycles != 0}};
    const double stalled =
        std::max(base_of(context, "stalled-cycles-frontend", modifier).value_or(0),
                 base_of(context, "stalled-cycles-backend", modifier).value_or(0));
    if (stalled != 0 && counted.mean != 0) {
        notes.push_back(
            {NoteForm::kTwoDecimals, stalled / counted.mean, "stalled cycles per insn", true});
    }
    return notes;
}

std::vector<PerfNote> notes_of(const Context& context, const Counted& counted) {
    const std::string& event = counted.name.event;
    const char modifier = counted.name.modifier;
    if (is_clock(counted.name)) {
        return {{NoteForm::kThreeDecimals, quotient(counted.mean, context.elapsed_ns),
                 "CPUs utilized", context.elapsed_ns != 0}};
    }
    if (event == "cycles") {
        const double clock = clock_ns(context).value_or(0);
        // The other spelling is perf's, where there is no clock to divide by.
        return {{NoteForm::kThreeDecimals, quotient(counted.mean, clock),
                 clock != 0 ? "GHz" : "Ghz", clock != 0}};
    }
    if (event == "instructions") {
        return instruction_notes(context, counted);
    }
    if (event == "stalled-cycles-frontend" || event == "stalled-cycles-backend") {
        const bool front = event == "stalled-cycles-frontend";
        const double cycles = base_of(context, "cycles", modifier).value_or(0);
        return {{NoteForm::kPercent, kPercent * quotient(counted.mean, cycles),
                 front ? "frontend cycles idle" : "backend cycles idle", !front || cycles != 0}};
    }
    for (const Share& share : kShares) {
        if (event == share.event) {
            const std::optional<double> base = base_of(context, share.base, modifier);
            return {{share.form, kPercent * quotient(counted.mean, base.value_or(0)),
                     std::string(share.unit), base.has_value()}};
        }
    }
    return {rate_note(context, counted.mean)};
}

PerfRow figure_row(const MetricInfo& info, const std::vector<RunResult>& runs, double elapsed_ns) {
    PerfRow row;
    row.name = info.name;
    row.unit = info.unit;
    row.is_figure = true;
    Welford values;
    for (const RunResult& run : runs) {
        if (const std::optional<double> value = metric_value(run, info.name)) {
            values.add(*value);
        }
    }
    if (values.count() != runs.size()) {
        row.state = PerfRow::State::kNotSupported;
        return row;
    }
    row.value = values.mean();
    row.noise_pct = values.relative_error_pct();
    row.running_ns = elapsed_ns;
    row.notes = {{NoteForm::kThreeDecimals, 0, "", false}};
    return row;
}

PerfRow event_row(const Context& context, const Counted& counted) {
    PerfRow row;
    row.name = counted.name.full;
    row.state = counted.state;
    row.unit = is_clock(counted.name) ? "msec" : "";
    if (counted.state == PerfRow::State::kCounted) {
        row.value = is_clock(counted.name) ? counted.mean / kNsPerMillisecond : counted.mean;
        row.noise_pct = counted.noise_pct;
        row.running_ns = counted.running_ns;
        row.running_pct = counted.running_pct;
        row.notes = notes_of(context, counted);
    }
    return row;
}

// What a name in the list means if it is no event: a figure of the workload, a time, a ratio.
std::optional<MetricInfo> as_figure(const StatReport& report, const std::string& name,
                                    const std::vector<RunResult>& runs) {
    for (const MetricInfo& figure : report.figures) {
        if (figure.name == name) {
            return figure;
        }
    }
    if (ratio_parts(name) || name == "elapsed" || name == "user" || name == "sys" ||
        runs.front().metrics.count(name) != 0) {
        return describe_metric(name);
    }
    return std::nullopt;
}

bool same_interval(const ScopedRuns& one, const ScopedRuns& other) {
    return one.scope.interval_s == other.scope.interval_s;
}

}  // namespace

StatReport make_report(std::string command, std::vector<std::string> events,
                       std::vector<RunResult> runs) {
    StatReport report;
    report.command = std::move(command);
    report.events = std::move(events);
    report.parts.push_back({RowScope{}, std::move(runs)});
    return report;
}

std::vector<PerfRow> perf_rows(const StatReport& report, const ScopedRuns& part) {
    if (part.runs.empty()) {
        throw std::invalid_argument("perf stat output needs at least one run");
    }
    Context context;
    Welford elapsed;
    for (const RunResult& run : part.runs) {
        elapsed.add(run.elapsed_s * kNsPerSecond);
    }
    context.elapsed_ns = elapsed.mean();
    for (const std::string& name : report.events) {
        if (!as_figure(report, name, part.runs)) {
            context.events.push_back(sum_up(name, part.runs));
        }
    }

    std::vector<PerfRow> rows;
    auto next = context.events.begin();
    for (const std::string& name : report.events) {
        if (const auto figure = as_figure(report, name, part.runs)) {
            rows.push_back(figure_row(*figure, part.runs, context.elapsed_ns));
        } else {
            rows.push_back(event_row(context, *next++));
        }
    }
    for (const MetricInfo& figure : report.figures) {
        if (std::find(report.events.begin(), report.events.end(), figure.name) ==
            report.events.end()) {
            rows.push_back(figure_row(figure, part.runs, context.elapsed_ns));
        }
    }
    return rows;
}

std::optional<std::string_view> missing_text(const PerfRow& row) {
    switch (row.state) {
        case PerfRow::State::kNotSupported:
            return "<not supported>";
        case PerfRow::State::kNotCounted:
            return "<not counted>";
        case PerfRow::State::kCounted:
            break;
    }
    return std::nullopt;
}

int aggregated_cpus(const RowScope& scope, const PerfRow& row) {
    return row.state == PerfRow::State::kCounted ? scope.aggregated : 1;
}

std::vector<PlacedRow> placed_rows(const StatReport& report) {
    std::vector<PlacedRow> placed;
    StatReport shown;
    shown.events = report.events;
    if (report.whole.empty()) shown.figures = report.figures;
    std::size_t first = 0;
    while (first < report.parts.size()) {
        std::size_t end = first + 1;
        const RowScope::Kind kind = report.parts[first].scope.kind;
        const bool by_event = kind == RowScope::Kind::kCpu || kind == RowScope::Kind::kThread;
        while (by_event && end < report.parts.size() &&
               same_interval(report.parts[first], report.parts[end])) {
            ++end;
        }
        std::vector<std::vector<PerfRow>> rows;
        for (std::size_t part = first; part < end; ++part) {
            rows.push_back(perf_rows(shown, report.parts[part]));
        }
        for (std::size_t row = 0; row < rows.front().size(); ++row) {
            std::vector<PlacedRow> event;
            for (std::size_t part = first; part < end; ++part) {
                const PerfRow& one = rows[part - first][row];
                const bool nothing = one.state != PerfRow::State::kCounted || one.value == 0;
                if (kind == RowScope::Kind::kThread && nothing) continue;
                event.push_back({report.parts[part].scope, one});
            }
            if (kind == RowScope::Kind::kThread) {
                std::stable_sort(event.begin(), event.end(),
                                 [](const PlacedRow& a, const PlacedRow& b) {
                                     return a.row.value > b.row.value;
                                 });
            }
            placed.insert(placed.end(), event.begin(), event.end());
        }
        first = end;
    }
    if (!report.whole.empty() && !report.at_intervals()) {
        shown.figures = report.figures;
        shown.events.clear();
        for (const PerfRow& row : perf_rows(shown, {RowScope{}, report.whole})) {
            placed.push_back({RowScope{}, row});
        }
    }
    return placed;
}

std::string sampling_error_line(const RunResult& run, const std::vector<std::string>& names) {
    std::string line;
    for (const std::string& name : names) {
        const double error = metric_sampling_error(run, name);
        if (error > 0) {
            line += line.empty() ? "linefill sampling error (one standard error): " : ", ";
            line += name + " " + fixed(error, 2) + "%";
        }
    }
    return line;
}

}  // namespace linefill::measure
