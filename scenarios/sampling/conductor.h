// SPDX-License-Identifier: Apache-2.0
// Conducts a sampled run: most of it is fast-forwarded, a few windows are simulated in detail.
//
// Fast-forwarded threads advance by the last measured cost of a unit of work, while scheduler, ticks,
// timers and clocks stay real. A window opens at a planned point of the work's progress: every thread
// goes over to detail at its next unit's beginning, some units warm the caches, then units are
// measured, from the first that a thread begins after the measured part has begun to the last that it
// began before its end. Detail goes on until the last thread has finished its measured units, so that
// none of them is eased by others that have already left.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "kernel/kernel.h"
#include "model/sim/random.h"
#include "model/sim/scheduler.h"
#include "scenarios/run.h"
#include "scenarios/sampling/estimate.h"
#include "scenarios/sampling/ledger.h"
#include "scenarios/sampling/worker.h"

namespace linefill::scenarios {

/// What a run may cost the host, in one place. A visit is one thread looked at by one unit of work,
/// some 160 modelled accesses; all windows together come to less than one second of a host core.
struct HostBudget {
    static constexpr double kMeasuredVisits = 15'000;  ///< of all windows, at full load
    static constexpr double kVisitsPerWindow = 1'500;  ///< at least
    static constexpr double kUnitsPerThread = 4;       ///< at least, in a window
    static constexpr double kWarmUpShare = 0.5;        ///< of a window's measured part, before it
    /// Of the units of a warm-up, up to this share of it, so many begin late (Conductor::stir).
    static constexpr double kStirShare = 0.3, kStirUntil = 0.7;
    static constexpr double kTailShare = 0.4;  ///< size of a window of the tail
    /// Windows besides the one at the start. Threads that follow one another through the same locks
    /// do so in an order that holds for a window and sets its cost: many short ones say more than few
    /// long ones, where the threads are few enough for short ones.
    static constexpr unsigned kFewestWindows = 5, kMostWindows = 10;
    static constexpr unsigned kFullSlices =
        40;  ///< "windows" of a run in full detail, one after another
    static constexpr unsigned kTailWindows = 4;
    static constexpr double kTailWorth = 0.004;  ///< share of the work that must be left for one
    /// Work of up to this many visits is simulated in detail from beginning to end.
    static constexpr double kFullVisits = 60'000;
};

class MeasuredLocks;

class Conductor final : public model::Schedulable {
public:
    Conductor(kernel::Kernel& kernel, const RunRequest& request);
    ~Conductor() override;

    /// A thread of the workload begins and ends; on its own fiber.
    void begin(Worker& w);
    void end(Worker& w);
    /// After the run: books what the thread's task did after end(), on its way out.
    void close(Worker& w);
    /// `units` units of work by the current task, each of which `unit` would do.
    void repeat(Worker& w, std::uint64_t units, const std::function<void()>& unit);

    /// After the run.
    [[nodiscard]] Estimate estimate() const;
    [[nodiscard]] double units_done() const { return done_; }
    [[nodiscard]] double units_in_detail() const { return detailed_; }
    /// Whether what the CPU does now is counted for a window.
    [[nodiscard]] bool is_measured(unsigned cpu) const;
    /// By window; a run in full detail is one.
    [[nodiscard]] std::vector<ObservedWindow> observed() const;
    [[nodiscard]] const std::vector<SplitCounters>& measured_per_cpu() const { return per_cpu_; }
    [[nodiscard]] const std::vector<WindowSample>& windows() const { return windows_; }
    [[nodiscard]] bool interrupted() const { return interrupted_; }
    [[nodiscard]] bool full() const { return full_; }

    /// The program's last thread has ended, at `now`.
    void finish(model::Tick now);
    /// After the run, if counts are split: who did what when, and in how many intervals.
    [[nodiscard]] std::vector<CountPart> parts() const;
    [[nodiscard]] unsigned intervals() const { return ledger_ ? ledger_->intervals() : 1; }

protected:
    void fire(model::Tick now) override;

private:
    enum class Phase : std::uint8_t { kStarting, kFastForward, kWarmUp, kMeasure, kCoolDown };
    /// Threads whose units may cost differently: by socket, and by whether the sibling is busy.
    struct CostClass {
        double fs = 0, units = 0;  ///< measured in the latest window
    };

    [[nodiscard]] bool in_detail() const {
        return phase_ == Phase::kWarmUp || phase_ == Phase::kMeasure || phase_ == Phase::kCoolDown;
    }
    void enter(Worker& w, WorkerState state);
    void observe();
    void stop_observing();
    /// Tells the CPU whether the observer is to see what it does from now on.
    void report_if_measured(unsigned cpu);
    void book(Worker& w);
    /// Returns the units that were still to be done.
    double credit(Worker& w, double units);
    [[nodiscard]] std::size_t window_of_now() const {
        return windows_.empty() ? 0 : windows_.size() - 1;
    }
    [[nodiscard]] std::vector<WindowSample> weighted_windows() const;
    void unit_done(Worker& w);
    /// Whether so many threads have ended since the last window that a unit costs something else now.
    [[nodiscard]] bool fewer_work() const;
    void fast_forward(Worker& w);
    /// Part of a unit that the thread has still to do before it begins its next one.
    [[nodiscard]] static double rest_of_unit(const Worker& w);
    /// Whether the thread, on its way into a window, is in the middle of a unit. Threads enter a window
    /// where they happen to be in their units, not all at one beginning: who follows whom at what
    /// distance decides how they contend.
    [[nodiscard]] bool must_align(Worker& w);
    /// Before a unit of a warm-up: holds some threads up for part of one, as a tick does. Threads that
    /// have drifted one at a time come back into a queue that is in motion, and tend to end up where
    /// it has gaps: orders that cost less are more frequent than among orders drawn at random.
    void stir();
    /// Lets the rest of the unit pass.
    void finish_unit(Worker& w);
    void advance_units(Worker& w, double units, double cost, model::Tick limit);
    [[nodiscard]] double cost_here() const;
    [[nodiscard]] std::size_t class_of(unsigned cpu) const;
    [[nodiscard]] double progress_now(model::Tick now) const;
    [[nodiscard]] double rate_now() const;
    [[nodiscard]] Worker* worker_on(unsigned cpu) const;
    [[nodiscard]] unsigned running() const;
    [[nodiscard]] bool anyone_measured() const;
    void open_window();
    void begin_measure();
    void end_window_if_all_left();
    void end_window();
    void plan_next(model::Tick now);
    void check_stop();
    void plan_windows(const RunRequest& request);
    /// How many windows a run gets besides the one at the start, at `visits` per unit.
    [[nodiscard]] unsigned windows_at(double visits) const;

    kernel::Kernel& kernel_;
    WorkPlan plan_;
    const std::atomic<bool>* stop_;
    bool full_ = false;
    bool drift_ = false;  ///< where threads are in their units is drawn for each window
    model::Random random_;
    unsigned openings_ = 0;        ///< windows opened so far
    double total_ = 0;             ///< units of the whole workload
    model::Tick window_time_ = 0;  ///< measured time per window, if that was asked for
    double window_units_ = 0;      ///< measured units per window, if that was asked for

    Phase phase_ = Phase::kStarting;
    std::vector<double> targets_;  ///< progress at which windows open, ascending
    std::size_t next_target_ = 0;
    unsigned tail_windows_ = 0;
    bool tail_due_ = false;
    unsigned active_ = 0;        ///< threads inside repeat()
    unsigned seen_active_ = 0;   ///< threads that ever were
    double phase_units_ = 0;     ///< units done in this phase
    double phase_target_ = 0;    ///< units at which it ends
    double measure_target_ = 0;  ///< units of the open window's measured part
    model::Tick phase_end_ = 0;  ///< or time, if window_time_ is set

    std::vector<WindowSample> windows_;
    std::vector<double> running_sum_;  ///< per window, of the threads on CPUs at each unit's end
    std::vector<CostClass> classes_;
    double mean_cost_ = 0;   ///< femtoseconds per unit, latest window; 0: not known yet
    double user_share_ = 0;  ///< of a unit's time, latest window
    double interrupt_cost_ = 0, switch_cost_ = 0;  ///< femtoseconds each, mean of all detail
    double uncredited_ = 0;                        ///< units done before the first window

    double done_ = 0, detailed_ = 0;
    SplitCounters once_;
    RatedSample interrupts_, switches_;
    std::vector<ObservedWindow> observed_;
    std::function<void()> on_window_;
    std::vector<SplitCounters> per_cpu_;
    std::unique_ptr<Ledger> ledger_;                                     ///< if counts are split
    std::map<std::pair<std::size_t, unsigned>, CpuSample> window_cpus_;  ///< for it
    model::AccessObserver* observer_;  ///< sees what is measured; null: nobody does
    std::unique_ptr<MeasuredLocks> locks_;
    bool watching_ = false;  ///< they are installed
    bool begun_ = false;     ///< the first thread has
    bool interrupted_ = false;
};

}  // namespace linefill::scenarios
