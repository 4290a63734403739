// SPDX-License-Identifier: Apache-2.0
// Lines held in flight: who waits, in which order they go on, and when.
#include "model/coherence/inflight.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace linefill::model {
namespace {

class InFlightTest : public testing::Test {
protected:
    /// Asks for the line when it is fired, writes down when it got it and holds it for `holds`; with 0
    /// it wants nothing any more when its turn has come.
    class Requester final : public LineRequester {
    public:
        Requester(InFlightTest& test, std::uint32_t rank, unsigned socket, Tick holds)
            : LineRequester(rank), test_(test), holds_(holds) {
            requester_socket = socket;
        }
        void at(Tick when) { test_.scheduler_.schedule(*this, when); }

    protected:
        void fire(Tick now) override {
            if (holds_ == 0 && waited_) {
                test_.table_->leave(kLine, *this, now);
                return;
            }
            waited_ = true;
            if (!test_.table_->begin(kLine, *this, now)) return;
            test_.order_.push_back(std::to_string(rank()) + "@" + std::to_string(now));
            test_.table_->hold(kLine, now + holds_, requester_socket, far);
        }

    public:
        bool far = false;

    private:
        InFlightTest& test_;
        Tick holds_;
        bool waited_ = false;
    };

    void build(InFlightTable::Config config) {
        table_ = std::make_unique<InFlightTable>(scheduler_, config);
    }

    static constexpr Addr kLine = 77;
    Scheduler scheduler_;
    std::unique_ptr<InFlightTable> table_;
    std::vector<std::string> order_;
};

using Order = std::vector<std::string>;

TEST_F(InFlightTest, RequestsGoOnInTheOrderOfTheirArrivalEachWhenTheOneBeforeIsDone) {
    build({});
    Requester a(*this, 5, 0, 100);
    Requester b(*this, 9, 0, 50);
    Requester c(*this, 1, 0, 10);
    Requester d(*this, 3, 0, 10);
    a.at(0);
    b.at(10);
    c.at(20);
    d.at(30);
    scheduler_.run();
    EXPECT_EQ(order_, (Order{"5@0", "9@100", "1@150", "3@160"}));
    EXPECT_EQ(table_->waiting(), 0U);
}

TEST_F(InFlightTest, OneThatComesWhenTheLineIsFreeAgainDoesNotWait) {
    build({});
    Requester a(*this, 1, 0, 100);
    Requester b(*this, 2, 0, 100);
    a.at(0);
    b.at(100);
    scheduler_.run();
    EXPECT_EQ(order_, (Order{"1@0", "2@100"}));
}

TEST_F(InFlightTest, AWaiterOfAnotherSocketWaitsForTheAcknowledgementToo) {
    build({true, 16, 36});
    Requester a(*this, 1, 0, 100);
    Requester b(*this, 2, 1, 100);
    Requester c(*this, 3, 1, 100);
    b.far = true;
    Requester d(*this, 4, 0, 100);
    a.at(0);
    b.at(1);
    c.at(2);
    d.at(3);
    scheduler_.run();
    // a to b: other socket, home near; b to c: same socket; c to d: other socket, home near.
    EXPECT_EQ(order_, (Order{"1@0", "2@116", "3@216", "4@332"}));
}

TEST_F(InFlightTest, TheAcknowledgementIsLongerWhenTheHomeIsFar) {
    build({true, 16, 36});
    Requester a(*this, 1, 0, 100);
    a.far = true;
    Requester b(*this, 2, 1, 100);
    a.at(0);
    b.at(1);
    scheduler_.run();
    EXPECT_EQ(order_, (Order{"1@0", "2@136"}));
}

TEST_F(InFlightTest, AHolderThatTakesLongerKeepsTheWaiters) {
    build({});
    Requester a(*this, 1, 0, 100);
    Requester b(*this, 2, 0, 10);
    a.at(0);
    b.at(10);
    class Extend final : public Schedulable {
    public:
        explicit Extend(InFlightTable& t) : Schedulable(9), table_(t) {}

    protected:
        void fire(Tick) override { table_.extend(kLine, 180); }

    private:
        InFlightTable& table_;
    } extend(*table_);
    scheduler_.schedule(extend, 50);
    scheduler_.run();
    EXPECT_EQ(order_, (Order{"1@0", "2@180"}));
}

TEST_F(InFlightTest, AWaiterThatNeedsNothingAnyMoreLetsTheNextStart) {
    build({});
    Requester a(*this, 1, 0, 100);
    Requester leaves(*this, 2, 0, 0);
    Requester c(*this, 3, 0, 10);
    a.at(0);
    leaves.at(10);
    c.at(20);
    scheduler_.run();
    EXPECT_EQ(order_, (Order{"1@0", "3@100"}));
    EXPECT_EQ(table_->waiting(), 0U);
}

TEST_F(InFlightTest, OtherLinesAreNotHeldAndManyCanBe) {
    build({});
    for (Addr line = 1000; line < 9000; ++line) table_->hold(line, 1000000, 0, false);
    EXPECT_TRUE(table_->busy(1000, 0));
    EXPECT_TRUE(table_->busy(8999, 999999));
    EXPECT_FALSE(table_->busy(8999, 1000000));
    EXPECT_FALSE(table_->busy(kLine, 0));
}

TEST_F(InFlightTest, SwitchedOffNobodyWaits) {
    build({false, 0, 0});
    Requester a(*this, 1, 0, 100);
    Requester b(*this, 2, 0, 100);
    a.at(0);
    b.at(10);
    scheduler_.run();
    EXPECT_EQ(order_, (Order{"1@0", "2@10"}));
}

}  // namespace
}  // namespace linefill::model
