// SPDX-License-Identifier: Apache-2.0
// The time-ordered scheduler: everything that acts on shared state does so in global time order.
//
// Hardware threads run ahead of global time by a local offset; what another agent could observe they
// do after sync(). The scheduler picks the earliest of all due agents and events and switches to it
// directly, and yields to SystemC's kernel whenever a SystemC event is due first: SystemC stays the
// time keeper.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/sim/fiber.h"
#include "model/sim/time.h"

namespace linefill::model {

class Scheduler;

/// Something that acts at a point in time. `rank` orders equal times and is unique: lower first.
class Schedulable {
public:
    explicit Schedulable(std::uint32_t rank, bool is_agent = false)
        : rank_(rank), is_agent_(is_agent) {}
    virtual ~Schedulable() = default;
    Schedulable(const Schedulable&) = delete;
    Schedulable& operator=(const Schedulable&) = delete;

    bool scheduled() const { return scheduled_; }
    Tick due() const { return due_; }
    std::uint32_t rank() const { return rank_; }

protected:
    /// Called in global time order. Runs on whatever fiber is current; must not block.
    virtual void fire(Tick now) = 0;

private:
    friend class Scheduler;
    Tick due_ = 0;
    std::uint32_t rank_;
    bool scheduled_ = false;
    bool is_agent_;  ///< has a fiber to continue on; events act at once
};

/// A schedulable that owns a fiber: a hardware thread.
class Agent : public Schedulable {
public:
    explicit Agent(std::uint32_t rank) : Schedulable(rank, true) {}

    /// The fiber this agent continues on; the kernel's switch_to changes it.
    Fiber* fiber = nullptr;

protected:
    void fire(Tick) override {}
};

class Scheduler {
public:
    Scheduler() { add_lanes(1); }

    /// `next_external` tells when SystemC has something due (kNever: nothing); `run_external` lets
    /// SystemC run up to that time and returns when it has. Both are called on the driver's stack.
    /// `awaits_answer` tells whether something outside will still schedule one of us (not set: it may
    /// whenever SystemC has something due); without it, a clock outside would hide a deadlock.
    struct External {
        std::function<Tick()> next_due;
        std::function<void(Tick)> run_until;
        std::function<bool()> awaits_answer;
    };
    void set_external(External e) { external_ = std::move(e); }

    /// Global time: of the latest action taken.
    Tick now() const { return now_; }

    /// Puts `s` at `at` (or moves it there). `at` may not lie before global time; if it does, it is
    /// taken as global time.
    void schedule(Schedulable& s, Tick at);
    void cancel(Schedulable& s);

    /// Lets everything that is due before (`at`, rank of `self`) act first; returns at once if that
    /// is nothing. Called by `self` on its own fiber.
    void sync(Agent& self, Tick at) {
        if (at < tree_[1].due && at < external_due_) {
            if (at > now_) now_ = at;
            return;
        }
        sync_slow(self, at);
    }

    /// True if sync(self, at) would return at once.
    bool is_next(const Agent& self, Tick at) const {
        return (at < tree_[1].due || (at == tree_[1].due && goes_first(self, at))) &&
               at < external_due_;
    }

    /// Gives the host to others until somebody schedules `self` again.
    void block(Agent& self);

    /// Switches the running agent to another of its fibers (a context switch of the kernel above).
    void change_fiber(Agent& self, Fiber& next);

    /// Runs agents and events until stop(); on the driver's stack. Rethrows what a fiber threw.
    /// Returns false if nothing is left to run although nobody called stop(): a deadlock.
    bool run();

    /// Ends run() as soon as the calling fiber gives up the host. Never returns to a fiber.
    [[noreturn]] void stop();
    /// The same, with an exception for run() to rethrow.
    [[noreturn]] void stop(std::exception_ptr error);
    /// Ends run() at the next scheduling decision; may be called from fire().
    void request_stop() { stop_requested_ = true; }
    /// The same, with an exception for run() to rethrow; called from a SystemC process of our own.
    void request_stop(std::exception_ptr error) {
        error_ = std::move(error);
        stop_requested_ = true;
    }

    /// After SystemC got new events from our side (an outside TLM target): look again.
    void refresh_external() { external_due_ = external_.next_due ? external_.next_due() : kNever; }

    /// The agent whose fiber is running (null: the driver). Static: one machine per process.
    static Agent* running_agent() { return running_; }
    std::uint64_t switches() const { return switches_; }

private:
    struct Entry {
        Tick due;
        std::uint32_t rank;
        Schedulable* what;
    };
    /// What is scheduled with ranks of one range (a CPU and its events), the earliest last: it is
    /// little, and what comes in is due soon as a rule.
    using Lane = std::vector<Entry>;
    /// The earliest of some lanes: when, and of which lane.
    struct Node {
        Tick due = kNever;
        std::uint32_t lane = 0;
    };
    static constexpr unsigned kLaneBits = 8;  // the bits of a rank above these name its lane

    static bool less(const Entry& a, const Entry& b) {
        return a.due < b.due || (a.due == b.due && a.rank < b.rank);
    }
    bool empty() const { return tree_[1].due == kNever; }
    /// Whether (at, rank of self) comes before everything that is scheduled.
    bool goes_first(const Agent& self, Tick at) const;
    void sync_slow(Agent& self, Tick at);
    /// Takes actions until an agent must run; returns it, or null: back to the driver.
    Agent* next_agent();
    void give_up(Agent& self);
    static void remove(Lane& lane, const Schedulable& s);
    /// Lets the tree know what is the earliest of a lane now.
    void update(std::size_t lane);
    void add_lanes(std::size_t count);

    std::vector<Lane> lanes_;  // a power of two of them
    // A tournament: node i holds the earlier of nodes 2i and 2i + 1 (the left, whose ranks are lower,
    // if both are due at once), the last lanes_.size() nodes the lanes' earliest; kNever if there is
    // none.
    std::vector<Node> tree_;
    Tick now_ = 0;
    Tick external_due_ = kNever;
    External external_;
    Fiber driver_;
    inline static Agent* running_ = nullptr;
    bool stop_requested_ = false;
    std::exception_ptr error_;
    std::uint64_t switches_ = 0;
};

}  // namespace linefill::model
