// SPDX-License-Identifier: Apache-2.0
#include "model/sim/scheduler.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace linefill::model {

void Scheduler::add_lanes(std::size_t count) {
    lanes_.resize(count);
    tree_.assign(2 * count, Node{});
    for (std::size_t lane = 0; lane < count; ++lane) {
        if (!lanes_[lane].empty()) update(lane);
    }
}

void Scheduler::update(std::size_t lane) {
    const Lane& l = lanes_[lane];
    Node winner{l.empty() ? kNever : l.back().due, static_cast<std::uint32_t>(lane)};
    std::size_t node = lanes_.size() + lane;
    if (tree_[node].due == winner.due) return;
    // All the way up, without a branch: where the winner stops changing cannot be predicted.
    for (; node > 1; node /= 2) {
        tree_[node] = winner;
        const Node other = tree_[node ^ 1];
        // Of two that are due at once the left goes first: the other, if this node's number is odd.
        const bool other_first = other.due - static_cast<Tick>(node & 1) < winner.due;
        winner.due = other_first ? other.due : winner.due;
        winner.lane = other_first ? other.lane : winner.lane;
    }
    tree_[1] = winner;
}

void Scheduler::remove(Lane& lane, const Schedulable& s) {
    std::size_t at = lane.size() - 1;
    while (lane[at].what != &s) --at;
    lane.erase(lane.begin() + static_cast<std::ptrdiff_t>(at));
}

void Scheduler::schedule(Schedulable& s, Tick at) {
    assert(at != kNever);
    if (at < now_) at = now_;
    const std::size_t number = s.rank_ >> kLaneBits;
    if (number >= lanes_.size()) {
        std::size_t count = lanes_.size();
        while (count <= number) count *= 2;
        add_lanes(count);
    }
    Lane& lane = lanes_[number];
    if (s.scheduled_) {
        if (s.due_ == at) return;
        remove(lane, s);
    }
    s.due_ = at;
    s.scheduled_ = true;
    const Entry e{at, s.rank_, &s};
    lane.push_back(e);
    std::size_t place = lane.size() - 1;
    for (; place != 0 && less(lane[place - 1], e); --place) lane[place] = lane[place - 1];
    lane[place] = e;
    update(number);
}

void Scheduler::cancel(Schedulable& s) {
    if (!s.scheduled_) return;
    s.scheduled_ = false;
    const std::size_t number = s.rank_ >> kLaneBits;
    remove(lanes_[number], s);
    update(number);
}

bool Scheduler::goes_first(const Agent& self, Tick at) const {
    const Node& first = tree_[1];
    if (at != first.due || first.due == kNever) return at < first.due;
    return self.rank() < lanes_[first.lane].back().rank;
}

Agent* Scheduler::next_agent() {
    while (!stop_requested_ && tree_[1].due < external_due_) {
        const std::size_t number = tree_[1].lane;
        Lane& lane = lanes_[number];
        Schedulable& first = *lane.back().what;
        lane.pop_back();
        first.scheduled_ = false;
        assert(first.due_ >= now_);
        now_ = first.due_;
        if (first.is_agent_) {
            update(number);
            return static_cast<Agent*>(&first);
        }
        // What an event schedules is of its own lane as a rule: the tree is told of both at once.
        first.fire(now_);
        update(number);
    }
    return nullptr;
}

void Scheduler::give_up(Agent& self) {
    Agent* next = next_agent();
    if (next == &self) return;
    ++switches_;
    Fiber* to = &driver_;
    if (next != nullptr) to = next->fiber;
    running_ = next;
    Fiber::switch_to(*self.fiber, *to);
    // Somebody switched back to this fiber; that somebody set running_.
}

void Scheduler::sync_slow(Agent& self, Tick at) {
    if (goes_first(self, at) && at < external_due_) {
        if (at > now_) now_ = at;
        return;
    }
    schedule(self, at);
    give_up(self);
}

void Scheduler::block(Agent& self) { give_up(self); }

void Scheduler::change_fiber(Agent& self, Fiber& next) {
    Fiber* from = self.fiber;
    self.fiber = &next;
    if (from != &next) Fiber::switch_to(*from, next);
}

bool Scheduler::run() {
    stop_requested_ = false;
    for (;;) {
        refresh_external();
        Agent* next = next_agent();
        if (next != nullptr) {
            running_ = next;
            ++switches_;
            Fiber::switch_to(driver_, *next->fiber);
        }
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
        if (stop_requested_) return true;
        if (empty() &&
            (external_due_ == kNever || (external_.awaits_answer && !external_.awaits_answer()))) {
            return false;
        }
        if (external_due_ != kNever && tree_[1].due >= external_due_) {
            const Tick until = external_due_;
            if (until > now_) now_ = until;
            external_.run_until(until);
        }
    }
}

void Scheduler::stop() {
    stop_requested_ = true;
    Fiber* self = running_->fiber;
    running_ = nullptr;
    Fiber::switch_to(*self, driver_);
    std::terminate();  // a stopped fiber is never resumed
}

void Scheduler::stop(std::exception_ptr error) {
    error_ = std::move(error);
    stop();
}

}  // namespace linefill::model
