// SPDX-License-Identifier: Apache-2.0
// Runs in worker processes: order, crashes, wrong input, ^C; with a made-up run instead of a machine.
#include "measure/experiment.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "model/sim/error.h"

namespace linefill::measure {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

RunSpec spec_with_seed(std::uint64_t seed) {
    RunSpec spec;
    spec.platform = "toy";
    spec.kernel = "v1";
    spec.workload = {"nothing"};
    spec.seed = seed;
    return spec;
}

// Later seeds end sooner, so with several workers the order of ending is not that of the seeds.
RunOutcome toy_run(const RunSpec& spec) {
    std::this_thread::sleep_for(std::chrono::milliseconds(spec.seed % 2 == 0 ? 30 : 1));
    RunOutcome outcome;
    outcome.result.seed = spec.seed;
    outcome.result.elapsed_s = 1.0 / static_cast<double>(spec.seed);
    outcome.result.events["cycles"].value = 1e9 / 3.0 * static_cast<double>(spec.seed);
    outcome.accesses = 10;
    return outcome;
}

std::vector<std::pair<std::size_t, RunOutcome>> collect(const RunFunction& run, unsigned count,
                                                        unsigned jobs,
                                                        ExperimentEnd* end = nullptr) {
    std::vector<std::pair<std::size_t, RunOutcome>> all;
    ExperimentOptions options;
    options.jobs = jobs;
    const ExperimentEnd ended = run_experiment(repeated(spec_with_seed(1), count), run, options,
                                               [&](std::size_t index, RunOutcome outcome) {
                                                   all.emplace_back(index, std::move(outcome));
                                               });
    if (end != nullptr) *end = ended;
    return all;
}

TEST(ExperimentTest, RunsHaveSeedsThatFollowEachOther) {
    const std::vector<RunSpec> runs = repeated(spec_with_seed(7), 3);
    ASSERT_EQ(runs.size(), 3U);
    EXPECT_EQ(runs[0].seed, 7U);
    EXPECT_EQ(runs[2].seed, 9U);
}

TEST(ExperimentTest, TheNumberOfWorkersChangesNothing) {
    const auto one = collect(toy_run, 9, 1);
    const auto four = collect(toy_run, 9, 4);
    ASSERT_EQ(one.size(), 9U);
    ASSERT_EQ(four.size(), 9U);
    for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_EQ(one[i].first, i);
        EXPECT_EQ(four[i].first, i);
        EXPECT_EQ(one[i].second.result, four[i].second.result);
        EXPECT_EQ(one[i].second.result, toy_run(spec_with_seed(i + 1)).result);
    }
}

TEST(ExperimentTest, FiguresOfTheHostAreAddedUp) {
    ExperimentEnd end;
    collect(toy_run, 4, 2, &end);
    EXPECT_EQ(end.accesses, 40U);
    EXPECT_EQ(end.finished, 4U);
    EXPECT_EQ(end.failed, 0U);
    EXPECT_EQ(end.exit_code, 0);
    EXPECT_GT(end.peak_kib, 100);
}

TEST(ExperimentTest, ACrashLosesOneRunAndNamesItsSeed) {
    const RunFunction run = [](const RunSpec& spec) {
        if (spec.seed == 2) std::raise(SIGKILL);
        return toy_run(spec);
    };
    ExperimentEnd end;
    const auto all = collect(run, 4, 2, &end);
    ASSERT_EQ(all.size(), 4U);
    EXPECT_EQ(all[1].second.status, RunStatus::kCrashed);
    EXPECT_THAT(all[1].second.message, HasSubstr("nothing on toy, v1, seed 2: "));
    EXPECT_THAT(all[1].second.message, HasSubstr("signal 9"));
    EXPECT_EQ(all[3].second.status, RunStatus::kDone);
    EXPECT_EQ(end.exit_code, 4);
    EXPECT_EQ(end.finished, 3U);
    EXPECT_EQ(end.failed, 1U);
}

TEST(ExperimentTest, AWorkerThatJustEndsIsACrashToo) {
    const auto all = collect([](const RunSpec&) -> RunOutcome { ::_exit(0); }, 1, 1);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].second.status, RunStatus::kCrashed);
}

TEST(ExperimentTest, AFailedSimulationKeepsItsReport) {
    const RunFunction run = [](const RunSpec& spec) -> RunOutcome {
        if (spec.seed == 1) throw model::SimulationError("deadlock", "cpu 0 waits\nfor cpu 1");
        throw std::logic_error("a bug");
    };
    ExperimentEnd end;
    const auto all = collect(run, 2, 2, &end);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].second.status, RunStatus::kSimulationError);
    EXPECT_EQ(all[0].second.report, "cpu 0 waits\nfor cpu 1");
    EXPECT_EQ(all[1].second.status, RunStatus::kInternalError);
    EXPECT_THAT(all[1].second.message, HasSubstr("a bug"));
    // That of the first in order, whichever ended first.
    EXPECT_EQ(end.exit_code, 3);
}

TEST(ExperimentTest, WrongInputEndsTheExperiment) {
    const RunFunction run = [](const RunSpec& spec) -> RunOutcome {
        if (spec.seed == 3) throw model::UserError("no such thing").key("--thing");
        return toy_run(spec);
    };
    EXPECT_THROW(collect(run, 8, 2), model::UserError);
}

TEST(ExperimentTest, AnInterruptKeepsWhatIsFinished) {
    const RunFunction run = [](const RunSpec& spec) {
        // Ignored by the workers: it is for the parent.
        if (spec.seed == 3) ::kill(::getppid(), SIGINT);
        if (spec.seed >= 3) std::this_thread::sleep_for(std::chrono::minutes(5));
        return toy_run(spec);
    };
    const InterruptGuard guard;
    ExperimentOptions options;
    options.jobs = 2;
    options.interrupt = &guard;
    std::vector<std::size_t> delivered;
    const ExperimentEnd end = run_experiment(repeated(spec_with_seed(1), 10), run, options,
                                             [&](std::size_t index, const RunOutcome& outcome) {
                                                 if (outcome.status == RunStatus::kDone)
                                                     delivered.push_back(index);
                                             });
    EXPECT_TRUE(end.interrupted);
    EXPECT_EQ(end.exit_code, 130);
    // The run with seed 2 takes 30 ms, during which the third had not begun or had just sent it.
    EXPECT_THAT(delivered, ::testing::AnyOf(ElementsAre(0), ElementsAre(0, 1)));
}

TEST(ExperimentTest, FinishedRunsBehindAGapAreDeliveredAfterAnInterrupt) {
    const RunFunction run = [](const RunSpec& spec) {
        if (spec.seed == 1) std::this_thread::sleep_for(std::chrono::minutes(5));
        if (spec.seed == 4) ::kill(::getppid(), SIGINT);
        if (spec.seed == 4) std::this_thread::sleep_for(std::chrono::minutes(5));
        return toy_run(spec);
    };
    const InterruptGuard guard;
    ExperimentOptions options;
    options.jobs = 2;
    options.interrupt = &guard;
    std::vector<std::size_t> delivered;
    const ExperimentEnd end = run_experiment(
        repeated(spec_with_seed(1), 10), run, options,
        [&](std::size_t index, const RunOutcome& /*outcome*/) { delivered.push_back(index); });
    EXPECT_TRUE(end.interrupted);
    EXPECT_THAT(delivered, ElementsAre(1, 2));
}

TEST(ExperimentTest, ProgressCountsUpToTheTotal) {
    std::vector<std::size_t> finished;
    ExperimentOptions options;
    options.jobs = 2;
    options.on_progress = [&](const Progress& progress) {
        EXPECT_EQ(progress.total, 5U);
        finished.push_back(progress.finished);
    };
    run_experiment(repeated(spec_with_seed(1), 5), toy_run, options,
                   [](std::size_t /*index*/, const RunOutcome& /*outcome*/) {});
    EXPECT_THAT(finished, ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(RunOutcomeTest, IsTheSameAfterATrip) {
    RunOutcome outcome = toy_run(spec_with_seed(3));
    outcome.status = RunStatus::kSimulationError;
    outcome.attribution = std::string("with\nlines and \0 bytes", 22);
    outcome.message = "m";
    outcome.report = "12\n34";
    const RunOutcome back = decode(encode(outcome));
    EXPECT_EQ(back.status, outcome.status);
    EXPECT_EQ(back.result, outcome.result);
    EXPECT_EQ(back.attribution, outcome.attribution);
    EXPECT_EQ(back.accesses, outcome.accesses);
    EXPECT_EQ(back.message, outcome.message);
    EXPECT_EQ(back.report, outcome.report);
}

TEST(RunOutcomeTest, CutBytesAreRefusedAtEveryLength) {
    const std::string bytes = encode(toy_run(spec_with_seed(3)));
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_THROW((void)decode(bytes.substr(0, length)), std::runtime_error) << length;
    }
    EXPECT_THROW((void)decode(bytes + "1"), std::runtime_error);
}

TEST(RunSpecTest, WordsAreQuotedAsAShellNeedsThem) {
    EXPECT_EQ(command_line({"pound_times", "--threads", "2,8"}), "pound_times --threads 2,8");
    EXPECT_EQ(command_line({"a b", "", "it's"}), "'a b' '' 'it'\\''s'");
}

}  // namespace
}  // namespace linefill::measure
