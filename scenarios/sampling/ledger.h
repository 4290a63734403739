// SPDX-License-Identifier: Apache-2.0
// Who did what on which CPU and when: keeps a run's work, interrupts, switches and start-up apart by
// task, CPU and interval of time, so that the estimate for the whole run can be shared out.
//
// It only listens: a run gives the same counts with and without it.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernel/hooks.h"
#include "scenarios/run.h"
#include "scenarios/sampling/estimate.h"
#include "scenarios/sampling/worker.h"

namespace linefill::kernel {
class Kernel;
}  // namespace linefill::kernel

namespace linefill::scenarios {

/// What was measured of one window on one CPU: CPUs differ in what a unit of work costs.
struct CpuSample {
    SplitCounters counted;
    double units = 0;
};

/// The estimate's parts, as they are shared out.
struct LedgerTotals {
    const std::vector<WindowSample>* windows = nullptr;
    const std::map<std::pair<std::size_t, unsigned>, CpuSample>* by_cpu = nullptr;
    RatedSample interrupts, switches;
};

class Ledger final : public kernel::KernelHooks {
public:
    /// `interval` 0: one for the whole run. `full`: everything is counted in detail.
    Ledger(kernel::Kernel& kernel, model::Tick interval, bool full);

    /// The program starts; what CPUs did before is not counted.
    void begin(model::Tick now);
    /// The program's last thread has ended: from here on only what is left of tasks is counted.
    void end(model::Tick now);
    /// After the run: what the tasks did on their way out.
    void close();

    /// The current task has come to a point at which its events are counted differently from here on.
    void note();
    /// `units` of work of the current task, done just now.
    void worked(std::size_t window, double units);
    /// Fast-forwarded work of a task, on `cpu` from `from` on for `length`.
    void worked(const kernel::TaskStruct& task, unsigned cpu, model::Tick from, model::Tick length,
                std::size_t window, double units);
    /// Time worked at a cost not known yet, and what it came to.
    void owe(const kernel::TaskStruct& task, unsigned cpu, model::Tick from, model::Tick length);
    void worked_owed(const kernel::TaskStruct& task, std::size_t window, double units);

    void switching(unsigned cpu, kernel::TaskStruct& prev, kernel::TaskStruct& next) override;

    /// By interval, CPU and task, idle tasks last. Those of tasks sum to the estimate exactly.
    [[nodiscard]] std::vector<CountPart> parts(const LedgerTotals& totals) const;
    [[nodiscard]] unsigned intervals() const;

private:
    struct Cell {
        SplitCounters exact;
        double interrupts = 0, switches = 0;
        std::map<std::size_t, double> work;  ///< units by window
    };
    struct Stretch {
        unsigned cpu = 0;
        model::Tick from = 0, length = 0;
    };
    struct Account {
        SplitCounters seen_call, seen_other;
        model::Tick since = 0;
        unsigned cpu = 0;
        std::vector<Stretch> owed;
    };
    static constexpr int kIdle = 1 << 30;             ///< pids of tasks are below
    using Key = std::tuple<unsigned, unsigned, int>;  ///< interval, CPU, pid or kIdle

    void note(const kernel::TaskStruct& task, model::Tick now);
    void look(const kernel::TaskStruct& task, Account& account) const;
    Cell& cell(model::Tick at, unsigned cpu, const kernel::TaskStruct& task);
    template <class Give>
    void spread(const Stretch& over, const Give& give);
    [[nodiscard]] unsigned interval_of(model::Tick at) const;

    kernel::Kernel& kernel_;
    model::Tick interval_;
    bool full_;
    bool counts_ = false;  ///< between begin() and end()
    model::Tick begin_ = 0, end_ = 0;
    std::unordered_map<const kernel::TaskStruct*, Account> accounts_;  // looked up, never walked
    std::map<Key, Cell> cells_;
};

}  // namespace linefill::scenarios
