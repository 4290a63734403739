// SPDX-License-Identifier: Apache-2.0
#include "model/sim/scheduler.h"

#include <cassert>
#include <utility>

namespace linefill::model {

void Scheduler::sift_up(std::size_t i) {
    const Entry e = heap_[i];
    while (i > 0) {
        const std::size_t parent = (i - 1) / 4;
        if (!less(e, heap_[parent])) break;
        place(i, heap_[parent]);
        i = parent;
    }
    place(i, e);
}

void Scheduler::sift_down(std::size_t i) {
    // The entry that is put in place here comes from the bottom and mostly belongs there: let the
    // hole go down along the smallest children first, then the entry up from where the hole ends.
    const Entry e = heap_[i];
    const std::size_t n = heap_.size();
    const std::size_t start = i;
    for (;;) {
        const std::size_t first = 4 * i + 1;
        if (first + 4 <= n) {
            const std::size_t a = less(heap_[first + 1], heap_[first]) ? first + 1 : first;
            const std::size_t b = less(heap_[first + 3], heap_[first + 2]) ? first + 3 : first + 2;
            const std::size_t best = less(heap_[b], heap_[a]) ? b : a;
            place(i, heap_[best]);
            i = best;
            continue;
        }
        if (first >= n) break;
        std::size_t best = first;
        for (std::size_t c = first + 1; c < n; ++c) {
            if (less(heap_[c], heap_[best])) best = c;
        }
        place(i, heap_[best]);
        i = best;
    }
    while (i > start) {
        const std::size_t parent = (i - 1) / 4;
        if (!less(e, heap_[parent])) break;
        place(i, heap_[parent]);
        i = parent;
    }
    place(i, e);
}

void Scheduler::remove_at(std::size_t i) {
    heap_[i].what->heap_index_ = -1;
    const Entry moved = heap_.back();
    heap_.pop_back();
    if (i == heap_.size()) return;
    place(i, moved);
    sift_up(i);
    sift_down(static_cast<std::size_t>(moved.what->heap_index_));
}

void Scheduler::schedule(Schedulable& s, Tick at) {
    if (at < now_) at = now_;
    s.due_ = at;
    if (s.scheduled()) {
        const auto i = static_cast<std::size_t>(s.heap_index_);
        heap_[i].due = at;
        sift_up(i);
        sift_down(static_cast<std::size_t>(s.heap_index_));
        return;
    }
    heap_.push_back({at, s.rank_, &s});
    sift_up(heap_.size() - 1);
}

void Scheduler::cancel(Schedulable& s) {
    if (s.scheduled()) remove_at(static_cast<std::size_t>(s.heap_index_));
}

Agent* Scheduler::next_agent() {
    for (;;) {
        if (stop_requested_ || heap_.empty()) return nullptr;
        const Entry top = heap_.front();
        if (top.due >= external_due_) return nullptr;
        remove_at(0);
        assert(top.due >= now_);
        now_ = top.due;
        if (top.what->is_agent_) return static_cast<Agent*>(top.what);
        top.what->fire(now_);
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
    if (self.scheduled() || stop_requested_ || heap_.empty() ||
        heap_.front().due >= external_due_ || before(at, self.rank(), heap_.front())) {
        schedule(self, at);
        give_up(self);
        return;
    }
    // The usual case: somebody is due before us. We take its place in the heap in one step.
    const Entry top = heap_.front();
    top.what->heap_index_ = -1;
    self.due_ = at;
    place(0, {at, self.rank(), &self});
    sift_down(0);
    now_ = top.due;
    if (!top.what->is_agent_) {
        top.what->fire(now_);
        give_up(self);
        return;
    }
    auto* next = static_cast<Agent*>(top.what);
    ++switches_;
    running_ = next;
    Fiber::switch_to(*self.fiber, *next->fiber);
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
        if (heap_.empty() && external_due_ == kNever) return false;
        if (external_due_ != kNever && (heap_.empty() || heap_.front().due >= external_due_)) {
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
