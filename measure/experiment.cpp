// SPDX-License-Identifier: Apache-2.0
// Runs as jobs of the worker pool, put back into order.
#include "measure/experiment.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "measure/worker_pool.h"
#include "model/sim/error.h"

namespace linefill::measure {
namespace {

RunOutcome crashed(const JobEnd& end) {
    RunOutcome outcome;
    outcome.status = RunStatus::kCrashed;
    outcome.message = end.signal != 0
                          ? "the worker process was ended by signal " + std::to_string(end.signal)
                          : "the worker process ended with code " + std::to_string(end.exit_code) +
                                " and without a result";
    return outcome;
}

RunOutcome outcome_of(const JobEnd& end) {
    RunOutcome outcome;
    if (end.signal != 0 || end.exit_code != 0) {
        outcome = crashed(end);
    } else {
        try {
            outcome = decode(end.bytes);
        } catch (const std::runtime_error& error) {
            outcome.status = RunStatus::kCrashed;
            outcome.message = error.what();
        }
    }
    outcome.host_seconds = end.cpu_seconds;
    outcome.peak_kib = end.peak_kib;
    return outcome;
}

/// Holds outcomes back until all before them have been delivered.
class Orderer {
public:
    Orderer(const std::vector<RunSpec>& runs,
            const std::function<void(std::size_t, RunOutcome)>& deliver, ExperimentEnd& end)
        : runs_(runs), deliver_(deliver), end_(end) {}

    void add(std::size_t index, RunOutcome outcome) {
        waiting_.emplace(index, std::move(outcome));
        while (!waiting_.empty() && waiting_.begin()->first == next_) {
            pass_on_first();
            ++next_;
        }
    }

    void flush() {
        while (!waiting_.empty()) pass_on_first();
    }

private:
    void pass_on_first() {
        auto node = waiting_.extract(waiting_.begin());
        const std::size_t index = node.key();
        RunOutcome outcome = std::move(node.mapped());
        if (outcome.status == RunStatus::kUserError) {
            throw model::UserError(outcome.message);
        }
        if (outcome.status != RunStatus::kDone) {
            outcome.message = describe(runs_[index]) + ": " + outcome.message;
            if (end_.exit_code == 0) end_.exit_code = exit_code_of(outcome.status);
        }
        deliver_(index, std::move(outcome));
    }

    const std::vector<RunSpec>& runs_;
    const std::function<void(std::size_t, RunOutcome)>& deliver_;
    ExperimentEnd& end_;
    std::map<std::size_t, RunOutcome> waiting_;
    std::size_t next_ = 0;
};

}  // namespace

void ExperimentEnd::add(const ExperimentEnd& other) {
    interrupted = interrupted || other.interrupted;
    finished += other.finished;
    failed += other.failed;
    if (exit_code == 0 || other.interrupted) exit_code = other.exit_code;
    accesses += other.accesses;
    host_seconds += other.host_seconds;
    peak_kib = std::max(peak_kib, other.peak_kib);
}

ExperimentEnd run_experiment(const std::vector<RunSpec>& runs, const RunFunction& run,
                             const ExperimentOptions& options,
                             const std::function<void(std::size_t, RunOutcome)>& deliver) {
    ExperimentEnd end;
    Orderer orderer(runs, deliver, end);
    const auto report_progress = [&] {
        if (options.on_progress) options.on_progress({end.finished, runs.size(), end.failed});
    };
    const auto job = [&](std::size_t index) { return encode(guarded_run(run, runs[index])); };
    const auto on_end = [&](std::size_t index, const JobEnd& job_end) {
        RunOutcome outcome = outcome_of(job_end);
        ++(outcome.status == RunStatus::kDone ? end.finished : end.failed);
        end.accesses += outcome.accesses;
        end.host_seconds += outcome.host_seconds;
        end.peak_kib = std::max(end.peak_kib, outcome.peak_kib);
        orderer.add(index, std::move(outcome));
        report_progress();
    };
    report_progress();
    const unsigned jobs = options.jobs == 0 ? host_cpus() : options.jobs;
    const bool complete = run_in_processes(runs.size(), jobs, job, on_end, options.interrupt);
    orderer.flush();
    if (!complete) {
        end.interrupted = true;
        end.exit_code = kExitInterrupted;
    }
    return end;
}

std::vector<RunSpec> repeated(const RunSpec& spec, unsigned repeats) {
    std::vector<RunSpec> runs(repeats, spec);
    for (unsigned i = 0; i < repeats; ++i) runs[i].seed = spec.seed + i;
    return runs;
}

}  // namespace linefill::measure
