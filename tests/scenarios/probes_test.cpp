// SPDX-License-Identifier: Apache-2.0
// The probes must find on the modelled machine what was measured on the real one.
#include <gmock/gmock.h>

#include "model/platform/load.h"
#include "model/sim/error.h"
#include "scenarios/probes/probe.h"

namespace linefill::scenarios {
namespace {

model::Platform sandy_bridge() { return model::load_platform("xeon-snb-2s", {"platforms"}); }

/// Every row that has a target and a tolerance must be within it; returns how many there were.
unsigned judge(const ProbeTable& table) {
    unsigned judged = 0;
    for (const ProbeRow& row : table.rows) {
        if (!row.target || row.tolerance == 0) continue;
        ++judged;
        EXPECT_NEAR(row.predicted / *row.target, 1, row.tolerance)
            << row.what << " " << row.parameter;
        EXPECT_FALSE(row.target_key.empty()) << row.what;
    }
    return judged;
}

const ProbeRow& row_of(const ProbeTable& table, const std::string& what,
                       const std::string& parameter = "") {
    for (const ProbeRow& row : table.rows) {
        if (row.what == what && (parameter.empty() || row.parameter == parameter)) return row;
    }
    throw std::runtime_error("no row " + what + " " + parameter);
}

TEST(ProbeLatency, EveryLevelIsWithinFivePercent) {
    const ProbeTable table = probe_latency(sandy_bridge(), {});
    EXPECT_EQ(judge(table), 5U);  // three caches, memory of both nodes
    // Nothing between two levels is faster than the nearer one.
    double before = 0;
    for (const ProbeRow& row : table.rows) {
        EXPECT_GE(row.cycles, 0.99 * before) << row.parameter;
        before = row.cycles;
    }
}

TEST(ProbeC2c, TransfersAreWithinTenPercent) {
    const ProbeTable table = probe_c2c(sandy_bridge(), {});
    EXPECT_EQ(judge(table), 7U);
    // One mechanism: a line that is taken while its owner polls costs more than a plain load of it.
    EXPECT_GT(row_of(table, "other socket, locked exchange").predicted,
              1.2 * row_of(table, "other socket, load of a dirty line").predicted);
    EXPECT_LT(row_of(table, "same core, locked exchange").predicted,
              row_of(table, "same socket, load of a clean line").predicted);
}

TEST(ProbeC2c, APeerSocketWithoutDistanceIsAsNearAsTheOwn) {
    model::Platform platform = sandy_bridge();
    platform.mechanisms.numa_distance = false;
    const ProbeTable table = probe_c2c(platform, {});
    EXPECT_LT(row_of(table, "other socket, load of a dirty line").predicted,
              1.5 * row_of(table, "same socket, load of a dirty line").predicted);
}

TEST(ProbeBandwidth, GrowsWithTheCoresUntilMemoryIsTheLimit) {
    const model::Platform platform = sandy_bridge();
    const ProbeTable table = probe_bandwidth(platform, {});
    const double one = row_of(table, "read", "1 core").predicted;
    const double two = row_of(table, "read", "2 cores").predicted;
    const double all = row_of(table, "read", "8 cores").predicted;
    // Ten fill buffers of 64 bytes, each busy for the memory's latency, are the most; the share of
    // instructions that wait for loads in flight keeps it a little below.
    EXPECT_LE(one, 1.05 * 10 * 64 / 80.0);
    EXPECT_GE(one, 0.75 * 10 * 64 / 80.0);
    EXPECT_NEAR(two / one, 2, 0.1);
    EXPECT_LE(all, platform.memory.bandwidth_gbs);
    EXPECT_GE(all, 0.9 * platform.memory.bandwidth_gbs);
}

TEST(ProbeTlb, ReachIsThatOfTheTlbs) {
    const model::Platform platform = sandy_bridge();
    const ProbeTable table = probe_tlb(platform, {});
    EXPECT_GE(judge(table), 4U);
    // Past the second level every load waits for a walk.
    EXPECT_GT(row_of(table, "load", "2048 pages").predicted,
              row_of(table, "load", "256 pages").predicted + platform.tlb.walk.cycles);
}

TEST(Probes, AnUnknownOneIsAnErrorThatNamesTheNearest) {
    EXPECT_THAT(probe_names(), testing::ElementsAre("bandwidth", "c2c", "latency", "tlb"));
    try {
        (void)run_probe("latencies", sandy_bridge());
        FAIL();
    } catch (const model::UserError& e) {
        EXPECT_THAT(e.what(), testing::HasSubstr("\"latency\"?"));
    }
}

}  // namespace
}  // namespace linefill::scenarios
