// SPDX-License-Identifier: Apache-2.0
// The conductor's windows: when they open, what they gave; and fast-forward between them.
#include <algorithm>
#include <cmath>

#include "kernel/sched/sched.h"
#include "kernel/syscall/syscall.h"
#include "model/core/this_hw_thread.h"
#include "model/machine.h"
#include "scenarios/sampling/conductor.h"

namespace linefill::scenarios {

using model::Event;
using model::HwThread;
using model::Tick;

namespace {

/// A chunk of a thread whose unit costs are not known yet.
constexpr Tick kBlindChunk = model::kMillisecond;
/// Costs of a unit that differ by less are taken to be the same.
constexpr double kSameCost = 0.06;
/// Progress is looked at again no sooner than this.
constexpr Tick kShortestWait = 20 * model::kMicrosecond;

/// Lets `cost` pass on whichever CPU the thread is, interrupts taken.
void pass(Tick cost) {
    while (cost > 0) cost -= model::this_hw_thread().advance_some(cost);
}

std::int64_t switches_of(const Worker& w) {
    std::int64_t n = 0;
    for (const kernel::TaskCounters::Pair& bank : w.task->counters.bank) {
        n += bank.user[Event::kContextSwitches] + bank.kernel[Event::kContextSwitches];
    }
    return n;
}

}  // namespace

// ---- windows -----------------------------------------------------------------------------------

void Conductor::open_window() {
    phase_ = Phase::kWarmUp;
    ++openings_;
    phase_units_ = 0;
    const unsigned threads = running();
    measure_target_ = window_units_;
    if (measure_target_ == 0) {
        measure_target_ = HostBudget::kVisitsPerWindow / plan_.visits_per_unit(threads);
        if (tail_due_) measure_target_ *= HostBudget::kTailShare;
        // A thread's first and last unit are cut at other points of the others' units: some are needed.
        measure_target_ = std::max(measure_target_, HostBudget::kUnitsPerThread * threads);
    }
    phase_target_ = std::max(measure_target_ * HostBudget::kWarmUpShare, 2.0 * threads);
}

void Conductor::begin_measure() {
    WindowSample window;
    window.live = active_;
    window.tail = tail_due_;
    if (windows_.empty()) window.stands_for = std::exchange(uncredited_, 0);
    windows_.push_back(window);
    running_sum_.push_back(0);
    if (!full_ || observed_.empty()) {
        observed_.emplace_back();
        if (on_window_) on_window_();
    }
    tail_due_ = false;
    phase_ = Phase::kMeasure;
    phase_units_ = 0;
    phase_target_ = full_ ? total_ / HostBudget::kFullSlices : std::max(measure_target_, 1.0);
    phase_end_ = model::this_hw_thread().now() + window_time_;
    std::fill(classes_.begin(), classes_.end(), CostClass{});
    if (!watching_ && (observer_ != nullptr || locks_)) observe();
}

void Conductor::end_window_if_all_left() {
    if (phase_ == Phase::kCoolDown && !anyone_measured()) end_window();
}

void Conductor::end_window() {
    phase_ = Phase::kFastForward;
    if (watching_) stop_observing();
    CostClass all;
    for (const CostClass& c : classes_) {
        all.fs += c.fs;
        all.units += c.units;
    }
    if (all.units > 0) mean_cost_ = all.fs / all.units;
    const WindowSample& window = windows_.back();
    const auto user = static_cast<double>(window.counted.user[Event::kUnhaltedFs]);
    const auto kernel = static_cast<double>(window.counted.kernel[Event::kUnhaltedFs]);
    if (user + kernel > 0) user_share_ = user / (user + kernel);
    const auto each = [](const RatedSample& s) {
        const model::Counters c = s.counted.total();
        return s.units > 0 ? static_cast<double>(c[Event::kUnhaltedFs]) / s.units : 0;
    };
    interrupt_cost_ = each(interrupts_);
    switch_cost_ = each(switches_);
    plan_next(model::this_hw_thread().now());
}

void Conductor::plan_next(Tick now) {
    while (next_target_ < targets_.size() && targets_[next_target_] <= done_) ++next_target_;
    if (next_target_ == targets_.size() || full_ || active_ == 0) {
        kernel_.machine().scheduler().cancel(*this);
        return;
    }
    const double missing = targets_[next_target_] - progress_now(now);
    const double rate = rate_now();
    const double wait = rate > 0 ? missing / rate : 0;
    const Tick longest = model::kSecond;
    const Tick after = wait < static_cast<double>(longest) ? std::llround(wait) : longest;
    kernel_.machine().scheduler().schedule(*this, now + std::max(after, kShortestWait));
}

void Conductor::fire(Tick now) {
    check_stop();
    if (phase_ == Phase::kStarting || (phase_ == Phase::kFastForward && tail_due_)) {
        open_window();
        return;
    }
    if (phase_ != Phase::kFastForward || next_target_ == targets_.size()) return;
    // Close enough: what is left would pass within the shortest wait.
    const double missing = targets_[next_target_] - progress_now(now);
    if (missing <= rate_now() * static_cast<double>(kShortestWait)) {
        ++next_target_;
        open_window();
    } else {
        plan_next(now);
    }
}

// ---- fast-forward ------------------------------------------------------------------------------

double Conductor::cost_here() const {
    const CostClass& c = classes_[class_of(model::this_hw_thread().cpu())];
    // A class of few units would carry their noise through a good part of the run.
    if (c.units < 8) return mean_cost_;
    const double own = c.fs / c.units;
    // Threads that wait for each other in a fixed order all take the same time; a difference that is
    // noise would pull them out of that order.
    return std::abs(own - mean_cost_) > kSameCost * mean_cost_ ? own : mean_cost_;
}

double Conductor::rate_now() const {
    double rate = 0;
    for (unsigned cpu = 0; cpu < kernel_.cpus(); ++cpu) {
        const Worker* w = worker_on(cpu);
        if (w == nullptr || w->left <= 0 || mean_cost_ <= 0) continue;
        rate += 1 / (w->in_chunk ? w->chunk_cost : mean_cost_);
    }
    return rate;
}

double Conductor::progress_now(Tick now) const {
    double units = done_;
    for (unsigned cpu = 0; cpu < kernel_.cpus(); ++cpu) {
        const Worker* w = worker_on(cpu);
        if (w == nullptr || !w->in_chunk || now <= w->chunk_start) continue;
        units += std::min(w->left, static_cast<double>(now - w->chunk_start) / w->chunk_cost);
    }
    return units;
}

void Conductor::fast_forward(Worker& w) {
    check_stop();
    HwThread& hw = model::this_hw_thread();
    const Tick limit = scheduled() ? due() : model::kNever;
    if (hw.now() >= limit) {
        hw.synchronise();  // the conductor acts first
        return;
    }
    const double cost = mean_cost_ > 0 ? cost_here() : 0;
    if (cost > 0 && w.owed > 0) {
        const double done = credit(w, static_cast<double>(std::exchange(w.owed, 0)) / cost);
        if (ledger_) ledger_->worked_owed(*w.task, window_of_now(), done);
        if (w.left == 0) return;
    }
    advance_units(w, w.left, cost, limit);
}

double Conductor::rest_of_unit(const Worker& w) {
    const double rest = w.left - w.phase;
    const double part = rest - std::floor(rest);
    return part > 1e-6 && part < 1 - 1e-6 ? part : 0;
}

bool Conductor::must_align(Worker& w) {
    if (w.aligned_to != openings_) {
        w.aligned_to = openings_;
        // In the long stretch since the last window the threads have drifted against each other.
        if (drift_ && mean_cost_ > 0) {
            w.phase = w.left - random_.unit();
            w.phase -= std::floor(w.phase);
        }
    }
    return rest_of_unit(w) > 0;
}

void Conductor::finish_unit(Worker& w) {
    const double rest = std::min(rest_of_unit(w), w.left);
    if (mean_cost_ > 0) {
        advance_units(w, rest, cost_here(), model::kNever);
    } else {
        w.phase = w.left - std::floor(w.left);
    }
}

/// Lets `units` of work pass, until `limit` or the first interrupt, and credits what was done.
void Conductor::advance_units(Worker& w, double units, double cost, Tick limit) {
    HwThread& hw = model::this_hw_thread();
    Tick want = kBlindChunk;
    if (cost > 0) want = std::max<Tick>(std::llround(std::min(units * cost, 1e18)), 1);
    if (limit != model::kNever) want = std::min(want, limit - hw.now());

    // Ticks find user or kernel mode as often as they would in the real loop.
    w.user_debt += user_share_;
    const bool user = w.user_debt >= 1;
    if (user) w.user_debt -= 1;
    const std::int64_t switches = switches_of(w);
    w.in_chunk = cost > 0;
    w.chunk_start = hw.now();
    w.chunk_cost = cost;
    const unsigned cpu = hw.cpu();
    hw.set_kernel_mode(!user);
    const Tick used = hw.advance_some(want);
    // From here on the thread may be on another CPU than `hw`.
    HwThread& here = model::this_hw_thread();
    if (!user) {
        here.disable_interrupts();
        kernel::exit_to_usermode_work();
        model::this_hw_thread().enable_interrupts();
        model::this_hw_thread().set_kernel_mode(false);
    }
    w.in_chunk = false;
    if (cost > 0) {
        const double done = credit(w, static_cast<double>(used) / cost);
        if (ledger_) ledger_->worked(*w.task, cpu, w.chunk_start, used, window_of_now(), done);
    } else {
        w.owed += used;
        if (ledger_) ledger_->owe(*w.task, cpu, w.chunk_start, used);
    }
    if (used < want) pass(std::llround(interrupt_cost_));
    if (switches_of(w) != switches) pass(std::llround(switch_cost_));
}

std::vector<WindowSample> Conductor::weighted_windows() const {
    std::vector<WindowSample> windows = windows_;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        if (full_) windows[i].stands_for = windows[i].units;
        if (windows[i].units > 0) windows[i].running = running_sum_[i] / windows[i].units;
    }
    return windows;
}

std::vector<ObservedWindow> Conductor::observed() const {
    std::vector<ObservedWindow> observed = observed_;
    for (std::size_t i = 0; i < observed.size(); ++i) {
        observed[i].stands_for = full_ ? observed[i].units : windows_[i].stands_for;
    }
    return observed;
}

Estimate Conductor::estimate() const {
    return scenarios::estimate(weighted_windows(), interrupts_, switches_, once_);
}

std::vector<CountPart> Conductor::parts() const {
    if (!ledger_) return {};
    ledger_->close();
    const std::vector<WindowSample> windows = weighted_windows();
    return ledger_->parts({&windows, &window_cpus_, interrupts_, switches_});
}

}  // namespace linefill::scenarios
