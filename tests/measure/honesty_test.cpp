// SPDX-License-Identifier: Apache-2.0
// Is the comparison honest? On real simulated runs: nothing against nothing is nothing in 95 of 100
// cases, a patch that does nothing useful gains nothing, and with all draws off runs do not differ.
#include <cmath>
#include <cstdio>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/kernel.h"
#include "kernel/patches/patch.h"
#include "kernel/sched/task.h"
#include "measure/comparison.h"
#include "measure/experiment.h"
#include "measure/metrics.h"
#include "measure/run_once.h"
#include "scenarios/programs/pound.h"

namespace linefill::measure {
namespace {

const DataDirs kDirs = {{LINEFILL_SOURCE_DIR "/platforms"}, {LINEFILL_SOURCE_DIR "/scenarios"}};

RunSpec spec_of(std::vector<std::string> workload, const std::string& kernel = "v4.7-rc7") {
    RunSpec spec;
    spec.platform = "xeon-snb-2s";
    spec.kernel = kernel;
    spec.workload = std::move(workload);
    spec.events = {"cycles", "instructions", "L1-dcache-loads", "L1-dcache-load-misses"};
    return spec;
}

std::vector<RunResult> results_of(const RunSpec& spec, unsigned runs) {
    std::vector<RunResult> results;
    run_experiment(repeated(spec, runs), real_runs(kDirs), {},
                   [&results](std::size_t, const RunOutcome& outcome) {
                       EXPECT_EQ(outcome.status, RunStatus::kDone) << outcome.message;
                       results.push_back(outcome.result);
                   });
    return results;
}

// ---- A against A -----------------------------------------------------------------------------

/// The share of `pairs` comparisons, each of `repeats` runs against as many of the same configuration
/// with other seeds, that is called within noise, in percent. No run is used twice.
double share_within_noise(const std::vector<RunResult>& runs, const std::string& metric,
                          unsigned pairs, unsigned repeats) {
    unsigned within = 0;
    auto next = runs.begin();
    for (unsigned pair = 0; pair < pairs; ++pair) {
        const std::vector<RunResult> one(next, next + repeats);
        const std::vector<RunResult> other(next + repeats, next + 2 * repeats);
        next += 2 * repeats;
        const ComparisonRow row =
            compare_runs("pound", "2", describe_metric(metric), one, {other}, Pairing::kByOrder);
        if (row.patched.at(0).value().gain.verdict == Verdict::kWithinNoise) ++within;
    }
    return 100.0 * within / pairs;
}

TEST(SlowHonestyTest, OfTwoHundredComparisonsOfAWithAOneInTwentyIsNotWithinNoise) {
    constexpr unsigned kPairs = 200;
    constexpr unsigned kRepeats = 3;
    // As cheap as a run gets: everything is in it but fast-forward. The small LLC, which still holds
    // all lines, saves the host clearing 40 MiB.
    RunSpec spec = spec_of({"pound_clock_gettime", "--threads", "2", "--calls", "100"});
    spec.overrides = {"cache.llc.size=1280KiB"};
    const std::vector<RunResult> runs = results_of(spec, 2 * kPairs * kRepeats);
    ASSERT_EQ(runs.size(), 2U * kPairs * kRepeats);
    for (const char* metric : {"cycles", "elapsed", "L1-dcache-miss-ratio"}) {
        const double share = share_within_noise(runs, metric, kPairs, kRepeats);
        EXPECT_NEAR(share, 95, 3) << metric;
        std::printf("%s: %.1f %% within noise\n", metric, share);
    }
}

// ---- a placebo -------------------------------------------------------------------------------

/// A patch of this test alone: the code that tests its switch is the program below, which prefetches a
/// line that its calls do not need (task_struct.mm, on a page that they need anyway: of another page
/// the prefetch would cost an entry of the four for 1 GiB pages, and that is 2 % of the cycles). What
/// is shipped has no such patch.
const kernel::Patch* g_placebo = nullptr;

struct PlaceboKind final : scenarios::PoundKind {
    PlaceboKind()
        : PoundKind("pound_placebo", "pound_clock_gettime, with a place for the placebo",
                    [](scenarios::UserTask& own) {
                        if (kernel::kernel().spec().has(*g_placebo)) {
                            own.worker().task->mm.prefetch();
                        }
                        (void)own.clock_gettime(kernel::CpuClock::kProcess);
                    }) {}
};

struct PlaceboCase {
    const char* threads;
    unsigned repeats;
};

void PrintTo(const PlaceboCase& c, std::ostream* out) { *out << c.threads; }

class SlowPlaceboTest : public testing::TestWithParam<PlaceboCase> {
protected:
    SlowPlaceboTest() {
        g_placebo = &placebo_;
        scenarios::WorkloadRegistry::instance().add(std::make_unique<PlaceboKind>());
    }
    kernel::Patch placebo_{{.slug = "placebo",
                            .commit = "",
                            .title = "prefetch a line that nobody uses",
                            .paragraph = "Does nothing for anybody.",
                            .applies_to = {kernel::KernelVersion::kV4_7Rc7}}};
};

TEST_P(SlowPlaceboTest, APrefetchOfAnUnrelatedLineGainsNothing) {
    const unsigned repeats = GetParam().repeats;
    RunSpec plain = spec_of({"pound_placebo", "--threads", GetParam().threads});
    RunSpec patched = plain;
    patched.kernel = "v4.7-rc7+placebo";
    patched.events.emplace_back("instructions:u");
    plain.events = patched.events;
    const std::vector<RunResult> before = results_of(plain, repeats);
    const std::vector<RunResult> after = results_of(patched, repeats);
    const auto gain_in = [&](const char* metric) {
        const ComparisonRow row =
            compare_runs("pound", GetParam().threads, describe_metric(metric), before, {after});
        return row.patched.at(0).value().gain;
    };
    // Of six intervals of 95 %, one leaves out 0 in every fourth set of seeds. Together they hold
    // for 95 % when each is one of 99.2 %: Student's t of nine degrees of freedom, 3.4 for 2.26.
    constexpr double kOfSix = 3.4 / 2.26;
    for (const char* metric : {"cycles", "elapsed"}) {
        const Gain gain = gain_in(metric);
        EXPECT_LE(std::abs(gain.pct), kOfSix * (gain.hi_pct - gain.lo_pct) / 2)
            << metric << ": " << gain.pct << " % [" << gain.lo_pct << ", " << gain.hi_pct << "]";
        EXPECT_LT(gain.hi_pct - gain.lo_pct, 8) << metric << ": too wide to tell anything";
    }
    // The line that it brings is one more fill for each call that finds it evicted: the ratio may rise
    // by that (at 8 threads by 1.3 %). It falls by no more than the prefetch itself, which is a load.
    const Gain ratio = gain_in("L1-dcache-miss-ratio");
    const double itself = 100 * 5e6 / *metric_value(before[0], "L1-dcache-loads");
    EXPECT_LE(ratio.pct, itself + kOfSix * (ratio.hi_pct - ratio.lo_pct) / 2);
    // It was there: one instruction more per call.
    double more = 0;
    for (unsigned i = 0; i < repeats; ++i) {
        more += (*metric_value(after[i], "instructions:u") -
                 *metric_value(before[i], "instructions:u")) /
                repeats;
    }
    EXPECT_NEAR(more, 5e6, 2e5);
}

INSTANTIATE_TEST_SUITE_P(Threads, SlowPlaceboTest,
                         testing::Values(PlaceboCase{"2", 10}, PlaceboCase{"8", 10},
                                         PlaceboCase{"48", 5}),
                         [](const auto& info) { return std::string(info.param.threads); });

// ---- no draws --------------------------------------------------------------------------------

class SlowDrawsTest : public testing::TestWithParam<const char*> {};

TEST_P(SlowDrawsTest, WithAllDrawsOffTheSpreadIsExactlyZeroAndElseItIsNot) {
    RunSpec spec = spec_of({"pound_clock_gettime", "--threads", GetParam()});
    spec.sampling = Sampling::kAmount;
    spec.sample_amount = "400";
    for (const bool draws : {false, true}) {
        spec.draws = draws;
        const std::vector<RunResult> runs = results_of(spec, 4);
        ASSERT_EQ(runs.size(), 4U);
        for (const char* metric : {"cycles", "elapsed", "user", "sys", "instructions",
                                   "L1-dcache-loads", "L1-dcache-load-misses"}) {
            std::vector<double> values;
            for (const RunResult& run : runs) values.push_back(*metric_value(run, metric));
            const double spread = summarise(values).relative_error_pct();
            if (draws) {
                EXPECT_GT(spread, 0) << metric;
            } else {
                EXPECT_EQ(spread, 0) << metric;
                EXPECT_THAT(values, testing::Each(values[0])) << metric;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Threads, SlowDrawsTest, testing::Values("2", "48"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace linefill::measure
