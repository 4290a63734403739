// SPDX-License-Identifier: Apache-2.0
// Which runs a measurement file asks for, and where their results go.
#include "measure/validate_run.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/event_counts.h"
#include "model/sim/error.h"

namespace linefill::measure {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

const DataDirs kDirs = {{LINEFILL_SOURCE_DIR "/platforms"}, {LINEFILL_SOURCE_DIR "/scenarios"}};
const std::string kHead =
    "group,role,platform,kernel,apply,config,boot,workload,metric,unit,better,value,err_pct,"
    "source\n";

ValidationPlan plan_of(const std::string& rows) {
    return {parse_measurements(kHead + rows, "m.csv"), "m.csv", RunSpec(), kDirs};
}

const std::string kThreeRows =
    "e,baseline,xeon-snb-2s,v4.7-rc7,,,,pound_times --threads 2,elapsed,s,lower,2,,x\n"
    "c,baseline,xeon-snb-2s,v4.7-rc7,,,,pound_times --threads 2,cycles,count,lower,100,,x\n"
    "c,patched,xeon-snb-2s,v4.7-rc7,prefetch-curr-exec-start,,,pound_times --threads "
    "2,cycles,count,"
    "lower,90,,x\n";

RowOutcome outcome_of(std::size_t row, const std::vector<double>& cycles) {
    RowOutcome outcome;
    outcome.row = row;
    outcome.sides.resize(1);
    for (const double value : cycles) {
        RunOutcome run;
        run.result.seed = outcome.sides[0].size();
        run.result.elapsed_s = 2.5;
        run.result.events["cycles"].value = value;
        run.result.events["cycles"].running_ns = 1;
        outcome.sides[0].push_back(run);
    }
    return outcome;
}

TEST(ValidateRunTest, OneConfigurationIsRunOnceForAllItsMetrics) {
    const ValidationPlan plan = plan_of(kThreeRows);
    ASSERT_EQ(plan.runs().size(), 2U);
    EXPECT_THAT(plan.runs()[0].rows, ::testing::ElementsAre(0, 1));
    EXPECT_THAT(plan.runs()[0].spec.events, ::testing::ElementsAre("elapsed", "cycles"));
    EXPECT_EQ(plan.runs()[1].spec.kernel, "v4.7-rc7+prefetch-curr-exec-start");
    EXPECT_EQ(plan.row_plan(10).rows.size(), 2U);
    EXPECT_EQ(plan.row_plan(10).repeats, 10U);
}

TEST(ValidateRunTest, GroupsComeOutWhenTheirRowsAreKnown) {
    ValidationPlan plan = plan_of(kThreeRows);
    EXPECT_TRUE(plan.take_ready_groups().empty());
    plan.add(outcome_of(0, {108, 112}));
    const auto first = plan.take_ready_groups();
    ASSERT_EQ(first.size(), 1U);
    EXPECT_EQ(first[0].name, "e");
    EXPECT_DOUBLE_EQ(first[0].baseline->predicted.value(), 2.5);
    plan.add(outcome_of(1, {99, 99}));
    const auto second = plan.take_ready_groups();
    ASSERT_EQ(second.size(), 1U);
    EXPECT_DOUBLE_EQ(second[0].gain_predicted.value(), 10);
    EXPECT_DOUBLE_EQ(second[0].gain_measured.value(), 10);
    EXPECT_EQ(second[0].status, "ok");
}

TEST(ValidateRunTest, WhatIsPlannedIsSkippedWithAReason) {
    ValidationPlan plan = plan_of(
        "n,baseline,xeon-hsw-2s,v4.5-rc1,,,,netperf --test TCP_STREAM --size 64,throughput,Mbit/s,"
        "higher,560,,x\n"
        "h,baseline,i7-3770,v4.8,,HZ=100,maxcpus=1 sched_feat=HRTICK,cpu-hogs --tasks 4 --groups 1,"
        "switch-interval-mean,ms,lower,1.5,,x\n");
    EXPECT_TRUE(plan.runs().empty());
    const auto groups = plan.take_ready_groups();
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_THAT(groups[0].status, HasSubstr("skipped: "));
    EXPECT_THAT(groups[0].status, HasSubstr("netperf"));
}

TEST(ValidateRunTest, TheWholePublishedKindOfFileIsUnderstood) {
    const ValidationPlan plan = plan_of(
        kThreeRows +
        "r,baseline,xeon-snb-2s,v4.7-rc7,,,,pound_times --threads "
        "2,L1-dcache-miss-ratio,%,lower,7,,x\n"
        "v,baseline,xeon-snb-2s,v3.18-rc5,,,,pound_times --threads 2,elapsed,s,lower,3,,x\n");
    ASSERT_EQ(plan.runs().size(), 3U);
    EXPECT_THAT(plan.runs()[0].spec.events,
                IsSupersetOf({"L1-dcache-miss-ratio", "L1-dcache-loads", "model.l1d_fill"}));
}

TEST(ValidateRunTest, TheMissRatioIsOfThePlatformsLoadsByEveryDefinitionOfAMiss) {
    ValidationPlan plan = plan_of(
        "r,baseline,xeon-snb-2s,v4.7-rc7,,,,pound_times --threads "
        "2,L1-dcache-miss-ratio,%,lower,7,,x\n");
    EXPECT_EQ(plan.ratio_by_definition(), "");
    RowOutcome outcome = outcome_of(0, {1});
    const auto count = [&](const char* name, double value) {
        EventCount& event = outcome.sides[0][0].result.events[name];
        event.value = value;
        event.running_ns = 1;
    };
    count("L1-dcache-loads", 200);  // the prefetches that the platform counts among them
    count("model.loads", 150);
    count("model.l1d_fill", 30);
    count("model.l1d_fill_into_invalid", 18);
    count("model.l1d_upgrade", 10);
    plan.add(outcome);
    EXPECT_THAT(plan.ratio_by_definition(),
                HasSubstr("pound_times --threads 2, v4.7-rc7   15.00%    6.00%   20.00%\n"));
}

TEST(ValidateRunTest, UnitsAreConvertedOrRefused) {
    ValidationPlan plan = plan_of(
        "e,baseline,xeon-snb-2s,v4.7-rc7,,,,pound_times --threads 2,elapsed,ms,lower,2000,,x\n");
    plan.add(outcome_of(0, {1}));
    EXPECT_DOUBLE_EQ(plan.take_ready_groups().at(0).baseline->predicted.value(), 2500);
    try {
        (void)plan_of(
            "e,baseline,xeon-snb-2s,v4.7-rc7,,,,pound_times --threads 2,elapsed,MB/s,lower,2,,x\n");
        FAIL() << "taken";
    } catch (const model::UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr("m.csv:2: "));
        EXPECT_THAT(error.what(), HasSubstr("MB/s"));
    }
}

TEST(ValidateRunTest, RunsThatFailedOrNeverEndedSkipTheirRows) {
    ValidationPlan plan = plan_of(kThreeRows);
    plan.add(outcome_of(0, {}));
    plan.close("not finished");
    const auto groups = plan.take_ready_groups();
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_THAT(groups[0].status, HasSubstr("every run of it failed"));
    EXPECT_THAT(groups[1].status, HasSubstr("skipped"));
}

TEST(EventCountsTest, EventsFollowThePlatformsDefinition) {
    scenarios::ScenarioResult scenario;
    scenario.task_clock_s = 2;
    scenario.user_s = 0.5;
    scenario.sys_s = 1.5;
    scenario.sampled_share = 0.25;
    scenario.counts.user[model::Event::kLoads] = 100;
    scenario.counts.kernel[model::Event::kLoads] = 300;
    scenario.counts.kernel[model::Event::kL1dFill] = 40;
    scenario.counts.kernel[model::Event::kL1dFillIntoInvalid] = 10;
    scenario.counts.kernel[model::Event::kL1dUpgrade] = 4;
    scenario.counts.kernel[model::Event::kContextSwitches] = 7;
    scenario.sampling_error[static_cast<std::size_t>(model::Event::kLoads)] = 0.02;
    model::PmuConfig pmu;
    pmu.events = {{"L1-dcache-loads", "loads"},
                  {"L1-dcache-load-misses", "l1d_fill"},
                  {"L1-icache-loads", "not supported"}};
    const std::vector<std::string> names = {
        "task-clock:u",      "context-switches",      "L1-dcache-loads",
        "L1-dcache-loads:u", "L1-icache-loads",       "branches",
        "elapsed",           "L1-dcache-load-misses", "model.l1d_upgrade"};
    const RunResult all = to_run_result(scenario, pmu, names);
    EXPECT_DOUBLE_EQ(all.events.at("task-clock:u").value, 0.5e9);
    EXPECT_DOUBLE_EQ(all.events.at("context-switches").value, 7);
    EXPECT_DOUBLE_EQ(all.events.at("context-switches").running_pct, 100);
    EXPECT_DOUBLE_EQ(all.events.at("L1-dcache-loads").value, 400);
    EXPECT_DOUBLE_EQ(all.events.at("L1-dcache-loads").running_pct, 25);
    EXPECT_DOUBLE_EQ(all.events.at("L1-dcache-loads").running_ns, 0.5e9);
    EXPECT_DOUBLE_EQ(all.events.at("L1-dcache-loads:u").value, 100);
    EXPECT_DOUBLE_EQ(all.sampling_rel_err.at("L1-dcache-loads"), 2);
    EXPECT_FALSE(all.events.at("L1-icache-loads").supported);
    EXPECT_FALSE(all.events.at("branches").supported);
    EXPECT_DOUBLE_EQ(all.events.at("L1-dcache-load-misses").value, 40);
    EXPECT_DOUBLE_EQ(all.events.at("model.l1d_upgrade").value, 4);
    EXPECT_EQ(all.events.count("elapsed"), 0U);

    pmu.count_fill_into_invalid = false;
    pmu.count_upgrades = true;
    EXPECT_DOUBLE_EQ(to_run_result(scenario, pmu, names).events.at("L1-dcache-load-misses").value,
                     40 - 10 + 4);
}

}  // namespace
}  // namespace linefill::measure
