// SPDX-License-Identifier: Apache-2.0
// Locks written directly on hardware threads: nobody is inside together with another, in modelled
// time either, nobody is forgotten, and what is counted inside is right.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/model/test_machine.h"

namespace linefill::model {
namespace {

constexpr unsigned kRounds = 60;

class LockTest : public testing::Test {
protected:
    void enter(HwThread& hw) {
        if (inside_ >= 0 && complaint_.empty()) {
            complaint_ = "CPU " + std::to_string(hw.cpu()) + " is inside with CPU " +
                         std::to_string(inside_) + " at " + std::to_string(hw.now());
        }
        if (hw.now() < released_at_ && complaint_.empty()) {
            complaint_ = "CPU " + std::to_string(hw.cpu()) + " entered at " +
                         std::to_string(hw.now()) + ", before the release at " +
                         std::to_string(released_at_);
        }
        inside_ = static_cast<int>(hw.cpu());
        order_.push_back(hw.cpu());
    }
    /// Something that takes time and touches lines that others touch.
    void work(HwThread& hw) {
        hw.load(data(0), 8, kNoField);
        hw.store(data(0), 8, kNoField);
        hw.store(data(1), 8, kNoField);
        hw.execute(30);
        ++sum_;
    }
    /// The lock word's value changes when the store drains.
    void release(HwThread& hw, std::uint64_t value) {
        hw.store(lock(), 4, kNoField, {},
                 {[](void* self, std::uint64_t v) {
                      auto& t = *static_cast<LockTest*>(self);
                      t.word_ = v;
                      t.inside_ = -1;
                      t.released_at_ = t.t_.machine().scheduler().now();
                  },
                  this, value});
    }
    Addr lock() const { return t_.line_on(0, 0); }
    Addr data(unsigned n) const { return t_.line_on(1, 1 + n); }
    void all_run(const std::function<void(HwThread&)>& round) {
        for (unsigned cpu = 0; cpu < t_.machine().cpus(); ++cpu) {
            t_.on(cpu, [&](HwThread& hw) {
                for (unsigned i = 0; i < kRounds; ++i) {
                    round(hw);
                    hw.execute(200 + 7 * hw.cpu());
                }
            });
        }
        t_.run();
        EXPECT_EQ(complaint_, "");
        EXPECT_EQ(sum_, kRounds * t_.machine().cpus());
        for (unsigned cpu = 0; cpu < t_.machine().cpus(); ++cpu) {
            EXPECT_EQ(std::count(order_.begin(), order_.end(), cpu), kRounds) << "CPU " << cpu;
        }
    }

    TestMachine t_{test_platform()};
    std::uint64_t word_ = 0;
    std::uint64_t next_ = 0;
    int inside_ = -1;
    Tick released_at_ = 0;
    unsigned sum_ = 0;
    std::vector<unsigned> order_;
    std::string complaint_;
};

TEST_F(LockTest, ATicketLockLetsThemInOneByOneInTheOrderOfTheirTickets) {
    std::vector<unsigned> tickets;
    all_run([&](HwThread& hw) {
        const std::uint64_t mine = hw.locked(lock(), 4, kNoField, [&] {
            tickets.push_back(hw.cpu());
            return next_++;
        });
        hw.spin_until(lock(), 4, kNoField, SpinLoop{}, [&] { return word_ == mine; });
        enter(hw);
        work(hw);
        release(hw, mine + 1);
    });
    EXPECT_EQ(order_, tickets);
    const Counters c = t_.total();
    EXPECT_GT(c[Event::kInflightConflict], 1000);
    EXPECT_GT(c[Event::kHitmRemote], 500);
    EXPECT_NO_THROW(t_.machine().check_identities(c));
}

TEST_F(LockTest, AnExchangeLockLetsThemInOneByOne) {
    all_run([&](HwThread& hw) {
        while (hw.locked(lock(), 4, kNoField, [&] {
            const std::uint64_t old = word_;
            word_ = 1;
            return old;
        }) != 0) {
            hw.spin_until(lock(), 4, kNoField, SpinLoop{}, [&] { return word_ == 0; });
        }
        enter(hw);
        work(hw);
        release(hw, 0);
    });
    EXPECT_NO_THROW(t_.machine().check_identities(t_.total()));
}

TEST_F(LockTest, LockedIncrementsAreAllCounted) {
    std::uint64_t counter = 0;
    for (unsigned cpu = 0; cpu < t_.machine().cpus(); ++cpu) {
        t_.on(cpu, [&](HwThread& hw) {
            for (int i = 0; i < 500; ++i) hw.locked(lock(), 8, kNoField, [&] { ++counter; });
        });
    }
    t_.run();
    EXPECT_EQ(counter, 500U * t_.machine().cpus());
    EXPECT_EQ(t_.total()[Event::kLockedOps], 500 * static_cast<int>(t_.machine().cpus()));
}

}  // namespace
}  // namespace linefill::model
