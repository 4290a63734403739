// SPDX-License-Identifier: Apache-2.0
// The recorder told of accesses and time by hand, and what it made of them.
#include "measure/report/recorder.h"

#include <gtest/gtest.h>

#include "kernel/base/registry.h"
#include "kernel/layout/layout.h"
#include "measure/report/sums.h"
#include "scenarios/run.h"

namespace linefill::measure {
namespace {

using model::AccessKind;
using model::AccessRecord;
using model::CpiComponent;
using model::DataSource;
using model::MissClass;

class RecorderTest : public testing::Test {
protected:
    static AccessRecord record(unsigned cpu, AccessKind kind, DataSource source, MissClass miss) {
        AccessRecord r;
        r.cpu = cpu;
        r.function = kFunction;
        r.field = kField;
        r.kind = kind;
        r.source = source;
        r.miss = miss;
        r.addr = 0x10000 + 72;
        r.latency = 20 * model::kNanosecond;
        return r;
    }

    static const model::FieldId kField;
    static const model::FunctionId kFunction;
    Recorder recorder_{kernel::Layout::for_kernel("v4.7-rc7", "x86_64")};
    model::AccessObserver& accesses_ = *recorder_.accesses();
};

const model::FieldId RecorderTest::kField =
    kernel::FieldRegistry::instance().id("task_struct", "test_field", 328, 8);
const model::FunctionId RecorderTest::kFunction =
    kernel::FunctionRegistry::instance().add("test_function", "none", 64);

TEST_F(RecorderTest, SumsAccessesByFieldFunctionAndLine) {
    accesses_.on_access(record(1, AccessKind::kLoad, DataSource::kL1, MissClass::kHit));
    accesses_.on_access(record(2, AccessKind::kLoad, DataSource::kL1, MissClass::kHit));
    accesses_.on_access(
        record(3, AccessKind::kLoad, DataSource::kOtherSocketDirty, MissClass::kTrueSharing));
    accesses_.on_access(record(4, AccessKind::kStore, DataSource::kUpgrade, MissClass::kUpgrade));
    accesses_.on_bulk_hits(5, kFunction, kField, AccessKind::kSpin, 1000);
    const AttributionResult r = recorder_.sums(1);

    const Demand demand = demand_by_field(r).at("task_struct.test_field");
    EXPECT_EQ(demand.reads.count, 1003U);
    EXPECT_EQ(demand.reads.misses(), 1U);
    EXPECT_EQ(demand.reads.hitm(), 1U);
    EXPECT_EQ(demand.reads.latency_ns, 20);
    EXPECT_EQ(demand.reads.cpus, 0b101110U);
    EXPECT_EQ(demand.writes.count, 1U);
    EXPECT_EQ(demand.writers(), 1U);
    EXPECT_EQ(demand.reads.by_miss[static_cast<std::size_t>(MissClass::kTrueSharing)], 1U);
    EXPECT_EQ(demand_of(r.functions.at("test_function")).all().count, 1004U);
    EXPECT_EQ(r.places.at("task_struct.test_field").offset, 328U);
    EXPECT_EQ(line_in_structure(r, "task_struct.test_field"), 5);

    // The bulk hits have no address.
    const LineStats& line = r.lines.at((0x10000 + 72) / 64);
    EXPECT_EQ(line.records(), 4U);
    EXPECT_EQ(line.hitm_remote, 1U);
    EXPECT_EQ(line.sites.begin()->second.offset, 8U);
}

TEST_F(RecorderTest, KeepsTheLinesThatMovedAndCountsTheOthers) {
    for (unsigned i = 0; i < 600; ++i) {
        AccessRecord r =
            record(0, AccessKind::kLoad, DataSource::kSameSocketDirty, MissClass::kTrueSharing);
        r.addr = 64 * (1000 + i);
        for (unsigned n = 0; n <= i; ++n) accesses_.on_access(r);
    }
    accesses_.on_access(record(0, AccessKind::kLoad, DataSource::kDramLocal, MissClass::kCold));
    const AttributionResult r = recorder_.sums(1);
    EXPECT_EQ(r.lines.size(), 512U);
    EXPECT_EQ(r.lines.begin()->first, 1088U);
    EXPECT_EQ(r.lines_left_out, 88U);
    EXPECT_EQ(r.moves_left_out, 88U * 89 / 2);
}

TEST_F(RecorderTest, TimeBecomesCyclesAndIdleTimeIsNobodys) {
    const auto time = [&](model::FieldId field, CpiComponent component, model::Tick fs) {
        accesses_.on_time(0, kFunction, model::kNoFunction, field, static_cast<unsigned>(component),
                          fs);
    };
    time(model::kNoField, CpiComponent::kBase, 1000);
    time(model::kNoField, CpiComponent::kBase, 500);
    time(kField, CpiComponent::kOtherSocket, 3000);
    time(model::kNoField, CpiComponent::kIdle, 1000000);
    const AttributionResult r = recorder_.sums(0.002);
    EXPECT_DOUBLE_EQ(attributed_cycles(r), 9);
    EXPECT_DOUBLE_EQ((r.time_cycles.at({"test_function", "[user]", "", "base"})), 3);
    EXPECT_DOUBLE_EQ(
        (r.time_cycles.at({"test_function", "[user]", "task_struct.test_field", "other-socket"})),
        6);
    EXPECT_DOUBLE_EQ(wait_by_field(r).at("task_struct.test_field"), 6);
}

TEST_F(RecorderTest, AWindowWeighsWhatItStandsFor) {
    const auto window = [](double units, double stands_for, std::int64_t cycles) {
        scenarios::ObservedWindow w;
        w.units = units;
        w.stands_for = stands_for;
        w.counted.kernel[model::Event::kCycles] = cycles;
        w.counted.kernel[model::Event::kUnhaltedFs] = 10 * cycles;
        return w;
    };
    const auto see = [&](unsigned loads, model::Tick fs) {
        recorder_.begin_window();
        for (unsigned i = 0; i < loads; ++i) {
            accesses_.on_access(record(i, AccessKind::kLoad, DataSource::kL1, MissClass::kHit));
        }
        accesses_.on_access(
            record(0, AccessKind::kLoad, DataSource::kSameSocketDirty, MissClass::kTrueSharing));
        accesses_.on_time(0, kFunction, model::kNoFunction, kField,
                          static_cast<unsigned>(CpiComponent::kSameSocket), fs);
        recorder_.locks()->on_release(kField, 1, 0, 7 * model::kNanosecond);
    };
    see(32, 3200);
    see(2, 20);  // the tail: other costs, few units of the whole
    scenarios::ScenarioResult result;
    result.observed = {window(10, 1000, 320), window(10, 5, 2)};
    const AttributionResult r = decode_attribution(recorder_.finish(result));
    EXPECT_EQ(r.runs, 1U);
    EXPECT_DOUBLE_EQ(r.units, 1005);
    EXPECT_DOUBLE_EQ(r.observed_units, 20);
    EXPECT_DOUBLE_EQ(r.cycles, 320 * 100 + 2 * 0.5);
    EXPECT_DOUBLE_EQ(attributed_cycles(r), r.cycles);
    const AccessStats all = demand_by_field(r).at("task_struct.test_field").all();
    EXPECT_EQ(all.count, 33U * 100 + 1 + 1);  // 2 and 1 accesses at half their weight
    EXPECT_EQ(r.lines.begin()->second.hitm_local, 101U);
}

TEST_F(RecorderTest, BringsTheTextOfStructuresThatWereTouched) {
    EXPECT_TRUE(recorder_.sums(1).pahole.empty());
    accesses_.on_access(record(1, AccessKind::kLoad, DataSource::kL1, MissClass::kHit));
    const AttributionResult r = recorder_.sums(1);
    ASSERT_EQ(r.pahole.size(), 1U);
    // It reads back to the same places.
    const kernel::Layout layout = kernel::Layout::parse(r.pahole.at("task_struct"), "task_struct");
    const kernel::Layout original = kernel::Layout::for_kernel("v4.7-rc7", "x86_64");
    for (const char* field : {"pi_lock", "se.exec_start", "se.sum_exec_runtime", "on_cpu"}) {
        EXPECT_EQ(layout.offset("task_struct", field), original.offset("task_struct", field));
    }
}

}  // namespace
}  // namespace linefill::measure
