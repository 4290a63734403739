// SPDX-License-Identifier: Apache-2.0
// What an observer is told: all time, of what was waited for; and that watching changes nothing.
#include <map>

#include <gtest/gtest.h>

#include "tests/model/test_machine.h"

namespace linefill::model {
namespace {

constexpr FieldId kNear = 7;
constexpr FieldId kFar = 8;

class Watcher final : public AccessObserver {
public:
    void on_access(const AccessRecord& r) override {
        ++accesses[{r.cpu, r.field}];
        if (r.source == DataSource::kFillBuffer) ++merged[r.field];
    }
    void on_bulk_hits(unsigned, FunctionId, FieldId, AccessKind, std::uint64_t) override {}
    void on_time(unsigned cpu, FunctionId function, FunctionId, FieldId field, unsigned component,
                 Tick fs) override {
        const auto c = static_cast<CpiComponent>(component);
        if (c == CpiComponent::kBase) base[function] += fs;
        time[{cpu, c}] += fs;
        waited[{c, field}] += fs;
    }
    void on_snoop(Addr, unsigned, unsigned, bool, bool, FieldId) override {}

    std::map<std::pair<unsigned, CpiComponent>, Tick> time;
    std::map<std::pair<CpiComponent, FieldId>, Tick> waited;
    std::map<std::pair<unsigned, FieldId>, unsigned> accesses;
    std::map<FieldId, unsigned> merged;
    std::map<FunctionId, Tick> base;
};

/// Two CPUs of different sockets and a sibling that take lines from each other in all ways.
void contend(TestMachine& t) {
    const Addr lock = t.line_on(0, 0);
    const Addr data = t.line_on(1, 1);
    for (const unsigned cpu : {0U, 8U, 16U}) {
        t.on(cpu, [&t, lock, data](HwThread& hw) {
            for (int i = 0; i < 200; ++i) {
                hw.locked(lock, 4, kNear, [] {});
                const Token p = hw.load(data, 8, kFar);
                hw.use(hw.load(data + 8, 8, kFar, p));
                hw.store(data + 16, 8, kFar);
                hw.store(t.line_on(0, 2), 8, kNear);
                hw.execute(20);
                hw.prefetch(t.line_on(1, 3 + i % 5), kFar, PrefetchKind::kNta);
                if (i % 7 == 0) hw.fence();
                if (i % 11 == 0) hw.mispredict(hw.load(t.line_on(1, 3 + i % 5), 8, kFar));
            }
        });
    }
}

TEST(Attribution, AllUnhaltedTimeIsTold) {
    TestMachine t(test_platform());
    Watcher watcher;
    t.machine().set_observer(&watcher);
    contend(t);
    t.run();
    for (const unsigned cpu : {0U, 8U, 16U}) {
        const Counters c = t.counters(cpu);
        for (std::size_t i = 0; i < kCpiCount; ++i) {
            const auto component = static_cast<CpiComponent>(i);
            if (component == CpiComponent::kIdle) continue;
            EXPECT_EQ((watcher.time[{cpu, component}]), c[component]) << cpi_name(component);
        }
    }
}

TEST(Attribution, WatchingChangesNothing) {
    const auto counts = [](bool watch) {
        return in_child([watch]() -> std::vector<double> {
            TestMachine t(test_platform());
            Watcher watcher;
            if (watch) t.machine().set_observer(&watcher);
            contend(t);
            t.run();
            std::vector<double> all;
            const Counters c = t.total();
            for (const std::int64_t n : c.event) all.push_back(static_cast<double>(n));
            for (const std::int64_t n : c.cpi_fs) all.push_back(static_cast<double>(n));
            return all;
        });
    };
    const std::vector<double> off = counts(false);
    EXPECT_FALSE(off.empty());
    EXPECT_EQ(counts(true), off);
}

TEST(Attribution, ADrainNamesTheStoreThatWasWaitedFor) {
    TestMachine t(test_platform());
    Watcher watcher;
    t.machine().set_observer(&watcher);
    const Addr own = t.line_on(0, 0);
    const Addr taken = t.line_on(0, 1);
    bool ready = false;
    t.on(8, [&](HwThread& hw) {
        hw.store(taken, 8, kNoField);
        hw.fence();
        hw.synchronise();
        ready = true;
    });
    t.on(0, [&](HwThread& hw) {
        hw.use(hw.load(own, 8, kNoField));
        hw.store(own, 8, kNoField);
        while (!ready) {
            hw.execute(100);
            hw.synchronise();
        }
        hw.fence();
        watcher.waited.clear();
        hw.store(taken, 8, kFar);
        hw.store(own, 8, kNear);  // owned already, behind the other in order
        hw.fence();
    });
    t.run();
    const Tick far = watcher.waited[{CpiComponent::kStoreBuffer, kFar}];
    EXPECT_GT(far, 50 * kNanosecond);
    EXPECT_LE((watcher.waited[{CpiComponent::kStoreBuffer, kNear}]), 1000 * kPicosecond);
    // The fence itself is nobody's field.
    EXPECT_LT((watcher.waited[{CpiComponent::kStoreBuffer, kNoField}]), far);
}

TEST(Attribution, InstructionsBehindAMissAreTheirFunctionsOwn) {
    // They can only be executed when the value has come, in another function: two that execute the
    // same number of instructions have the same base time, whichever has the miss.
    constexpr FunctionId kMisses = 1;
    constexpr FunctionId kAfter = 2;
    constexpr unsigned kInstructions = 40;
    TestMachine t(test_platform());
    Watcher watcher;
    t.machine().set_observer(&watcher);
    t.on(0, [&](HwThread& hw) {
        hw.enter_function(kMisses, 0x1000000, 64);
        hw.enter_function(kAfter, 0x2000000, 64);
        hw.leave_function();
        hw.fence();
        watcher.base.clear();
        const Token missing = hw.load(t.line_on(1, 0), 8, kFar);
        hw.execute(kInstructions);
        hw.enter_function(kAfter, 0x2000000, 64);
        hw.use(missing);
        hw.fence();
        hw.execute(kInstructions);
        hw.leave_function();
        hw.leave_function();
    });
    t.run();
    EXPECT_GT(watcher.base[kAfter], 0);
    EXPECT_NEAR(static_cast<double>(watcher.base[kMisses]),
                static_cast<double>(watcher.base[kAfter]),
                0.15 * static_cast<double>(watcher.base[kAfter]));
}

TEST(Attribution, AWaitForAPrefetchedLineNamesTheLoad) {
    TestMachine t(test_platform());
    Watcher watcher;
    t.machine().set_observer(&watcher);
    t.on(0, [&](HwThread& hw) {
        hw.use(hw.load(t.line_on(0, 5000), 8, kNoField));
        hw.execute(1000);
        hw.fence();
        watcher.waited.clear();
        hw.prefetch(t.line_on(0, 0), kFar, PrefetchKind::kNta);
        hw.use(hw.load(t.line_on(0, 0), 8, kNear));
    });
    t.run();
    EXPECT_EQ(watcher.merged[kNear], 1U);
    Tick waited = 0;
    for (const auto& [key, fs] : watcher.waited) {
        if (key.second == kNear || key.second == kFar) waited += fs;
    }
    EXPECT_GT(waited, 40 * kNanosecond);
}

}  // namespace
}  // namespace linefill::model
