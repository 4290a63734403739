// SPDX-License-Identifier: Apache-2.0
// The rows of the reference sheet in CSV and JSON, and what is ours in them.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "measure/perf_csv.h"
#include "measure/perf_json.h"
#include "measure/text_format.h"
#include "tests/measure/helpers.h"

namespace linefill::measure {
namespace {

/// Two runs whose mean and `+-` figure are as asked.
std::vector<RunResult> two_runs(const std::string& event, double mean, double noise_pct,
                                double running_ns, double elapsed_s) {
    std::vector<RunResult> runs(2);
    for (int i = 0; i < 2; ++i) {
        const double off = mean * noise_pct / 100;
        runs[i].events[event] = counted(i == 0 ? mean - off : mean + off, running_ns);
        runs[i].elapsed_s = elapsed_s;
    }
    return runs;
}

StatReport scoped(const std::string& event, RowScope scope, double value_ns, double running_ns,
                  double elapsed_s) {
    RunResult run;
    run.elapsed_s = elapsed_s;
    run.events[event] = counted(value_ns, running_ns);
    StatReport report;
    report.events = {event};
    report.parts = {{std::move(scope), {run}}};
    return report;
}

TEST(PerfCsv, ReproducesTheRowsOfTheReferenceSheet) {
    std::vector<RunResult> runs = two_runs("task-clock", 2393938, 5.35, 2393938, 0.004807104);
    for (RunResult& run : runs) {
        run.events["context-switches"] = counted(0, 2393938);
        run.events["cycles"] = unsupported();
    }
    EXPECT_EQ(perf_csv(make_report("w", {"task-clock", "context-switches", "cycles"}, runs), ","),
              "2.39,msec,task-clock,5.35%,2393938,100.00,0.498,CPUs utilized\n"
              "0,,context-switches,0.00%,2393938,100.00,0.000,/sec\n"
              "<not supported>,,cycles,0.00%,0,100.00,,\n");

    using Kind = RowScope::Kind;
    EXPECT_EQ(
        perf_csv(scoped("cpu-clock", {Kind::kCpu, 0, "", 0, {}}, 66414000, 66416137, 0.066281),
                 ","),
        "CPU0,66.41,msec,cpu-clock,66416137,100.00,1.002,CPUs utilized\n");
    EXPECT_EQ(perf_csv(scoped("cpu-clock", {Kind::kSocket, 0, "S0", 2, {}}, 136051000, 136051515,
                              0.067922),
                       ","),
              "S0,2,136.05,msec,cpu-clock,136051515,100.00,2.003,CPUs utilized\n");
    EXPECT_EQ(
        perf_csv(scoped("task-clock", {Kind::kAll, 0, "", 0, 0.053978831}, 4335479, 4335479, 0.05),
                 ","),
        "     0.053978831,4.34,msec,task-clock,4335479,100.00,0.087,CPUs utilized\n");
}

TEST(PerfCsv, HeaderLinesComeFirstAndTheSeparatorIsTheUsers) {
    StatReport report = make_report("w", {"page-faults"}, two_runs("page-faults", 50, 0, 1e6, 1));
    report.parts[0].runs.pop_back();
    report.header = {"linefill 0.1.0"};
    EXPECT_EQ(perf_csv(report, "; "),
              "# linefill 0.1.0\n\n50; ; page-faults; 1000000; 100.00; ; \n");
}

TEST(PerfCsv, SharesAreCutToWholePercentAsPerfDoes) {
    RunResult run;
    run.events["branches"] = counted(10, 2.9e7, 2.9);
    EXPECT_EQ(perf_csv(make_report("w", {"branches"}, {run}), ","),
              "10,,branches,29000000,2.00,,\n");
    // Equal shares whose mean is a hair below a whole number are that number.
    RunResult third;
    third.events["branches"] = counted(10, 1.1e9, 7);
    RunResult other;
    other.events["branches"] = counted(10, 1.3e9 / 3, 7);
    EXPECT_EQ(perf_csv(make_report("w", {"branches"}, {third, other, third}), ","),
              "10,,branches,0.00%,877777777,7.00,,\n");
}

TEST(PerfCsv, FiguresAreRowsAfterTheEventsElapsedIncluded) {
    RunResult run;
    run.elapsed_s = 0.1229;
    run.metrics = {{"elapsed", 0.1229}, {"throughput", 10581.44}};
    run.events["page-faults"] = counted(98);
    StatReport report = make_report("w", {"page-faults"}, {run});
    report.figures = {describe_metric("elapsed"), describe_metric("throughput", "Mbit/s"),
                      describe_metric("latency-p99")};
    EXPECT_EQ(perf_csv(report, ","),
              "98,,page-faults,1000000000,100.00,,\n"
              "0.122900,s,elapsed,122900000,100.00,,\n"
              "10581.4,Mbit/s,throughput,122900000,100.00,,\n"
              "<not supported>,us,latency-p99,0,100.00,,\n");
}

TEST(PerfJson, ReproducesTheLinesOfTheReferenceSheet) {
    std::vector<RunResult> runs =
        two_runs("task-clock", 2766287, 5.22, 2766287, 0.002766287 / 0.709402);
    for (RunResult& run : runs) {
        run.events["cycles"] = unsupported();
    }
    EXPECT_EQ(perf_json(make_report("w", {"task-clock", "cycles"}, runs)),
              R"({"counter-value" : "2.766287", "unit" : "msec", "event" : "task-clock", )"
              R"("variance" : 5.22, "event-runtime" : 2766287, "pcnt-running" : 100.00, )"
              R"("metric-value" : 0.709402, "metric-unit" : "CPUs utilized"})"
              "\n"
              R"({"counter-value" : "<not supported>", "unit" : "", "event" : "cycles", )"
              R"("variance" : 0.00, "event-runtime" : 0, "pcnt-running" : 100.00, )"
              R"("metric-value" : 0.000000, "metric-unit" : ""})"
              "\n");

    using Kind = RowScope::Kind;
    EXPECT_EQ(perf_json(scoped("task-clock", {Kind::kAll, 0, "", 0, 0.063542525}, 6980255, 1, 1))
                  .rfind(R"({"interval" : 0.063542525, "counter-value" : "6.980255", )"
                         R"("unit" : "msec", "event" : "task-clock", )",
                         0),
              0U);
    EXPECT_EQ(perf_json(scoped("cpu-clock", {Kind::kCpu, 0, "", 0, {}}, 80617547, 1, 1))
                  .rfind(R"({"cpu" : "0", "counter-value" : "80.617547", "unit" : "msec", )"
                         R"("event" : "cpu-clock", )",
                         0),
              0U);
}

TEST(PerfJson, SplitRowsHaveTheKeysThatPerfWrites) {
    using Kind = RowScope::Kind;
    const auto begin = [](RowScope scope) {
        const std::string line = perf_json(scoped("cpu-clock", std::move(scope), 1e6, 1, 1));
        return line.substr(0, line.find("\"counter-value\""));
    };
    EXPECT_EQ(begin({Kind::kSocket, 0, "S0", 2, {}}),
              R"({"socket" : "S0", "aggregate-number" : 2, )");
    EXPECT_EQ(begin({Kind::kCore, 0, "S0-D0-C0", 1, {}}),
              R"({"core" : "S0-D0-C0", "aggregate-number" : 1, )");
    EXPECT_EQ(begin({Kind::kNode, 0, "N0", 2, {}}), R"({"node" : "N0", "aggregate-number" : 2, )");
    EXPECT_EQ(begin({Kind::kThread, 14556, "perf", 0, {}}), R"({"thread" : "perf-14556", )");
}

TEST(PerfJson, EveryLineIsAnObjectWhateverTheNames) {
    StatReport report =
        scoped("cpu-clock", {RowScope::Kind::kThread, 7, "a\"b\\\n", 0, {}}, 1, 1, 1);
    report.events.emplace_back("instructions");
    for (const std::string& line : split(perf_json(report), '\n')) {
        if (!line.empty()) {
            EXPECT_TRUE(nlohmann::json::parse(line).is_object());
        }
    }
}

TEST(PerfJson, MetaFileSaysWhatWasSimulated) {
    StatReport report = make_report("pound \"x\"", {"cycles"}, two_runs("cycles", 1, 0, 1, 1));
    report.parts[0].runs[0].seed = 18446744073709551615ULL;
    report.parts[0].runs[1].seed = 2;
    report.header = {"linefill 0.1.0", "linefill platform xeon-snb-2s"};
    const nlohmann::json meta = nlohmann::json::parse(meta_json(report));
    EXPECT_EQ(meta.at("command"), "pound \"x\"");
    EXPECT_EQ(meta.at("simulated").at(1), "linefill platform xeon-snb-2s");
    EXPECT_EQ(meta.at("seeds").at(0), 18446744073709551615ULL);
}

}  // namespace
}  // namespace linefill::measure
