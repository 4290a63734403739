// SPDX-License-Identifier: Apache-2.0
// A sampled run against the same work simulated in detail.
#include <gtest/gtest.h>

#include "tests/scenarios/run_in_child.h"

namespace linefill::scenarios {
namespace {

using model::Event;

struct Comparison {
    const char* command;
    bool whole;  ///< the totals are compared too
};
void PrintTo(const Comparison& c, std::ostream* out) { *out << c.command; }

class SlowSampling : public testing::TestWithParam<Comparison> {};

TEST_P(SlowSampling, AgreesWithTheFullRunWithinItsError) {
    TestRun run;
    run.command = GetParam().command;
    const Summary sampled = run_in_child(run);
    run.full = true;
    const Summary full = run_in_child(run);
    ASSERT_LT(sampled.sampled_share, 0.5) << "the work is too small to be sampled";
    ASSERT_EQ(full.sampled_share, 1);

    const auto error = [&](Event e) { return sampled.error[static_cast<std::size_t>(e)]; };
    // Threads that end make the others repeat their walks, one after another, under the lock that
    // protects the sums: a storm that sampled runs leave out. It is nothing in 5,000,000 calls, much in
    // a reduced total of many threads; so the steady part is compared, and all of it at 8 threads.
    EXPECT_NEAR(sampled.steady_cycles_per_unit / full.steady_cycles_per_unit, 1,
                2 * error(Event::kCycles));
    if (!GetParam().whole) return;
    for (const Event e : {Event::kCycles, Event::kLoads, Event::kL1dFill, Event::kInstructions}) {
        EXPECT_NEAR(static_cast<double>(sampled.total(e)) / static_cast<double>(full.total(e)), 1,
                    2 * error(e))
            << model::event_name(e);
    }
    EXPECT_NEAR(sampled.elapsed_s / full.elapsed_s, 1, 2 * error(Event::kCycles) + 0.01);
}

INSTANTIATE_TEST_SUITE_P(
    Poundtime, SlowSampling,
    testing::Values(Comparison{"pound_clock_gettime --threads 8 --calls 160000", true},
                    Comparison{"pound_clock_gettime --threads 48 --calls 48000", false}));

}  // namespace
}  // namespace linefill::scenarios
