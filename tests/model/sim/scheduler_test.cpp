// SPDX-License-Identifier: Apache-2.0
// Order of agents and events in modelled time, waiting and waking, how a run ends.
#include "model/sim/scheduler.h"

#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "model/sim/random.h"

namespace linefill::model {
namespace {

using Log = std::vector<std::string>;

class TestEvent final : public Schedulable {
public:
    TestEvent(std::uint32_t rank, std::string name, Log& log)
        : Schedulable(rank), name_(std::move(name)), log_(log) {}
    std::function<void(Tick)> action;

protected:
    void fire(Tick now) override {
        log_.push_back(name_ + "@" + std::to_string(now));
        if (action) action(now);
    }

private:
    std::string name_;
    Log& log_;
};

/// Runs `body` once, then waits for good.
class TestAgent final : public Agent {
public:
    TestAgent(Scheduler& s, std::uint32_t rank, std::function<void(TestAgent&)> body)
        : Agent(rank), own_([this, &s, work = std::move(body)] {
              work(*this);
              for (;;) s.block(*this);
          }) {
        fiber = &own_;
    }

private:
    Fiber own_;
};

class SchedulerTest : public testing::Test {
protected:
    Scheduler s_;
    Log log_;
    void note(const std::string& what) { log_.push_back(what + "@" + std::to_string(s_.now())); }
};

TEST_F(SchedulerTest, ActsInOrderOfTimeWhateverTheOrderOfScheduling) {
    std::vector<std::unique_ptr<TestEvent>> events;
    for (std::uint32_t i = 0; i < 100; ++i) {
        events.push_back(std::make_unique<TestEvent>(i, "e", log_));
        s_.schedule(*events.back(), (i * 37) % 100);
    }
    EXPECT_FALSE(s_.run());
    ASSERT_EQ(log_.size(), 100U);
    for (int i = 0; i < 100; ++i)
        EXPECT_EQ(log_[static_cast<std::size_t>(i)], "e@" + std::to_string(i));
}

TEST_F(SchedulerTest, EqualTimesActInTheOrderOfRank) {
    TestEvent third(30, "third", log_);
    TestEvent first(10, "first", log_);
    TestEvent second(20, "second", log_);
    for (TestEvent* e : {&third, &first, &second}) s_.schedule(*e, 7);
    s_.run();
    EXPECT_EQ(log_, (Log{"first@7", "second@7", "third@7"}));
}

// Events of 11 CPUs that schedule, move and cancel others, and themselves, while they act; a set in order
// of (time, rank) says who must be next.
TEST_F(SchedulerTest, EventsThatRescheduleEachOtherActAsASetInOrderSays) {
    constexpr std::uint32_t kCpus = 11;
    constexpr std::uint32_t kPerCpu = 5;
    Random random(11, "events");
    std::set<std::pair<Tick, std::uint32_t>> oracle;
    std::vector<std::unique_ptr<TestEvent>> events;
    const auto forget = [&](const Schedulable& e) {
        if (e.scheduled()) oracle.erase({e.due(), e.rank()});
    };
    const auto schedule = [&](Schedulable& e, Tick at) {
        forget(e);
        s_.schedule(e, at);
        oracle.emplace(at, e.rank());
    };
    const auto any = [&]() -> Schedulable& { return *events[random.below(events.size())]; };
    int acted = 0;
    for (std::uint32_t i = 0; i < kCpus * kPerCpu; ++i) {
        const std::uint32_t rank = i / kPerCpu * 256 + i % kPerCpu * 50;
        events.push_back(std::make_unique<TestEvent>(rank, "e", log_));
        events.back()->action = [&, rank](Tick now) {
            ASSERT_FALSE(oracle.empty());
            ASSERT_EQ(*oracle.begin(), std::make_pair(now, rank));
            oracle.erase(oracle.begin());
            if (++acted > 20000) return;
            for (std::uint64_t n = random.below(4); n != 0; --n) {
                // Many are due at once.
                schedule(any(), now + static_cast<Tick>(random.below(4)));
            }
            if (random.below(5) == 0) {
                Schedulable& e = any();
                forget(e);
                s_.cancel(e);
            }
            if (oracle.empty()) schedule(any(), now + 1);
        };
    }
    schedule(*events[0], 1);
    EXPECT_FALSE(s_.run());
    EXPECT_TRUE(oracle.empty());
    EXPECT_GT(acted, 20000);
}

TEST_F(SchedulerTest, MovingAndCancelling) {
    TestEvent moved(1, "moved", log_);
    TestEvent cancelled(2, "cancelled", log_);
    TestEvent stays(3, "stays", log_);
    s_.schedule(moved, 5);
    s_.schedule(cancelled, 6);
    s_.schedule(stays, 7);
    s_.schedule(moved, 9);
    s_.cancel(cancelled);
    EXPECT_TRUE(moved.scheduled());
    EXPECT_FALSE(cancelled.scheduled());
    s_.run();
    EXPECT_EQ(log_, (Log{"stays@7", "moved@9"}));
}

TEST_F(SchedulerTest, ATimeInThePastIsTakenAsNow) {
    TestEvent late(2, "late", log_);
    TestEvent early(1, "early", log_);
    early.action = [&](Tick) { s_.schedule(late, 3); };
    s_.schedule(early, 10);
    s_.run();
    EXPECT_EQ(log_, (Log{"early@10", "late@10"}));
}

TEST_F(SchedulerTest, AnAgentThatSynchronisesLetsEarlierOnesActFirst) {
    TestEvent event(1, "event", log_);
    TestAgent ahead(s_, 20, [&](TestAgent& self) {
        note("starts");
        s_.sync(self, 100);
        note("goes on");
    });
    s_.schedule(ahead, 0);
    s_.schedule(event, 99);
    s_.run();
    EXPECT_EQ(log_, (Log{"starts@0", "event@99", "goes on@100"}));
}

TEST_F(SchedulerTest, AnAgentThatIsTheEarliestGoesOnWithoutASwitch) {
    std::uint64_t switches = 0;
    TestEvent event(1, "event", log_);
    TestAgent alone(s_, 2, [&](TestAgent& self) {
        const std::uint64_t before = s_.switches();
        for (Tick t = 1; t <= 50; ++t) s_.sync(self, t);
        switches = s_.switches() - before;
        note("done");
    });
    s_.schedule(alone, 0);
    s_.schedule(event, 60);
    s_.run();
    EXPECT_EQ(switches, 0U);
    EXPECT_EQ(log_, (Log{"done@50", "event@60"}));
}

TEST_F(SchedulerTest, TwoAgentsTakeTurnsByTheirLocalTimes) {
    const auto stepper = [this](const char* name, Tick step) {
        return [this, name, step](TestAgent& self) {
            for (Tick t = step; t <= 6; t += step) {
                s_.sync(self, t);
                note(name);
            }
        };
    };
    TestAgent two(s_, 1, stepper("a", 2));
    TestAgent three(s_, 2, stepper("b", 3));
    s_.schedule(two, 0);
    s_.schedule(three, 0);
    s_.run();
    EXPECT_EQ(log_, (Log{"a@2", "b@3", "a@4", "a@6", "b@6"}));
}

TEST_F(SchedulerTest, ABlockedAgentGoesOnWhenSomebodySchedulesIt) {
    TestAgent sleeper(s_, 1, [&](TestAgent& self) {
        note("sleeps");
        s_.block(self);
        note("woken");
    });
    TestEvent alarm(2, "alarm", log_);
    alarm.action = [&](Tick now) { s_.schedule(sleeper, now + 5); };
    s_.schedule(sleeper, 1);
    s_.schedule(alarm, 50);
    s_.run();
    EXPECT_EQ(log_, (Log{"sleeps@1", "alarm@50", "woken@55"}));
}

TEST_F(SchedulerTest, TellsWhenNothingIsLeftToRun) {
    TestAgent sleeper(s_, 1, [&](TestAgent& self) { s_.block(self); });
    s_.schedule(sleeper, 0);
    EXPECT_FALSE(s_.run());
}

TEST_F(SchedulerTest, StopEndsTheRunWithEventsPending) {
    TestEvent never(1, "never", log_);
    TestAgent stopper(s_, 2, [&](TestAgent&) { s_.stop(); });
    s_.schedule(stopper, 5);
    s_.schedule(never, 6);
    EXPECT_TRUE(s_.run());
    EXPECT_TRUE(log_.empty());
}

TEST_F(SchedulerTest, AnEventMayAskForTheStop) {
    TestEvent asks(1, "asks", log_);
    TestEvent never(2, "never", log_);
    asks.action = [&](Tick) { s_.request_stop(); };
    s_.schedule(asks, 5);
    s_.schedule(never, 6);
    EXPECT_TRUE(s_.run());
    EXPECT_EQ(log_, (Log{"asks@5"}));
}

TEST_F(SchedulerTest, WhatAFiberThrewComesOutOfTheRun) {
    TestAgent fails(s_, 1, [&](TestAgent&) {
        std::exception_ptr error;
        try {
            throw std::out_of_range("seven");
        } catch (...) {
            error = std::current_exception();
        }
        s_.stop(error);
    });
    s_.schedule(fails, 0);
    try {
        s_.run();
        FAIL() << "nothing was thrown";
    } catch (const std::out_of_range& error) {
        EXPECT_STREQ(error.what(), "seven");
    }
}

TEST_F(SchedulerTest, AnotherKernelsEventThatIsDueFirstOrAtTheSameTimeComesFirst) {
    std::vector<Tick> external = {40, 10};  // still due, latest first
    Scheduler::External e;
    e.next_due = [&] { return external.empty() ? kNever : external.back(); };
    e.run_until = [&](Tick until) {
        log_.push_back("external@" + std::to_string(until));
        while (!external.empty() && external.back() <= until) external.pop_back();
    };
    s_.set_external(std::move(e));
    TestEvent before(1, "before", log_);
    TestEvent same(2, "same", log_);
    TestAgent agent(s_, 3, [&](TestAgent& self) {
        s_.sync(self, 45);
        note("agent");
    });
    s_.schedule(before, 5);
    s_.schedule(same, 10);
    s_.schedule(agent, 20);
    s_.run();
    EXPECT_EQ(log_, (Log{"before@5", "external@10", "same@10", "external@40", "agent@45"}));
}

TEST_F(SchedulerTest, AnAgentChangesItsFiberAndComesBack) {
    std::unique_ptr<TestAgent> agent;
    Fiber* first = nullptr;
    Fiber second([&] {
        note("second");
        s_.change_fiber(*agent, *first);
        std::terminate();
    });
    agent = std::make_unique<TestAgent>(s_, 1, [&](TestAgent& self) {
        first = self.fiber;
        s_.sync(self, 3);
        s_.change_fiber(self, second);
        note("first again");
    });
    s_.schedule(*agent, 0);
    s_.run();
    EXPECT_EQ(log_, (Log{"second@3", "first again@3"}));
}

}  // namespace
}  // namespace linefill::model
