// SPDX-License-Identifier: Apache-2.0
// What every command that runs something needs: workers, ^C, progress, failures, host figures.
#pragma once

#include <chrono>
#include <functional>

#include "app/options.h"
#include "app/progress.h"
#include "measure/experiment.h"
#include "measure/interrupt.h"
#include "measure/rows.h"

namespace linefill::app {

class Session {
public:
    explicit Session(const HostOptions& host);

    /// Real runs of the whole plan. `on_row` may print: the progress line is out of its way.
    /// Failures are printed as they come. May be called several times; exit codes add up.
    void run(const measure::RowPlan& plan,
             const std::function<void(const measure::RowOutcome&)>& on_row);

    [[nodiscard]] bool interrupted() const { return end_.interrupted; }

    /// Prints what --verbose asks for. Returns the exit code: 0, that of the first failed run, or
    /// 130 after ^C.
    int finish();

private:
    void print_failure(const measure::RunOutcome& failed);

    const HostOptions& host_;
    measure::InterruptGuard interrupt_;
    ProgressLine progress_;
    measure::ExperimentEnd end_;
    bool printed_report_ = false;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace linefill::app
