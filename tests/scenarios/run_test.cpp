// SPDX-License-Identifier: Apache-2.0
// Whole runs: what they count, that they repeat to the byte, that draws are all that seeds change.
#include <gtest/gtest.h>

#include "model/sim/error.h"
#include "tests/scenarios/run_in_child.h"

namespace linefill::scenarios {
namespace {

using model::Event;

TestRun pound(const std::string& arguments) {
    TestRun run;
    run.command = "pound_clock_gettime " + arguments;
    return run;
}

TEST(RunWorkload, SmallWorkIsSimulatedInDetailFromBeginningToEnd) {
    const Summary s = run_in_child(pound("--threads 4 --calls 400"));
    EXPECT_EQ(s.units, 400);
    EXPECT_EQ(s.sampled_share, 1);
    EXPECT_EQ(s.tasks, 5U);  // the first thread, which leaves, and the four
    EXPECT_EQ(s.failed_identities, 0U);
    EXPECT_EQ(s.error[static_cast<std::size_t>(Event::kCycles)], 0);
    EXPECT_GT(s.elapsed_s, 0);
    // Two pages are touched for each thread, besides those of the program's start.
    EXPECT_GE(s.total(Event::kPageFaults), 4 * 2);
    // Each call of a thread takes the locks of four.
    EXPECT_GE(s.total(Event::kLockedOps), 400 * 4);
}

TEST(RunWorkload, ThreadsRunAtTheSameTime) {
    const Summary s = run_in_child(pound("--threads 8 --calls 4000"));
    EXPECT_GT(s.running_threads, 7);
    EXPECT_GT(s.task_clock_s, 6.5 * s.elapsed_s);
    EXPECT_LE(s.task_clock_s, 9 * s.elapsed_s);
}

TEST(RunWorkload, CpiComponentsSumToTheUnhaltedTime) {
    const Summary s = run_in_child(pound("--threads 4"));
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < model::kCpiCount; ++i) {
        if (i != static_cast<std::size_t>(model::CpiComponent::kIdle)) sum += s.cpi[i];
    }
    EXPECT_NEAR(static_cast<double>(sum), static_cast<double>(s.total(Event::kUnhaltedFs)),
                1e-3 * static_cast<double>(sum));
}

TEST(RunWorkload, TheSameRequestGivesTheSameBytes) {
    const TestRun run = pound("--threads 5 --calls 200000");
    EXPECT_TRUE(run_in_child(run) == run_in_child(run));
}

TEST(RunWorkload, SeedsChangeTheResultByTheDrawsAlone) {
    TestRun run = pound("--threads 5 --calls 200000");
    const Summary drawn = run_in_child(run);
    run.seed = 2;
    EXPECT_FALSE(drawn == run_in_child(run));

    run.draws = false;
    const Summary two = run_in_child(run);
    run.seed = 1;
    EXPECT_TRUE(two == run_in_child(run));
}

TEST(RunWorkload, ALongRunIsSampled) {
    const Summary s = run_in_child(pound("--threads 12"));
    EXPECT_EQ(s.units, 12 * (5'000'000 / 12));
    EXPECT_LT(s.sampled_share, 0.05);
    EXPECT_GE(s.windows, 6U);
    EXPECT_GT(s.error[static_cast<std::size_t>(Event::kCycles)], 0);
    // A tick every 4 ms of each thread's time, fast-forwarded or not.
    EXPECT_NEAR(static_cast<double>(s.total(Event::kInterrupts)), s.task_clock_s / 0.004,
                0.1 * s.task_clock_s / 0.004);
}

TEST(RunWorkload, AFullRunGoesOnWhenTheFirstThreadsEndBeforeTheLastBegin) {
    TestRun run = pound("--threads 128 --calls 896");
    run.full = true;
    const Summary s = run_in_child(run);
    EXPECT_EQ(s.units, 896);
    EXPECT_EQ(s.sampled_share, 1);
}

TEST(RunWorkload, ASampleOfTheSizeAskedForIsTaken) {
    TestRun run = pound("--threads 2 --calls 1000000");
    run.sample_units = 20'000;
    const Summary s = run_in_child(run);
    // Warm-up and the last units of a window come on top.
    EXPECT_GT(s.sampled_share, 0.02);
    EXPECT_LT(s.sampled_share, 0.035);
}

TEST(RunWorkload, AStoppedRunEndsEarlyAndSaysSo) {
    TestRun run = pound("--threads 4 --calls 4000");
    run.full = true;
    run.stopped = true;
    const Summary s = run_in_child(run);
    EXPECT_TRUE(s.interrupted);
    EXPECT_LT(s.units, 4000);
}

TEST(RunWorkload, PoundTimesHasOneMoreLineToFightFor) {
    TestRun clock = pound("--threads 8 --calls 8000");
    TestRun times = clock;
    times.command = "pound_times --threads 8 --calls 8000";
    EXPECT_GT(run_in_child(times).total(Event::kLockedOps),
              run_in_child(clock).total(Event::kLockedOps));
}

TEST(RunWorkload, AblationsChangeTheResult) {
    TestRun run = pound("--threads 8 --calls 8000");
    const Summary all = run_in_child(run);
    TestRun other = run;
    other.mcs_queueing = false;
    EXPECT_NE(run_in_child(other).total(Event::kCycles), all.total(Event::kCycles));
    other = run;
    other.page_aligned_percpu = false;
    EXPECT_NE(run_in_child(other).total(Event::kL1dFill), all.total(Event::kL1dFill));
    other = run;
    other.finite_window = false;
    EXPECT_NE(run_in_child(other).total(Event::kCycles), all.total(Event::kCycles));
}

TEST(RunWorkload, MoreThreadsThanCpusShareThem) {
    const Summary s = run_in_child(pound("--threads 64 --calls 640000"));
    EXPECT_GT(s.running_threads, 30);
    EXPECT_LE(s.running_threads, 32);
    EXPECT_GT(s.total(Event::kContextSwitches), 64);
}

}  // namespace
}  // namespace linefill::scenarios
