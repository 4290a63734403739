// SPDX-License-Identifier: Apache-2.0
// A sampled run against the same work simulated in detail.
#include <gtest/gtest.h>

#include "tests/scenarios/run_in_child.h"

namespace linefill::scenarios {
namespace {

using model::Event;

struct Comparison {
    const char* command;
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
    // Work alone: start and end, which are not sampled, weigh more in a short run.
    EXPECT_NEAR(sampled.work_cycles_per_unit / full.work_cycles_per_unit, 1,
                2 * error(Event::kCycles));
    for (const Event e : {Event::kLoads, Event::kL1dFill, Event::kInstructions}) {
        EXPECT_NEAR(static_cast<double>(sampled.total(e)) / static_cast<double>(full.total(e)), 1,
                    2 * error(e) + 0.02)
            << model::event_name(e);
    }
    EXPECT_NEAR(sampled.elapsed_s / full.elapsed_s, 1, 2 * error(Event::kCycles) + 0.02);
}

INSTANTIATE_TEST_SUITE_P(
    Poundtime, SlowSampling,
    testing::Values(Comparison{"pound_clock_gettime --threads 8 --calls 160000"},
                    Comparison{"pound_clock_gettime --threads 48 --calls 60000"}));

}  // namespace
}  // namespace linefill::scenarios
