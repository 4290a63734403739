// SPDX-License-Identifier: Apache-2.0
#include "scenarios/sampling/conductor.h"

#include <algorithm>

#include "kernel/lock/lock_system.h"
#include "kernel/sched/sched.h"
#include "model/core/this_hw_thread.h"
#include "model/machine.h"
#include "scenarios/sampling/measured_locks.h"
#include "scenarios/user.h"

namespace linefill::scenarios {

using model::Event;
using model::HwThread;
using model::Tick;

namespace {

/// Before the CPUs at equal times, so that a fast-forwarded thread that has come to the conductor's
/// time sees what the conductor decided.
constexpr std::uint32_t kConductorRank = 1;

/// From the last thread's start to the first window: the scheduler spreads the threads, which takes
/// some ticks; of short runs a small part only. A visit takes about this long.
constexpr Tick kSettleTime = 12 * model::kMillisecond;
constexpr double kSettleShare = 0.05;
constexpr double kVisitTime = 0.7 * model::kMicrosecond;

std::int64_t interrupts_in(const SplitCounters& c) {
    return c.user[Event::kInterrupts] + c.kernel[Event::kInterrupts];
}
std::int64_t switches_in(const SplitCounters& c) {
    return c.user[Event::kContextSwitches] + c.kernel[Event::kContextSwitches];
}
double time_in(const SplitCounters& c) {
    return static_cast<double>(c.user[Event::kUnhaltedFs] + c.kernel[Event::kUnhaltedFs]);
}

void add(RatedSample& s, const SplitCounters& counted, std::int64_t units) {
    s.counted += counted;
    s.units += static_cast<double>(units);
    s.whole += static_cast<double>(units);
}

}  // namespace

Conductor::Conductor(kernel::Kernel& kernel, const RunRequest& request)
    : Schedulable(kConductorRank),
      kernel_(kernel),
      plan_(request.workload->plan()),
      stop_(request.stop),
      drift_(request.draws.start_skew),
      random_(request.seed, "drift"),
      total_(static_cast<double>(plan_.units)),
      classes_(2 * std::size_t{request.platform.topology.sockets}),
      on_window_(request.on_window),
      per_cpu_(kernel.cpus()),
      observer_(request.observer) {
    if (request.lock_observer != nullptr) {
        locks_ = std::make_unique<MeasuredLocks>(*this, *request.lock_observer);
    }
    if (observer_ != nullptr) {
        kernel_.watch_current([this](unsigned cpu) { report_if_measured(cpu); });
    }
    plan_windows(request);
    if (request.split) {
        ledger_ = std::make_unique<Ledger>(kernel, request.interval, full_);
        kernel_.set_hooks(ledger_.get());
    }
}

Conductor::~Conductor() {
    if (ledger_) kernel_.set_hooks(nullptr);
    kernel_.watch_current(nullptr);
}

unsigned Conductor::windows_at(double visits) const {
    const double least = std::max(HostBudget::kVisitsPerWindow,
                                  HostBudget::kUnitsPerThread * plan_.threads * visits);
    return std::clamp(static_cast<unsigned>(HostBudget::kMeasuredVisits / least),
                      HostBudget::kFewestWindows, HostBudget::kMostWindows);
}

void Conductor::plan_windows(const RunRequest& request) {
    const SamplingOptions& wish = request.sampling;
    const double visits = plan_.visits_per_unit(std::min(plan_.threads, kernel_.cpus()));
    const bool told = wish.units > 0 || wish.time > 0;
    const unsigned windows = told ? HostBudget::kFewestWindows : windows_at(visits);
    const unsigned all = windows + 1;
    if (wish.units > 0) window_units_ = static_cast<double>(wish.units) / all;
    if (wish.time > 0) window_time_ = std::max<Tick>(wish.time / all, 1);
    const bool small = total_ * visits <= HostBudget::kFullVisits && wish.time == 0;
    full_ = wish.full || (wish.units > 0 ? static_cast<double>(wish.units) >= total_ : small);

    model::Random random(request.seed, "windows");
    for (unsigned k = 0; k < windows; ++k) {
        const double u = request.draws.start_skew ? random.unit() : 0.5;
        // Windows of neighbouring strata, and the one at the start, keep a distance.
        targets_.push_back(total_ * (k + 0.1 + 0.8 * u) / windows);
    }
}

// ---- threads ---------------------------------------------------------------------------------------

void Conductor::begin(Worker& w) {
    w.task = &kernel::current();
    w.start = model::this_hw_thread().now();
    if (ledger_ && !begun_) ledger_->begin(w.start);
    begun_ = true;
}

void Conductor::end(Worker& w) {
    model::this_hw_thread().settle();
    if (ledger_) ledger_->note();
    book(w);
    w.end = model::this_hw_thread().now();
}

void Conductor::close(Worker& w) {
    if (w.task == nullptr) return;
    w.state = WorkerState::kOnce;
    book(w);
}

void Conductor::finish(Tick now) {
    if (ledger_) ledger_->end(now);
}

Worker* Conductor::worker_on(unsigned cpu) const {
    auto* user = static_cast<UserTask*>(kernel_.current_of(cpu).user_data);
    return user == nullptr ? nullptr : &user->worker();
}

bool Conductor::is_measured(unsigned cpu) const {
    const Worker* w = worker_on(cpu);
    return w != nullptr && w->state == WorkerState::kMeasured;
}

void Conductor::observe() {
    watching_ = true;
    if (observer_ != nullptr) {
        kernel_.machine().set_observer(observer_);
        for (unsigned cpu = 0; cpu < kernel_.cpus(); ++cpu) report_if_measured(cpu);
    }
    if (locks_) kernel::lock_system().set_observer(locks_.get());
}

void Conductor::stop_observing() {
    watching_ = false;
    kernel_.machine().set_observer(nullptr);
    kernel::lock_system().set_observer(nullptr);
}

void Conductor::report_if_measured(unsigned cpu) {
    if (watching_) kernel_.machine().hw(cpu).set_reporting(is_measured(cpu));
}

unsigned Conductor::running() const {
    unsigned n = 0;
    for (unsigned cpu = 0; cpu < kernel_.cpus(); ++cpu) {
        const Worker* w = worker_on(cpu);
        if (w != nullptr && w->left > 0) ++n;
    }
    return std::max(n, 1U);
}

bool Conductor::anyone_measured() const {
    for (unsigned cpu = 0; cpu < kernel_.cpus(); ++cpu) {
        const Worker* w = worker_on(cpu);
        if (w != nullptr && w->state == WorkerState::kMeasured) return true;
    }
    return false;
}

std::size_t Conductor::class_of(unsigned cpu) const {
    model::Machine& machine = kernel_.machine();
    const unsigned other = machine.sibling(cpu);
    const bool shared = other != cpu && !machine.hw(other).halted();
    return 2 * std::size_t{machine.socket_of(cpu)} + (shared ? 1 : 0);
}

// ---- counting --------------------------------------------------------------------------------------

void Conductor::book(Worker& w) {
    using kernel::CounterBank;
    std::array<SplitCounters, kernel::kCounterBanks> diff;
    std::int64_t interrupts = 0;
    std::int64_t switches = 0;
    for (std::size_t b = 0; b < kernel::kCounterBanks; ++b) {
        const kernel::TaskCounters::Pair& bank = w.task->counters.bank[b];
        const SplitCounters now{bank.user, bank.kernel};
        diff[b] = now;
        diff[b] -= w.seen[b];
        w.seen[b] = now;
        interrupts += interrupts_in(diff[b]);
        switches += switches_in(diff[b]);
    }
    const SplitCounters& call = diff[static_cast<std::size_t>(CounterBank::kCall)];
    if (w.state == WorkerState::kFastForward) {
        interrupts_.whole += static_cast<double>(interrupts);
        switches_.whole += static_cast<double>(switches);
        return;
    }
    add(interrupts_, diff[static_cast<std::size_t>(CounterBank::kTick)], interrupts);
    add(switches_, diff[static_cast<std::size_t>(CounterBank::kSwitch)], switches);
    if (w.state == WorkerState::kOnce) once_ += call;
    if (w.state != WorkerState::kMeasured) return;

    const unsigned cpu = model::this_hw_thread().cpu();
    WindowSample& window = windows_[w.window];
    window.counted += call;
    window.units += w.units_in_state;
    per_cpu_[cpu] += call;
    if (ledger_) {
        CpuSample& sample = window_cpus_[{w.window, cpu}];
        sample.counted += call;
        sample.units += w.units_in_state;
    }
    ObservedWindow& observed = observed_[full_ ? 0 : w.window];
    for (const SplitCounters& d : diff) observed.counted += d;
    observed.units += w.units_in_state;
    if (w.window + 1 == windows_.size()) {
        CostClass& c = classes_[class_of(cpu)];
        c.fs += time_in(call);
        c.units += w.units_in_state;
    }
}

void Conductor::enter(Worker& w, WorkerState state) {
    HwThread& hw = model::this_hw_thread();
    const bool new_window = state == WorkerState::kMeasured && w.window + 1 != windows_.size();
    if (w.state != state || new_window) {
        hw.settle();
        if (ledger_) ledger_->note();
        book(w);
        const bool left_window = w.state == WorkerState::kMeasured;
        w.state = state;
        w.units_in_state = 0;
        if (state == WorkerState::kMeasured) w.window = windows_.size() - 1;
        report_if_measured(hw.cpu());
        if (left_window) end_window_if_all_left();
    }
    const bool functional = state == WorkerState::kFastForward;
    if (hw.functional() != functional) {
        // What is still in the store buffer must be seen by those who stay in detail.
        if (functional) hw.fence();
        hw.set_functional(functional);
    }
}

double Conductor::credit(Worker& w, double units) {
    // What rounding of times to femtoseconds has left of the last unit goes with it.
    const double n = units > w.left - 1e-6 ? w.left : units;
    w.left -= n;
    w.done += n;
    done_ += n;
    if (w.state != WorkerState::kFastForward) detailed_ += n;
    if (windows_.empty()) {
        uncredited_ += n;
    } else {
        windows_.back().stands_for += n;
    }
    return n;
}

// ---- work ------------------------------------------------------------------------------------------

void Conductor::repeat(Worker& w, std::uint64_t units, const std::function<void()>& unit) {
    w.left = static_cast<double>(units);
    ++active_;
    if (++seen_active_ == plan_.threads && !full_) {
        const unsigned threads = std::min(plan_.threads, kernel_.cpus());
        const double run = total_ * plan_.visits_per_unit(threads) * kVisitTime / threads;
        const Tick settle = std::min(kSettleTime, static_cast<Tick>(kSettleShare * run));
        kernel_.machine().scheduler().schedule(*this, model::this_hw_thread().now() + settle);
    }
    if (full_ && windows_.empty()) begin_measure();
    while (w.left > 0) {
        if (in_detail() && w.state == WorkerState::kFastForward && must_align(w)) {
            finish_unit(w);
        } else if (in_detail()) {
            enter(w, phase_ == Phase::kMeasure ? WorkerState::kMeasured : WorkerState::kDetail);
            // Entering may have ended the window for all.
            if (!in_detail()) continue;
            if (phase_ == Phase::kWarmUp) stir();
            unit();
            w.units_in_state += 1;
            const double done = credit(w, 1);
            if (ledger_) ledger_->worked(window_of_now(), done);
            if (ledger_ && full_) ledger_->note();
            unit_done(w);
        } else {
            enter(w, WorkerState::kFastForward);
            if (!in_detail()) fast_forward(w);
        }
    }
    enter(w, WorkerState::kOnce);
    --active_;
    if (phase_ == Phase::kCoolDown) end_window_if_all_left();
    if (active_ == 0) {
        // Threads that have not begun yet (the first may end before the last is created) go on.
        if (full_ && seen_active_ == plan_.threads) end_window();
        kernel_.machine().scheduler().cancel(*this);
        return;
    }
    if (phase_ == Phase::kFastForward && fewer_work() && tail_windows_ < HostBudget::kTailWindows &&
        !tail_due_ && total_ - done_ > HostBudget::kTailWorth * total_) {
        tail_due_ = true;
        ++tail_windows_;
        kernel_.machine().scheduler().schedule(*this, model::this_hw_thread().now());
    }
}

void Conductor::stir() {
    if (!drift_ || mean_cost_ <= 0 || phase_units_ > HostBudget::kStirUntil * phase_target_) return;
    if (random_.unit() >= HostBudget::kStirShare) return;
    model::this_hw_thread().advance(static_cast<Tick>(random_.unit() * cost_here()));
}

bool Conductor::fewer_work() const {
    if (windows_.empty()) return false;
    const WindowSample& last = windows_.back();
    const unsigned now = std::min(active_, kernel_.cpus());
    const unsigned before = std::min(last.live, kernel_.cpus());
    return 4 * now < 3 * before || 2 * active_ < last.live;
}

void Conductor::unit_done(Worker& w) {
    check_stop();
    if (w.state == WorkerState::kMeasured) running_sum_[w.window] += running();
    phase_units_ += 1;
    switch (phase_) {
        case Phase::kWarmUp:
            if (phase_units_ >= phase_target_) begin_measure();
            break;
        case Phase::kMeasure: {
            const bool over = window_time_ > 0 ? model::this_hw_thread().now() >= phase_end_
                                               : phase_units_ >= phase_target_;
            if (full_) {
                if (phase_units_ >= phase_target_) begin_measure();
                break;
            }
            if (over) phase_ = Phase::kCoolDown;
            break;
        }
        case Phase::kCoolDown:
            end_window_if_all_left();
            break;
        case Phase::kStarting:
        case Phase::kFastForward:
            break;
    }
}

void Conductor::check_stop() {
    if (stop_ == nullptr || interrupted_ || !stop_->load(std::memory_order_relaxed)) return;
    interrupted_ = true;
    kernel_.machine().scheduler().request_stop();
}

}  // namespace linefill::scenarios
