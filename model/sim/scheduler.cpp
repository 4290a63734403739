// SPDX-License-Identifier: Apache-2.0
#include "model/sim/scheduler.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace linefill::model {

void Scheduler::add_lanes(std::size_t count) {
    lanes_.resize(count);
    earliest_.assign(2 * count, kNever);
    for (std::size_t lane = 0; lane < count; ++lane) {
        if (!lanes_[lane].entries.empty()) update(lane);
    }
}

void Scheduler::update(std::size_t lane) {
    const Lane& l = lanes_[lane];
    Tick due = l.entries.empty() ? kNever : l.entries[l.first].due;
    std::size_t node = lanes_.size() + lane;
    while (earliest_[node] != due) {
        earliest_[node] = due;
        if (node == 1) break;
        due = std::min(due, earliest_[node ^ 1]);
        node /= 2;
    }
}

std::size_t Scheduler::first_lane() const {
    const Tick due = earliest_[1];
    std::size_t node = 1;
    // Of equal ones the left, whose ranks are lower.
    while (node < lanes_.size()) node = 2 * node + (earliest_[2 * node] == due ? 0 : 1);
    return node - lanes_.size();
}

void Scheduler::find_first(Lane& lane) {
    std::size_t first = 0;
    for (std::size_t i = 1; i < lane.entries.size(); ++i) {
        if (less(lane.entries[i], lane.entries[first])) first = i;
    }
    lane.first = first;
}

void Scheduler::remove(Lane& lane, std::size_t place) {
    lane.entries[place].what->place_ = -1;
    const Entry moved = lane.entries.back();
    lane.entries.pop_back();
    if (place != lane.entries.size()) {
        lane.entries[place] = moved;
        moved.what->place_ = static_cast<std::int32_t>(place);
    }
    if (lane.first == place) {
        find_first(lane);
    } else if (lane.first == lane.entries.size()) {
        lane.first = place;
    }
}

void Scheduler::schedule(Schedulable& s, Tick at) {
    assert(at != kNever);
    if (at < now_) at = now_;
    s.due_ = at;
    const std::size_t number = s.rank_ >> kLaneBits;
    if (number >= lanes_.size()) {
        std::size_t count = lanes_.size();
        while (count <= number) count *= 2;
        add_lanes(count);
    }
    Lane& lane = lanes_[number];
    const Entry e{at, s.rank_, &s};
    if (s.scheduled()) {
        const auto place = static_cast<std::size_t>(s.place_);
        lane.entries[place].due = at;
        if (place == lane.first) {
            find_first(lane);
        } else if (less(e, lane.entries[lane.first])) {
            lane.first = place;
        } else {
            return;
        }
    } else {
        s.place_ = static_cast<std::int32_t>(lane.entries.size());
        lane.entries.push_back(e);
        if (lane.entries.size() == 1 || less(e, lane.entries[lane.first])) {
            lane.first = static_cast<std::size_t>(s.place_);
        } else {
            return;
        }
    }
    update(number);
}

void Scheduler::cancel(Schedulable& s) {
    if (!s.scheduled()) return;
    const std::size_t number = s.rank_ >> kLaneBits;
    remove(lanes_[number], static_cast<std::size_t>(s.place_));
    update(number);
}

Schedulable& Scheduler::take_first() {
    const std::size_t number = first_lane();
    Lane& lane = lanes_[number];
    Schedulable& first = *lane.entries[lane.first].what;
    remove(lane, lane.first);
    update(number);
    return first;
}

bool Scheduler::goes_first(const Agent& self, Tick at) const {
    if (at != earliest_[1]) return at < earliest_[1];
    const Lane& lane = lanes_[first_lane()];
    return self.rank() < lane.entries[lane.first].rank;
}

Agent* Scheduler::next_agent() {
    for (;;) {
        if (stop_requested_ || earliest_[1] >= external_due_) return nullptr;
        Schedulable& first = take_first();
        assert(first.due_ >= now_);
        now_ = first.due_;
        if (first.is_agent_) return static_cast<Agent*>(&first);
        first.fire(now_);
    }
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
        if (external_due_ != kNever && earliest_[1] >= external_due_) {
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
