// SPDX-License-Identifier: Apache-2.0
// Metrics by name: values, derived ratios, what has no value.
#include "measure/metrics.h"

#include <gtest/gtest.h>

#include "tests/measure/helpers.h"

namespace linefill::measure {
namespace {

RunResult sample_run() {
    RunResult run;
    run.elapsed_s = 3.48;
    run.user_s = 1;
    run.sys_s = 2;
    run.events = {{"task-clock", counted(5.5e9)},
                  {"L1-dcache-loads", counted(11800000000)},
                  {"L1-dcache-load-misses", counted(1640000000)},
                  {"L1-dcache-loads:u", counted(1000)},
                  {"L1-dcache-load-misses:u", counted(10)},
                  {"LLC-loads", unsupported()},
                  {"LLC-load-misses", counted(5)},
                  {"dTLB-loads", {0, true, 0, 0}},
                  {"page-faults", counted(0)}};
    run.metrics = {{"throughput", 560.45}};
    run.sampling_rel_err = {
        {"L1-dcache-loads", 3}, {"L1-dcache-load-misses", 4}, {"task-clock", 0.5}};
    return run;
}

TEST(MetricValue, FindsEventsFiguresAndTimes) {
    const RunResult run = sample_run();
    EXPECT_EQ(metric_value(run, "L1-dcache-loads"), 11800000000);
    EXPECT_EQ(metric_value(run, "task-clock"), 5500);
    EXPECT_EQ(metric_value(run, "throughput"), 560.45);
    EXPECT_EQ(metric_value(run, "elapsed"), 3.48);
    EXPECT_EQ(metric_value(run, "user"), 1);
    EXPECT_EQ(metric_value(run, "sys"), 2);
}

TEST(MetricValue, WorkloadsOwnElapsedIsPreferred) {
    RunResult run = sample_run();
    run.metrics["elapsed"] = 0.1229;
    EXPECT_EQ(metric_value(run, "elapsed"), 0.1229);
}

TEST(MetricValue, MissRatioIsInPercentAndOtherRatiosArePlain) {
    const RunResult run = sample_run();
    EXPECT_DOUBLE_EQ(*metric_value(run, "L1-dcache-miss-ratio"), 100 * 1.64 / 11.8);
    EXPECT_DOUBLE_EQ(*metric_value(run, "L1-dcache-load-misses/L1-dcache-loads"), 1.64 / 11.8);
    EXPECT_DOUBLE_EQ(*metric_value(run, "L1-dcache-load-misses:u/L1-dcache-loads:u"), 0.01);
}

TEST(MetricValue, NothingWhereThereIsNoValue) {
    const RunResult run = sample_run();
    EXPECT_EQ(metric_value(run, "cycles"), std::nullopt);
    EXPECT_EQ(metric_value(run, "LLC-loads"), std::nullopt);
    EXPECT_EQ(metric_value(run, "dTLB-loads"), std::nullopt);
    EXPECT_EQ(metric_value(run, "LLC-load-misses/LLC-loads"), std::nullopt);
    EXPECT_EQ(metric_value(run, "LLC-load-misses/page-faults"), std::nullopt);
    EXPECT_EQ(metric_value(run, "a/b/c"), std::nullopt);
    EXPECT_EQ(metric_value(run, ""), std::nullopt);
    EXPECT_EQ(metric_value(run, "page-faults"), 0);
}

TEST(MetricSamplingError, OfARatioIsMadeOfItsParts) {
    const RunResult run = sample_run();
    EXPECT_EQ(metric_sampling_error(run, "task-clock"), 0.5);
    EXPECT_EQ(metric_sampling_error(run, "throughput"), 0);
    EXPECT_DOUBLE_EQ(metric_sampling_error(run, "L1-dcache-miss-ratio"), 5);
}

TEST(DescribeMetric, KnowsUnitsAndDirections) {
    EXPECT_EQ(describe_metric("elapsed").unit, "s");
    EXPECT_EQ(describe_metric("elapsed").better, Better::kLower);
    EXPECT_EQ(describe_metric("cycles").unit, "count");
    EXPECT_EQ(describe_metric("cycles:u").better, Better::kLower);
    EXPECT_EQ(describe_metric("L1-dcache-miss-ratio").unit, "%");
    EXPECT_EQ(describe_metric("L1-dcache-load-misses").better, Better::kLower);
    EXPECT_EQ(describe_metric("L1-dcache-loads").better, Better::kNeither);
    EXPECT_EQ(describe_metric("throughput", "Mbit/s").unit, "Mbit/s");
    EXPECT_EQ(describe_metric("throughput", "Mbit/s").better, Better::kHigher);
    EXPECT_EQ(describe_metric("latency-p99").unit, "us");
    EXPECT_EQ(describe_metric("switch-interval-mean").unit, "ms");
    EXPECT_EQ(describe_metric("task-clock").unit, "msec");
    EXPECT_EQ(describe_metric("instructions/cycles").better, Better::kHigher);
    EXPECT_EQ(describe_metric("LLC-load-misses/LLC-loads").better, Better::kLower);
}

}  // namespace
}  // namespace linefill::measure
