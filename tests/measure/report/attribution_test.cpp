// SPDX-License-Identifier: Apache-2.0
// Sums of recordings, and their way from a worker process to its parent.
#include "measure/report/attribution.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/measure/report/sample.h"

namespace linefill::measure {
namespace {

using model::DataSource;

AccessStats from(DataSource source) {
    return accesses(10, 4, source, model::MissClass::kTrueSharing);
}

TEST(AccessStats, AMissIsWhatNeitherOwnL1NorFillNorStoreBufferServed) {
    EXPECT_EQ(accesses(10).misses(), 0U);
    EXPECT_EQ(from(DataSource::kFillBuffer).misses(), 0U);
    EXPECT_EQ(from(DataSource::kForward).misses(), 0U);
    for (const DataSource source : {DataSource::kL2, DataSource::kLlc, DataSource::kDramRemote,
                                    DataSource::kUpgrade, DataSource::kOtherSocketClean}) {
        EXPECT_EQ(from(source).misses(), 4U);
    }
}

TEST(AccessStats, RemoteAndHitmAreTellsOfTheSource) {
    for (std::size_t i = 0; i < kSources; ++i) {
        const auto source = static_cast<DataSource>(i);
        const bool dirty =
            source == DataSource::kSameSocketDirty || source == DataSource::kOtherSocketDirty;
        const bool clean =
            source == DataSource::kSameSocketClean || source == DataSource::kOtherSocketClean;
        const bool upgrade = source == DataSource::kUpgrade || source == DataSource::kUpgradeRemote;
        const std::uint64_t n = source == DataSource::kL1 ? 0 : 4;
        EXPECT_EQ(from(source).hitm(), dirty ? n : 0) << source_name(i);
        EXPECT_EQ(from(source).remote(), dirty || clean || upgrade ? n : 0) << source_name(i);
    }
}

TEST(Attribution, TheTextCarriesEveryBit) {
    AttributionResult r = sample_result();
    r.units = 0.1 + 0.2;
    r.time_cycles[{"f", "g", "a \"quoted\" field", "base"}] = 1.0 / 3.0;
    r.fields[{"x.y", 2}] = accesses(~std::uint64_t{0}, 1);
    r.fields[{"x.y", 2}].cpus = ~std::uint64_t{0};
    const AttributionResult back = decode_attribution(encode_attribution(r));
    EXPECT_EQ(encode_attribution(back), encode_attribution(r));
    EXPECT_EQ(back.units, r.units);
    EXPECT_EQ(back.time_cycles, r.time_cycles);
    EXPECT_EQ((back.fields.at({"x.y", 2}).count), ~std::uint64_t{0});
    EXPECT_EQ((back.fields.at({"x.y", 2}).cpus), ~std::uint64_t{0});
    EXPECT_EQ(back.lines.at(0x10040).sites.size(), 2U);
    EXPECT_EQ(back.lines_left_out, 3U);
    EXPECT_EQ(back.moves_left_out, 99U);
    EXPECT_EQ(back.locks.at("task_struct.pi_lock").max_wait_ns, 2500);
    EXPECT_EQ(back.pahole, r.pahole);
}

TEST(Attribution, RefusesATextThatNobodyRecorded) {
    for (const char* text : {"", "{}", "nonsense", "{\"runs\": 1}", "[1, 2]"}) {
        EXPECT_THROW(static_cast<void>(decode_attribution(text)), std::runtime_error) << text;
    }
}

TEST(Attribution, RunsAddUp) {
    AttributionResult sum;
    sum += sample_result();
    sum += sample_result();
    const AttributionResult one = sample_result();
    EXPECT_EQ(sum.runs, 4U);
    EXPECT_EQ(sum.units, 2 * one.units);
    EXPECT_EQ(sum.cycles, 2 * one.cycles);
    for (const auto& [key, cycles] : one.time_cycles) {
        EXPECT_EQ(sum.time_cycles.at(key), 2 * cycles);
    }
    EXPECT_EQ((sum.fields.at({"rq.lock", 2}).count), 2000U);
    EXPECT_EQ((sum.fields.at({"rq.lock", 2}).cpus), 0xffffffffU);
    EXPECT_EQ(sum.lines.at(0x10040).hitm_remote, 1800U);
    EXPECT_EQ(sum.lines_left_out, 6U);
    // The same locks in both runs, and the longest of both.
    EXPECT_EQ(sum.locks.at("rq.lock").instances, 32U);
    EXPECT_EQ(sum.locks.at("rq.lock").acquisitions, 2000U);
    EXPECT_EQ(sum.locks.at("rq.lock").max_wait_ns, 90);
    EXPECT_EQ(sum.pahole, one.pahole);
}

TEST(Attribution, ALinePutsItsSitesTogether) {
    LineStats line;
    line.add("a.b", "f", 0, 16, accesses(10, 3, DataSource::kSameSocketDirty));
    line.add("a.b", "f", 2, 8, accesses(5, 2, DataSource::kOtherSocketDirty));
    line.add("a.c", "f", 0, 24, accesses(7, 7, DataSource::kDramRemote));
    EXPECT_EQ(line.records(), 22U);
    EXPECT_EQ(line.loads, 17U);
    EXPECT_EQ(line.l1_hits, 7U);
    EXPECT_EQ(line.dram_remote, 7U);
    EXPECT_EQ(line.stores, 5U);
    EXPECT_EQ(line.store_l1_miss, 2U);
    EXPECT_EQ(line.moved(), 5U);
    const LineStats::Site& site = line.sites.at({"a.b", "f"});
    EXPECT_EQ(site.offset, 8U);
    EXPECT_EQ(site.accesses, 15U);
    EXPECT_EQ(site.stores, 5U);
    EXPECT_EQ(site.misses, 5U);
}

}  // namespace
}  // namespace linefill::measure
