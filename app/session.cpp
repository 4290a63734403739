// SPDX-License-Identifier: Apache-2.0
// One experiment after the other, with one ending.
#include "app/session.h"

#include "app/logging.h"
#include "app/output.h"
#include "measure/run_once.h"

namespace linefill::app {

Session::Session(const HostOptions& host) : host_(host) {}

void Session::run(const measure::RowPlan& plan,
                  const std::function<void(const measure::RowOutcome&)>& on_row) {
    measure::ExperimentOptions options;
    options.jobs = static_cast<unsigned>(host_.jobs);
    options.interrupt = &interrupt_;
    options.on_progress = [this](const measure::Progress& progress) {
        log_debug(std::to_string(progress.finished) + " of " + std::to_string(progress.total) +
                  " runs finished, " + std::to_string(progress.failed) + " failed");
        progress_.show(progress);
    };
    const measure::ExperimentEnd end = measure::run_rows(
        plan, measure::real_runs(default_dirs()), options,
        [&](const measure::RowOutcome& row) {
            progress_.clear();
            on_row(row);
        },
        [&](const measure::RunOutcome& failed) { print_failure(failed); });
    end_.add(end);
}

void Session::print_failure(const measure::RunOutcome& failed) {
    progress_.clear();
    log_error(failed.message);
    write_stderr("linefill: error: " + failed.message + "\n");
    // The others are seldom another story.
    if (!failed.report.empty() && !printed_report_) {
        write_stderr(failed.report + "\n");
        printed_report_ = true;
    }
}

int Session::finish() {
    progress_.clear();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start_;
    host_.print_host_figures(end_, wall.count());
    if (end_.interrupted) {
        write_stderr("linefill: interrupted; " + std::to_string(end_.finished) +
                     " runs were finished\n");
    }
    return end_.exit_code;
}

}  // namespace linefill::app
