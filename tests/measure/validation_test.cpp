// SPDX-License-Identifier: Apache-2.0
// Predictions against measurements: errors, calls, the constants that show skill, both forms.
#include "measure/validation.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/text_format.h"

namespace linefill::measure {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Row {
    std::string group;
    std::string role;
    std::string metric;
    std::string value;
    std::string err;
    std::string better = "lower";
    std::string unit = "count";
};

Measurements measured(const std::vector<Row>& rows) {
    std::string text =
        "group,role,platform,kernel,apply,config,boot,workload,metric,unit,better,value,err_pct,"
        "source\n";
    for (const Row& row : rows) {
        text += row.group + ',' + row.role + ",p,k,,,,w," + row.metric + ',' + row.unit + ',' +
                row.better + ',' + row.value + ',' + row.err + ",s\n";
    }
    return parse_measurements(text, "m.csv");
}

Measurements three_groups() {
    return measured({{"a", "baseline", "cycles", "100", "1"},
                     {"a", "patched", "cycles", "90", "1"},
                     {"b", "baseline", "cycles", "200", "1"},
                     {"b", "patched", "cycles", "201", "1"},
                     {"c", "baseline", "cycles", "1000", "1"},
                     {"c", "patched", "cycles", "1200", "1"}});
}

Predictions predicted(const std::vector<double>& values) {
    Predictions predictions;
    for (std::size_t i = 0; i < values.size(); ++i) {
        predictions[i] = Prediction::of({values[i]});
    }
    return predictions;
}

TEST(Validate, GivesErrorsAndGains) {
    const Validation validation =
        validate(three_groups(), predicted({110, 88, 200, 200, 1000, 900}));
    const GroupCheck& a = validation.groups.at(0);
    EXPECT_DOUBLE_EQ(*a.baseline->error_pct, 10);
    EXPECT_NEAR(*a.patched->error_pct, -2.222222, 1e-6);
    EXPECT_DOUBLE_EQ(*a.gain_measured, 10);
    EXPECT_DOUBLE_EQ(*a.gain_predicted, 20);
    EXPECT_DOUBLE_EQ(*a.gain_difference, 10);
    // 0.9 x sqrt(1 + 1) % of the baseline.
    EXPECT_NEAR(a.gain_error, 0.9 * std::sqrt(2.0), 1e-9);
    EXPECT_EQ(a.status, "ok");

    ASSERT_EQ(validation.metrics.size(), 1U);
    const MetricCheck& cycles = validation.metrics.front();
    EXPECT_EQ(cycles.metric, "cycles");
    EXPECT_EQ(cycles.values.count, 6U);
    EXPECT_NEAR(cycles.values.mean, (10 + 20.0 / 9 + 0 + 100.0 / 201 + 0 + 25) / 6, 1e-9);
    EXPECT_DOUBLE_EQ(cycles.values.worst, 25);
    EXPECT_EQ(cycles.values.worst_group, "c");
    EXPECT_EQ(cycles.gains.count, 3U);
    EXPECT_NEAR(cycles.gains.mean, (10 + 0.5 + 30) / 3, 1e-9);
}

TEST(Validate, CountsRightCallsByTheMeasurementsOwnError) {
    const Validation validation =
        validate(three_groups(), predicted({110, 88, 200, 200, 1000, 900}));
    EXPECT_EQ(validation.groups[0].call_measured, Call::kBetter);
    EXPECT_EQ(validation.groups[1].call_measured, Call::kUnchanged);
    EXPECT_EQ(validation.groups[2].call_measured, Call::kWorse);
    EXPECT_EQ(validation.groups[0].call_predicted, Call::kBetter);
    EXPECT_EQ(validation.groups[1].call_predicted, Call::kUnchanged);
    EXPECT_EQ(validation.groups[2].call_predicted, Call::kBetter);
    EXPECT_EQ(validation.calls.right, 2U);
    EXPECT_EQ(validation.calls.total, 3U);
    EXPECT_EQ(validation.calls.by_call.at(Call::kWorse),
              (std::pair<std::size_t, std::size_t>(0, 1)));
    EXPECT_EQ(validation.calls.constant_right, 1U);
}

TEST(Validate, WithoutPublishedErrorRoundingDecides) {
    const auto call = [](const std::string& before, const std::string& after) {
        const Measurements file = measured(
            {{"a", "baseline", "elapsed", before, ""}, {"a", "patched", "elapsed", after, ""}});
        return validate(file, {}).groups.at(0).call_measured;
    };
    EXPECT_EQ(call("3.48", "3.48"), Call::kUnchanged);
    // 0.01 less: rounding may hide sqrt(2) x 0.005 only.
    EXPECT_EQ(call("3.48", "3.47"), Call::kBetter);
    EXPECT_EQ(call("3.48", "3.49"), Call::kWorse);
    EXPECT_EQ(call("10", "9.8"), Call::kUnchanged);
}

TEST(Validate, ChangeWithinTheNoiseOfTheModelsRunsIsCalledUnchanged) {
    Predictions predictions;
    predictions[0] = Prediction::of({100, 120, 80});
    predictions[1] = Prediction::of({70, 125, 75});
    EXPECT_EQ(validate(three_groups(), predictions).groups[0].call_predicted, Call::kUnchanged);
    predictions[1] = Prediction::of({90, 108, 72});
    EXPECT_EQ(validate(three_groups(), predictions).groups[0].call_predicted, Call::kBetter);
}

TEST(Validate, BestConstantIsTheOneWithTheLeastMeanError) {
    const Measurements file = measured({{"a", "baseline", "x", "1", ""},
                                        {"b", "baseline", "x", "3", ""},
                                        {"c", "baseline", "x", "4", ""},
                                        {"d", "baseline", "x", "10", ""},
                                        {"e", "baseline", "x", "11", ""}});
    const ErrorSummary values = validate(file, predicted({1, 3, 4, 10, 11})).metrics.at(0).values;
    EXPECT_EQ(values.mean, 0);
    const auto mean_of = [](double constant) {
        double sum = 0;
        for (const double value : {1.0, 3.0, 4.0, 10.0, 11.0}) {
            sum += 100 * std::fabs(constant - value) / value / 5;
        }
        return sum;
    };
    EXPECT_NEAR(values.constant_mean, mean_of(values.best_constant), 1e-9);
    for (double constant = 0.05; constant < 12; constant += 0.05) {
        EXPECT_GE(mean_of(constant) + 1e-9, values.constant_mean) << constant;
    }
}

TEST(Validate, BestConstantPerUnitOfWorkScalesWithTheWork) {
    const Measurements file = measured({{"a", "baseline", "cycles", "2000", ""},
                                        {"b", "baseline", "cycles", "8000", ""},
                                        {"c", "baseline", "cycles", "34000", ""}});
    const WorkUnits work{"visit", {{0, 2}, {1, 8}, {2, 32}}};
    const MetricCheck metric = validate(file, predicted({1, 1, 1}), work).metrics.at(0);
    ASSERT_TRUE(metric.values_by_work);
    EXPECT_DOUBLE_EQ(metric.values_by_work->best_constant, 1000);
    EXPECT_NEAR(metric.values_by_work->constant_mean, 100.0 * 2 / 34 / 3, 1e-9);
    EXPECT_GT(metric.values.constant_mean, 50);
    EXPECT_FALSE(validate(file, predicted({1, 1, 1})).metrics.at(0).values_by_work);
}

TEST(Validate, RatiosAreAlsoJudgedInPoints) {
    const Measurements file =
        measured({{"a", "baseline", "L1-dcache-miss-ratio", "14.0", "1", "lower", "%"},
                  {"a", "patched", "L1-dcache-miss-ratio", "12.0", "1", "lower", "%"}});
    const MetricCheck metric = validate(file, predicted({13, 12.5})).metrics.at(0);
    ASSERT_TRUE(metric.points);
    EXPECT_DOUBLE_EQ(metric.points->worst, 1);
    ASSERT_TRUE(metric.changes);
    EXPECT_DOUBLE_EQ(metric.changes->mean, 1.5);
}

TEST(Validate, SkippedRowsKeepTheMeasurementAndLeaveTheSkillAlone) {
    Predictions predictions = predicted({110, 88});
    predictions[2] = Prediction::skip("workload netperf is not built yet");
    predictions[3] = predictions[2];
    const Validation validation = validate(three_groups(), predictions);
    EXPECT_EQ(validation.groups[1].status, "skipped: workload netperf is not built yet");
    EXPECT_EQ(validation.groups[2].status, "skipped: no prediction");
    EXPECT_DOUBLE_EQ(*validation.groups[1].gain_measured, -0.5);
    EXPECT_FALSE(validation.groups[1].gain_predicted);
    EXPECT_EQ(validation.metrics.at(0).values.count, 2U);
    EXPECT_EQ(validation.calls.total, 1U);
}

TEST(Validate, NotANumberIsNoPrediction) {
    Predictions predictions = predicted({110, 88});
    predictions[0] = Prediction::of({1, std::numeric_limits<double>::quiet_NaN()});
    const Validation validation = validate(three_groups(), predictions);
    EXPECT_FALSE(validation.groups[0].baseline->predicted);
    EXPECT_THAT(validation.groups[0].status, HasSubstr("not a number"));
    predictions[0] = Prediction::of({});
    EXPECT_THAT(validate(three_groups(), predictions).groups[0].status, HasSubstr("no value"));
}

TEST(Validate, MeasuredZeroHasNoRelativeError) {
    const Measurements file =
        measured({{"a", "baseline", "x", "0", ""}, {"a", "patched", "x", "5", ""}});
    const Validation validation = validate(file, predicted({1, 5}));
    EXPECT_FALSE(validation.groups[0].baseline->error_pct);
    EXPECT_FALSE(validation.groups[0].gain_measured);
    EXPECT_EQ(validation.metrics.at(0).values.count, 1U);
}

TEST(ValidationCsv, HasTheColumnsOfTheContract) {
    Measurements file =
        measured({{"pound/cycles/2", "baseline", "cycles", "19699563964", "1.19"},
                  {"pound/cycles/2", "patched", "cycles", "17358917517", "1.85"},
                  {"lat_unix/hi1215", "baseline", "latency-mean", "30.7", "", "lower", "us"},
                  {"netperf/64", "baseline", "throughput", "560.45", "", "higher", "Mbit/s"},
                  {"netperf/64", "patched", "throughput", "576.96", "", "higher", "Mbit/s"}});
    Predictions predictions = predicted({2e10, 1.8e10, 30.7});
    predictions[3] = Prediction::skip("not built yet, at all");
    EXPECT_EQ(validation_csv(file, validate(file, predictions)),
              "group,workload,metric,unit,better,baseline_predicted,baseline_measured,"
              "baseline_diff_pct,patched_predicted,patched_measured,patched_diff_pct,"
              "gain_predicted_pct,gain_measured_pct,gain_diff_points,status\n"
              "pound/cycles/2,w,cycles,count,lower,2e+10,1.96996e+10,1.52509,1.8e+10,1.73589e+10,"
              "3.6931,10,11.8817,-1.88172,ok\n"
              "lat_unix/hi1215,w,latency-mean,us,lower,30.7,30.7,0,,,,,,,ok\n"
              "netperf/64,w,throughput,Mbit/s,higher,,560.45,,,576.96,,,2.94585,,"
              "\"skipped: no prediction; not built yet, at all\"\n");
}

TEST(ValidationText, ShowsRowsGainsSkillAndWhatWasSkipped) {
    Predictions predictions = predicted({110, 88, 200, 200});
    predictions[4] = predictions[5] = Prediction::skip("workload netperf is not built yet");
    const Measurements file = three_groups();
    const std::string text = validation_text(file, validate(file, predictions));
    EXPECT_EQ(
        text,
        "group  role         predicted      measured        error\n"
        "a      baseline        110.00        100.00      +10.00%  cycles [count]\n"
        "a      patched         88.000        90.000       -2.22%  cycles [count]\n"
        "a      gain            20.00%        10.00%    +10.00 pt  called better, is better\n"
        "b      baseline        200.00        200.00       +0.00%  cycles [count]\n"
        "b      patched         200.00        201.00       -0.50%  cycles [count]\n"
        "b      gain             0.00%        -0.50%     +0.50 pt  called unchanged, is "
        "unchanged\n"
        "c      baseline       skipped        1000.0               cycles [count]: workload "
        "netperf is not built yet\n"
        "c      patched        skipped        1200.0               cycles [count]: workload "
        "netperf is not built yet\n"
        "\n"
        "Errors (absolute)                         n      mean     worst  constant's     worst"
        "  best constant\n"
        "  cycles                                  4     3.18%    10.00%      27.84%    50.25%"
        "  100.00 count; worst at a\n"
        "  gain in cycles                          2   5.25 pt  10.00 pt     5.25 pt  10.50 pt"
        "  -0.50000 %; worst at a\n"
        "\n"
        "Changes rightly called: 2 of 2 (better 1 of 1, unchanged 1 of 1); always saying "
        "\"better\": 1 of 2.\n"
        "A change counts as unchanged if it is within the measurement's own error (published, "
        "else the\nrounding of the printed values); a predicted one also if it is within the "
        "noise of its runs.\n"
        "\n"
        "Skipped: workload netperf is not built yet: c\n");
}

TEST(ValidationText, OfNothingPredictedHasNoSkill) {
    const Measurements file = three_groups();
    const std::string text = validation_summary(validate(file, {}));
    EXPECT_THAT(text, Not(HasSubstr("rightly")));
    EXPECT_THAT(text, HasSubstr("Skipped: no prediction: a, b, c\n"));
}

}  // namespace
}  // namespace linefill::measure
