// SPDX-License-Identifier: Apache-2.0
// The text form: the reference sheet's sample block, split and interval rows as perf 6.1 printed
// them, the header, the workload's figures.
#include "measure/perf_text.h"

#include <clocale>
#include <cmath>
#include <limits>
#include <locale>

#include <gtest/gtest.h>

#include "measure/text_format.h"
#include "tests/measure/helpers.h"

namespace linefill::measure {
namespace {

struct SampleEvent {
    const char* name;
    double mean;
    double noise_pct;
    double running_pct;
};

StatReport sample_report() {
    const std::vector<SampleEvent> sample = {{"task-clock", 55123456789, 1.19, 100},
                                             {"context-switches", 1234, 3.10, 100},
                                             {"cpu-migrations", 17, 9.80, 100},
                                             {"page-faults", 98, 0.41, 100},
                                             {"cycles", 157361728394, 1.19, 38.46},
                                             {"instructions", 38200000000, 0.88, 46.15},
                                             {"branches", 7900000000, 0.90, 46.15},
                                             {"branch-misses", 41000000, 1.61, 46.15},
                                             {"L1-dcache-loads", 11800000000, 0.97, 30.77},
                                             {"L1-dcache-load-misses", 1640000000, 2.53, 30.77}};
    std::vector<std::string> events;
    std::vector<RunResult> runs(10);
    for (const SampleEvent& event : sample) {
        events.emplace_back(event.name);
        for (int i = 0; i < 10; ++i) {
            runs[i].events[event.name] = counted(one_of_ten(i, event.mean, event.noise_pct),
                                                 5e10 * event.running_pct / 100, event.running_pct);
        }
    }
    for (int i = 0; i < 10; ++i) {
        runs[i].elapsed_s = one_of_ten(i, 3.48123, 1.21);
    }
    return make_report("./pound_clock_gettime", events, runs);
}

// The reference has trailing blanks cut; here no row of the block ends in one.
constexpr const char* kSampleBlock = R"(
 Performance counter stats for './pound_clock_gettime' (10 runs):

         55,123.46 msec task-clock                       #   15.834 CPUs utilized            ( +-  1.19% )
             1,234      context-switches                 #   22.386 /sec                     ( +-  3.10% )
                17      cpu-migrations                   #    0.308 /sec                     ( +-  9.80% )
                98      page-faults                      #    1.778 /sec                     ( +-  0.41% )
   157,361,728,394      cycles                           #    2.855 GHz                      ( +-  1.19% )  (38.46%)
    38,200,000,000      instructions                     #    0.24  insn per cycle           ( +-  0.88% )  (46.15%)
     7,900,000,000      branches                         #  143.315 M/sec                    ( +-  0.90% )  (46.15%)
        41,000,000      branch-misses                    #    0.52% of all branches          ( +-  1.61% )  (46.15%)
    11,800,000,000      L1-dcache-loads                  #  214.065 M/sec                    ( +-  0.97% )  (30.77%)
     1,640,000,000      L1-dcache-load-misses            #   13.90% of all L1-dcache accesses  ( +-  2.53% )  (30.77%)

            3.4812 +- 0.0421 seconds time elapsed  ( +-  1.21% )

)";

TEST(PerfText, ReproducesTheSampleBlockOfTheReferenceSheet) {
    EXPECT_EQ(perf_text(sample_report()), kSampleBlock);
}

TEST(PerfText, IsTheSameInEveryLocale) {
    class Commas : public std::numpunct<char> {
        char do_decimal_point() const override { return ','; }
        char do_thousands_sep() const override { return '.'; }
        std::string do_grouping() const override { return "\3"; }
    };
    const std::locale before = std::locale::global(std::locale(std::locale(), new Commas));
    // Of the C library's locales only those installed can be tried.
    for (const char* name : {"de_DE.UTF-8", "en_US.UTF-8", "C"}) {
        std::setlocale(LC_ALL, name);
        EXPECT_EQ(perf_text(sample_report()), kSampleBlock) << name;
    }
    std::locale::global(before);
}

std::string row_of(const std::string& text, const std::string& event) {
    const std::size_t at = text.find(" " + event);
    if (at == std::string::npos) {
        return "";
    }
    const std::size_t begin = text.rfind('\n', at) + 1;
    return text.substr(begin, text.find('\n', at) - begin);
}

RunResult clock_run() {
    RunResult run;
    run.elapsed_s = 2;
    run.events["task-clock"] = counted(1e9);
    return run;
}

TEST(PerfText, UnsupportedEventHasNoNumberAnywhere) {
    RunResult run = clock_run();
    run.events["L1-icache-loads"] = unsupported();
    run.events["L1-icache-load-misses"] = counted(5200000);
    const std::string text = perf_text(
        make_report("w", {"task-clock", "L1-icache-loads", "L1-icache-load-misses"}, {run}));
    EXPECT_EQ(row_of(text, "L1-icache-loads"),
              "   <not supported>      L1-icache-loads          " + std::string(35, ' '));
    // A ratio to something that is not modelled is left out, not 0.
    EXPECT_EQ(row_of(text, "L1-icache-load-misses"),
              "         5,200,000      L1-icache-load-misses           " + std::string(35, ' '));
}

TEST(PerfText, EventThatNoRunKnowsIsNotSupported) {
    const std::string text = perf_text(make_report("w", {"task-clock", "cycles"}, {clock_run()}));
    EXPECT_EQ(row_of(text, "cycles").substr(0, 30), "   <not supported>      cycles");
}

TEST(PerfText, HeaderStandsBeforeTheBlockWithAnEmptyLine) {
    StatReport report = make_report("w", {"task-clock"}, {clock_run()});
    report.header = {"linefill 0.1.0", "linefill seed 1"};
    const std::string text = perf_text(report);
    EXPECT_EQ(
        text.rfind("# linefill 0.1.0\n# linefill seed 1\n\n\n Performance counter stats for 'w':"
                   "\n\n",
                   0),
        0U);
}

TEST(PerfText, FiguresFollowTheEventsAndElapsedStaysInTheTimes) {
    StatReport report = make_report("w", {"task-clock"}, {clock_run(), clock_run()});
    report.parts[0].runs[0].metrics = {{"throughput", 560}, {"elapsed", 2}};
    report.parts[0].runs[1].metrics = {{"throughput", 561}, {"elapsed", 2}};
    report.figures = {describe_metric("elapsed"), describe_metric("throughput", "Mbit/s")};
    const std::string text = perf_text(report);
    EXPECT_EQ(row_of(text, "throughput"),
              left_aligned("           560.500 Mbit/s throughput", 56 + 35) + "  ( +-  0.09% )");
    EXPECT_EQ(text.find(" elapsed  "), std::string::npos);
    EXPECT_LT(text.find("task-clock"), text.find("throughput"));

    report.events.emplace_back("elapsed");
    EXPECT_EQ(row_of(perf_text(report), "elapsed").substr(0, 31),
              "           2.00000 s    elapsed");
}

TEST(PerfText, NoiseColumnsLineUpForCountsAndFigures) {
    StatReport report = make_report("w", {"task-clock"}, {clock_run(), clock_run()});
    report.parts[0].runs[0].events["task-clock"].value = 1.1e9;
    report.parts[0].runs[0].metrics = {{"throughput", 1}};
    report.parts[0].runs[1].metrics = {{"throughput", 2}};
    report.figures = {describe_metric("throughput", "Mbit/s")};
    const std::string text = perf_text(report);
    EXPECT_EQ(row_of(text, "throughput").find("( +-"), row_of(text, "task-clock").find("( +-"));
}

TEST(PerfText, ZeroSpreadPrintsNoNoise) {
    const std::string text =
        perf_text(make_report("w", {"task-clock"}, {clock_run(), clock_run(), clock_run()}));
    EXPECT_EQ(text.find("( +-"), std::string::npos);
    EXPECT_NE(text.find("              2.00 +- 0.00 seconds time elapsed\n\n"), std::string::npos);
}

TEST(PerfText, SystemWideHasItsOwnTitle) {
    StatReport report = make_report("sleep 1", {"task-clock"}, {clock_run()});
    report.system_wide = true;
    EXPECT_EQ(perf_text(report).rfind("\n Performance counter stats for 'system wide':\n", 0), 0U);
}

TEST(PerfText, EventsOfOneCpuEachAreGroupedByEvent) {
    StatReport report = make_report("w", {"cpu-clock", "cycles"}, {clock_run()});
    report.system_wide = true;
    report.parts.clear();
    for (const int cpu : {0, 1}) {
        RunResult run;
        run.elapsed_s = 0.052025415;
        run.events["cpu-clock"] = counted(52010000 + 20000 * cpu, 52010000);
        RowScope scope;
        scope.kind = RowScope::Kind::kCpu;
        scope.id = cpu;
        report.parts.push_back({scope, {run}});
    }
    // Observed: perf 6.1, `perf stat -A -a -e cpu-clock,cycles`.
    EXPECT_EQ(perf_text(report),
              "\n Performance counter stats for 'system wide':\n\n"
              "CPU0                    52.01 msec cpu-clock                        #    1.000 CPUs "
              "utilized          \n"
              "CPU1                    52.03 msec cpu-clock                        #    1.000 CPUs "
              "utilized          \n"
              "CPU0          <not supported>      cycles                                           "
              "           \n"
              "CPU1          <not supported>      cycles                                           "
              "           \n"
              "\n       0.052025415 seconds time elapsed\n\n");
}

/// Parts of one kind at one interval after the other, each with `value` of "context-switches".
StatReport split_report(RowScope::Kind kind, const std::vector<double>& values, int intervals) {
    StatReport report;
    report.system_wide = true;
    report.events = {"context-switches", "cycles"};
    for (int interval = 0; interval < intervals; ++interval) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            RunResult run;
            run.elapsed_s = 0.02;
            run.events["context-switches"] = counted(values[i], 1e6);
            run.events["cycles"] = {0, false, 100, 0};
            RowScope scope{kind, static_cast<int>(i), "w", 16, {}};
            if (intervals > 1) scope.interval_s = 0.02 * (interval + 1);
            report.parts.push_back({scope, {run}});
        }
    }
    return report;
}

TEST(PerfText, OfThreadsThoseThatCountedStandByTheirCount) {
    // Observed: perf 6.1, `perf stat -a --per-thread`: zero and unsupported counts are left out.
    const std::string text = perf_text(split_report(RowScope::Kind::kThread, {2, 0, 7}, 1));
    const std::size_t seven =
        text.find("               w-2                         7      context");
    const std::size_t two = text.find("               w-0                         2      context");
    EXPECT_NE(seven, std::string::npos) << text;
    EXPECT_LT(seven, two);
    EXPECT_NE(two, std::string::npos) << text;
    EXPECT_EQ(text.find("w-1"), std::string::npos);
    EXPECT_EQ(text.find("cycles"), std::string::npos);
}

TEST(PerfText, ASocketThatCannotCountStopsAtItsFirstCpu) {
    // Observed: perf 6.1, `perf stat -a --per-socket -e context-switches,cycles`.
    const std::string text = perf_text(split_report(RowScope::Kind::kSocket, {75}, 1));
    EXPECT_NE(text.find("w        16                 75      context-switches"), std::string::npos)
        << text;
    EXPECT_NE(text.find("w         1    <not supported>      cycles"), std::string::npos);
}

TEST(PerfText, TheHeadingIsRepeatedEvery25Intervals) {
    // Observed: perf 6.1, `perf stat -I 5`.
    const std::string text = perf_text(split_report(RowScope::Kind::kAll, {3}, 51));
    std::size_t headings = 0;
    std::size_t last = 0;
    for (std::size_t at = text.find("#  "); at != std::string::npos;
         at = text.find("#  ", at + 1)) {
        if (text.compare(at, 16, "#           time") != 0) continue;
        ++headings;
        last = at;
    }
    EXPECT_EQ(headings, 3U);
    EXPECT_NE(text.find("     1.020000000", last), std::string::npos);
    EXPECT_EQ(text.find("     1.000000000", last), std::string::npos);
}

TEST(PerfText, FiguresOfTheWholeRunFollowItsParts) {
    StatReport report = split_report(RowScope::Kind::kSocket, {75, 76}, 1);
    report.whole.resize(1);
    report.whole.front().elapsed_s = 1.5;
    report.whole.front().metrics = {{"throughput", 10581.44}};
    report.figures = {describe_metric("throughput", "Mbit/s")};
    const std::string text = perf_text(report);
    EXPECT_EQ(text.find("throughput"), text.rfind("throughput"));
    EXPECT_GT(text.find("throughput"), text.rfind("cycles"));
    EXPECT_NE(text.find("1.500000000 seconds time elapsed"), std::string::npos);
}

std::string first_row(RowScope::Kind kind, const std::string& name, int id, int aggregated,
                      std::optional<double> interval) {
    RunResult run;
    run.elapsed_s = 0.02;
    run.events["cpu-clock"] = counted(11300000, 11300000);
    StatReport report;
    report.events = {"cpu-clock"};
    report.parts = {{{kind, id, name, aggregated, interval}, {run}}};
    const std::string text = perf_text(report);
    if (interval) {
        return text.substr(0, text.find("msec"));
    }
    const std::size_t begin = text.find(":\n\n") + 3;
    return text.substr(begin, text.find("msec") - begin);
}

TEST(PerfText, SplitRowsStartAsPerfPrintsThem) {
    using Kind = RowScope::Kind;
    EXPECT_EQ(first_row(Kind::kSocket, "S0", 0, 2, std::nullopt),
              "S0        2              11.30 ");
    EXPECT_EQ(first_row(Kind::kNode, "N0", 0, 2, std::nullopt), "N0        2              11.30 ");
    EXPECT_EQ(first_row(Kind::kCore, "S0-D0-C0", 0, 1, std::nullopt),
              "S0-D0-C0           1              11.30 ");
    EXPECT_EQ(first_row(Kind::kThread, "perf", 6383, 0, std::nullopt),
              "            perf-6383                  11.30 ");
}

TEST(PerfText, IntervalsHaveAHeadingAndNeitherTitleNorTimes) {
    using Kind = RowScope::Kind;
    EXPECT_EQ(first_row(Kind::kAll, "", 0, 0, 0.030130189),
              "#           time             counts unit events\n"
              "     0.030130189              11.30 ");
    EXPECT_EQ(first_row(Kind::kCpu, "", 0, 0, 0.011195062),
              "#           time CPU                    counts unit events\n"
              "     0.011195062 CPU0                    11.30 ");
    EXPECT_EQ(first_row(Kind::kSocket, "S0", 0, 2, 0.011131690),
              "#           time socket cpus             counts unit events\n"
              "     0.011131690 S0        2              11.30 ");
    EXPECT_EQ(first_row(Kind::kCore, "S0-D0-C0", 0, 1, 0.011196292),
              "#           time core            cpus             counts unit events\n"
              "     0.011196292 S0-D0-C0           1              11.30 ");
    EXPECT_EQ(first_row(Kind::kThread, "perf", 14545, 0, 0.012677492),
              "#           time             comm-pid                  counts unit events\n"
              "     0.012677492             perf-14545                 11.30 ");
}

TEST(PerfText, NotANumberIsPrintedAsSuchAndNeedsARun) {
    RunResult run = clock_run();
    run.metrics["throughput"] = std::numeric_limits<double>::quiet_NaN();
    StatReport report = make_report("w", {"task-clock"}, {run});
    report.figures = {describe_metric("throughput")};
    EXPECT_NE(perf_text(report).find("               nan MB/s throughput"), std::string::npos);
    EXPECT_THROW(static_cast<void>(perf_text(make_report("w", {"cycles"}, {}))),
                 std::invalid_argument);
}

TEST(PerfText, SamplingErrorLineNamesOnlySampledMetrics) {
    RunResult run = clock_run();
    run.sampling_rel_err = {{"cycles", 0.424}, {"L1-dcache-loads", 0.3}};
    EXPECT_EQ(sampling_error_line(run, {"task-clock", "cycles", "L1-dcache-loads"}),
              "linefill sampling error (one standard error): cycles 0.42%, L1-dcache-loads 0.30%");
    EXPECT_EQ(sampling_error_line(clock_run(), {"cycles"}), "");
}

}  // namespace
}  // namespace linefill::measure
