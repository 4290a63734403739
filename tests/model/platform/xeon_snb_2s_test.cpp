// SPDX-License-Identifier: Apache-2.0
// The shipped Sandy Bridge-EP machine against the figures that were published for it.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/platform/dump.h"
#include "model/platform/load.h"
#include "model/platform/pmu_events.h"
#include "model/platform/provenance.h"
#include "tests/model/platform/platform_text.h"

namespace linefill::model {
namespace {

using testing::IsEmpty;

class XeonSnbTest : public testing::Test {
protected:
    Platform p_ = load_platform("xeon-snb-2s", {platforms_dir()});
};

void expect_cache(const CacheConfig& cache, unsigned kib, unsigned ways, unsigned sets) {
    EXPECT_EQ(cache.size, std::uint64_t{kib} * 1024);
    EXPECT_EQ(cache.ways, ways);
    EXPECT_EQ(cache.sets(), sets);
    EXPECT_EQ(cache.line, 64U);
    EXPECT_TRUE(cache.present);
}

TEST_F(XeonSnbTest, HasTheTopologyAndTheCachesOfTheMachine) {
    EXPECT_EQ(p_.topology.cpus(), 32U);
    EXPECT_EQ(p_.topology.sockets, 2U);
    EXPECT_EQ(p_.topology.cores_per_socket, 8U);
    expect_cache(p_.l1i, 32, 8, 64);
    expect_cache(p_.l1d, 32, 8, 64);
    expect_cache(p_.l2, 256, 8, 512);
    expect_cache(p_.llc, 20 * 1024, 20, 16384);
    EXPECT_EQ(p_.llc.slices, 8U);
    EXPECT_EQ(p_.llc.inclusion, "inclusive");
    EXPECT_EQ(p_.l2.inclusion, "non-inclusive");
    EXPECT_EQ(p_.l1d.policy, "tree-plru");
    EXPECT_EQ(p_.l2.policy, "tree-plru");
    EXPECT_EQ(p_.llc.policy, "mru-n");
    EXPECT_EQ(p_.l1d.latency, (Latency{4, 0, true}));
    EXPECT_EQ(p_.l2.latency, (Latency{12, 0, true}));
    EXPECT_EQ(p_.llc.latency, (Latency{40, 0, true}));
}

TEST_F(XeonSnbTest, HasTheTlbsOfTheMachine) {
    EXPECT_EQ(p_.tlb.dtlb_4k, (TlbConfig{64, 4}));
    EXPECT_EQ(p_.tlb.dtlb_2m, (TlbConfig{32, 4}));
    EXPECT_EQ(p_.tlb.dtlb_1g, (TlbConfig{4, 4}));
    EXPECT_EQ(p_.tlb.itlb_4k, (TlbConfig{64, 4}));
    EXPECT_EQ(p_.tlb.itlb_2m, (TlbConfig{8, 8}));
    EXPECT_EQ(p_.tlb.stlb, (TlbConfig{512, 4}));
    EXPECT_EQ(p_.tlb.stlb_pages, "4k");
    EXPECT_EQ(p_.tlb.stlb_hit.cycles, 7);
    EXPECT_GE(p_.tlb.walk.cycles, 20);
    EXPECT_LE(p_.tlb.walk.cycles, 35);
    EXPECT_EQ(p_.tlb.linear_map_page, "1GiB");
    EXPECT_EQ(p_.tlb.kernel_text_page, "2MiB");
}

TEST_F(XeonSnbTest, HasTheCoreOfTheMachine) {
    EXPECT_EQ(p_.core.width, 4U);
    EXPECT_EQ(p_.core.window, 168U);
    EXPECT_EQ(p_.core.load_buffer, 64U);
    EXPECT_EQ(p_.core.store_buffer, 36U);
    EXPECT_EQ(p_.core.fill_buffers, 10U);
    EXPECT_EQ(p_.core.mispredict.cycles, 16);
    EXPECT_GE(p_.core.lock_rmw.cycles, 23);  // latency 23, throughput 25
    EXPECT_LE(p_.core.lock_rmw.cycles, 25);
    EXPECT_EQ(p_.core.mfence.cycles, 33);
    EXPECT_EQ(p_.core.pause.cycles, 11);
    EXPECT_EQ(p_.core.rdtsc.cycles, 28);
    EXPECT_EQ(p_.core.syscall.cycles, 150);
    EXPECT_EQ(p_.core.smt_issue_share, 0.6);
    EXPECT_EQ(p_.core.irq_flags_on.cycles, 20);
    EXPECT_EQ(p_.core.wrmsr.cycles, 100);
    const double interrupt = p_.core.interrupt_entry.cycles + p_.core.interrupt_exit.cycles;
    EXPECT_GE(interrupt, 1000);
    EXPECT_LE(interrupt, 1800);
}

TEST_F(XeonSnbTest, ClocksStayWithinWhatTheRunsShow) {
    EXPECT_EQ(p_.clock.base_ghz, 2.6);
    EXPECT_EQ(p_.clock.tsc_ghz, 2.6);
    ASSERT_EQ(p_.clock.turbo_ghz.size(), p_.topology.cores_per_socket);
    EXPECT_EQ(p_.clock.turbo_ghz.back(), 2.8);
    for (const double ghz : p_.clock.turbo_ghz) {
        EXPECT_GE(ghz, 2.6);
        EXPECT_LE(ghz, 3.1);
    }
}

// The parts of the fabric must add up to what was measured of the whole: plain loads within the 5 %
// and transfers within the 10 % that the probes have to meet, by the sums that the file states.
TEST_F(XeonSnbTest, ComponentLatenciesSumToTheMeasuredLoads) {
    const auto ns = [](const Latency& latency) { return latency.to_ns(2.8); };
    const auto& c = p_.coherence;
    const double llc = ns(p_.llc.latency);
    const double link = ns(p_.link.latency);
    const double local = llc + ns(c.home_processing) + ns(p_.memory.latency);
    EXPECT_NEAR(llc + ns(c.core_snoop_clean), 25, 0.1);
    EXPECT_NEAR(llc + ns(c.core_snoop_dirty), 29, 0.1);
    EXPECT_NEAR(llc + link + ns(c.request_leg) + ns(c.core_snoop_dirty) + link, 75, 7.5);
    EXPECT_NEAR(local, 81, 0.05 * 81);
    EXPECT_NEAR(local + 2 * link, 131, 0.05 * 131);
    EXPECT_NEAR(llc, 15.4, 1.2);  // measured at 2.6 GHz
}

TEST_F(XeonSnbTest, InterruptsArriveAfterTheTimeThatWasStated) {
    const double entry = p_.core.interrupt_entry.to_ns(2.8);
    EXPECT_NEAR(p_.irq.ipi_same_socket.ns + entry, 800, 1);
    EXPECT_NEAR(p_.irq.ipi_other_socket.ns + entry, 1100, 1);
}

TEST_F(XeonSnbTest, IdleStatesAreThoseOfTheKernelsTable) {
    struct State {
        const char* name;
        double exit_us;
        double residency_us;
    };
    const std::vector<State> table{
        {"C1", 2, 2}, {"C1E", 10, 20}, {"C3", 80, 211}, {"C6", 104, 345}, {"C7", 109, 345}};
    ASSERT_EQ(p_.idle_states.size(), table.size());
    for (std::size_t i = 0; i < table.size(); ++i) {
        EXPECT_EQ(p_.idle_states[i].name, table[i].name);
        EXPECT_EQ(p_.idle_states[i].exit.ns, table[i].exit_us * 1000);
        EXPECT_EQ(p_.idle_states[i].residency.ns, table[i].residency_us * 1000);
        EXPECT_EQ(p_.idle_states[i].flushes_private_caches, i >= 2);
    }
}

TEST_F(XeonSnbTest, TargetsAreTheMeasuredBehaviour) {
    const auto target = [this](const char* name) { return p_.targets.at(name).ns; };
    EXPECT_EQ(p_.targets.size(), 12U);
    EXPECT_EQ(p_.targets.at("load_l1d"), p_.l1d.latency);
    EXPECT_EQ(p_.targets.at("load_l2"), p_.l2.latency);
    EXPECT_EQ(p_.targets.at("load_llc"), p_.llc.latency);
    EXPECT_EQ(target("load_local_dram"), 81);
    EXPECT_EQ(target("load_remote_dram"), 131);
    EXPECT_EQ(target("load_clean_same_socket"), 25);
    EXPECT_EQ(target("load_dirty_same_socket"), 29);
    EXPECT_EQ(target("load_clean_other_socket"), 75);
    EXPECT_EQ(target("load_dirty_other_socket"), 75);
    EXPECT_EQ(target("rmw_same_core"), 8.9);
    EXPECT_EQ(target("rmw_same_socket"), 32);
    EXPECT_EQ(target("rmw_other_socket"), 114);
}

TEST_F(XeonSnbTest, EventsHaveTheDefinitionsOfSandyBridge) {
    const auto& events = p_.pmu.events;
    EXPECT_EQ(events.at("L1-dcache-load-misses"), "l1d_fill");
    EXPECT_EQ(events.at("L1-dcache-loads"), "loads + software_prefetch");
    EXPECT_EQ(events.at("dTLB-loads"), "loads + software_prefetch");
    EXPECT_EQ(events.at("LLC-loads"), "llc_data_read");
    EXPECT_EQ(events.at("LLC-load-misses"), "llc_data_read_miss");
    EXPECT_EQ(events.at("dTLB-load-misses"), "dtlb_walk_load");
    EXPECT_EQ(events.at("iTLB-loads"), "itlb_stlb_hit");
    for (const char* name : {"L1-icache-loads", "L1-dcache-prefetches", "branches"}) {
        EXPECT_THAT(parse_event_sum(events.at(name)), IsEmpty()) << name;
    }
    EXPECT_TRUE(p_.pmu.count_fill_into_invalid);
    EXPECT_FALSE(p_.pmu.count_upgrades);
}

TEST_F(XeonSnbTest, FiguresWithoutConfirmationAreTaggedAssumed) {
    for (const char* key : {"core.syscall", "core.interrupt_entry", "core.cpi_kernel",
                            "irq.ipi_same_socket", "timer.program", "clock.base",
                            "core.smt_issue_share", "tlb.walk.latency", "memory.size_per_node"}) {
        EXPECT_EQ(provenance_of(p_, key)->tag, "assumed") << key;
    }
}

TEST(ShippedPlatformsTest, EveryFigureHasASourceAndIsWithinItsRange) {
    const auto names = platform_names({platforms_dir()});
    ASSERT_FALSE(names.empty());
    for (const auto& name : names) {
        const Platform p = load_platform(name, {platforms_dir()});
        EXPECT_EQ(p.name, name);
        EXPECT_THAT(provenance_complaints(p), IsEmpty()) << name;
    }
}

TEST(ProvenanceTest, AFigureWithoutAnEntryOrOutsideItsRangeIsNoticed) {
    const auto complaints = [](const std::string& text) {
        return provenance_complaints(parse_platform(text, "my.toml"));
    };
    EXPECT_THAT(
        complaints(edited("[core]", "\"11cycles\"", "\"12cycles\"")),
        testing::ElementsAre("core.pause: 12cycles is outside its range 9cycles..11cycles"));
    EXPECT_THAT(complaints(edited("[core]", "\"11cycles\"", "\"10ns\"")),
                testing::ElementsAre("core.pause: 10ns is outside its range 9cycles..11cycles"));
    EXPECT_THAT(complaints(edited("[clock]", "[\"3GHz\"", "[\"3.3GHz\"")), testing::SizeIs(1));
    Platform p = load_platform("xeon-snb-2s", {platforms_dir()});
    p.provenance.erase("core.pause");
    EXPECT_THAT(provenance_complaints(p), testing::ElementsAre("core.pause: no provenance"));
}

TEST(ProvenanceTest, AnEntryOfASectionServesItsKeys) {
    const Platform p = load_platform("xeon-snb-2s", {platforms_dir()});
    EXPECT_EQ(provenance_of(p, "tlb.dtlb_1g.entries"), provenance_of(p, "tlb"));
    EXPECT_NE(provenance_of(p, "tlb.walk.latency"), provenance_of(p, "tlb"));
    EXPECT_EQ(provenance_of(p, "name"), nullptr);
}

}  // namespace
}  // namespace linefill::model
