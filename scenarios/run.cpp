// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "kernel/kernel.h"
#include "kernel/lock/lock_system.h"
#include "kernel/sched/sched.h"
#include "model/core/this_hw_thread.h"
#include "model/machine.h"
#include "model/sim/error.h"
#include "scenarios/identities.h"
#include "scenarios/sampling/conductor.h"
#include "scenarios/user.h"

namespace linefill::scenarios {
namespace {

using model::Event;
using model::Tick;

kernel::KernelOptions kernel_options(const RunRequest& r) {
    kernel::KernelOptions o;
    o.seed = r.seed;
    o.page_aligned_percpu = r.page_aligned_percpu;
    o.mcs_queueing = r.mcs_queueing;
    o.draws.page_frames = r.draws.page_frames;
    o.draws.freelists = r.draws.freelist_order;
    o.draws.tick_phase = r.draws.timer_phase;
    o.draws.init_cpu = r.draws.placement;
    return o;
}

void check(const RunRequest& r) {
    if (r.workload == nullptr || r.layout == nullptr) {
        throw model::InternalError("a run without a workload or a layout");
    }
    if (r.sampling.units > 0 && r.sampling.time > 0) {
        model::UserError error("a sample is given in calls or in time, not both");
        error.key("--sample");
        throw error;
    }
}

/// Software events and interrupts are counted as they happen, in all of the run.
void put_exact(ScenarioResult& result, const kernel::Kernel& kernel) {
    for (const Event e :
         {Event::kInterrupts, Event::kContextSwitches, Event::kCpuMigrations, Event::kPageFaults}) {
        std::int64_t user = 0;
        std::int64_t in_kernel = 0;
        for (const auto& task : kernel.tasks()) {
            for (const kernel::TaskCounters::Pair& bank : task->counters.bank) {
                user += bank.user[e];
                in_kernel += bank.kernel[e];
            }
        }
        result.counts.user[e] = user;
        result.counts.kernel[e] = in_kernel;
        const auto i = static_cast<std::size_t>(e);
        result.sampling_error[i] = 0;
        result.sampling_error_user[i] = 0;
        result.sampling_error_kernel[i] = 0;
    }
}

/// Shares the totals out by where units were measured, so that the CPUs sum to them exactly.
std::vector<SplitCounters> share_out(const SplitCounters& counts,
                                     const std::vector<SplitCounters>& measured) {
    std::vector<SplitCounters> shares(measured.size());
    const auto split = [&](auto&& member) {
        std::int64_t all = 0;
        for (const SplitCounters& m : measured) all += member(m);
        std::int64_t left = member(counts);
        const std::int64_t whole = left;
        for (std::size_t cpu = 0; cpu < shares.size(); ++cpu) {
            if (all == 0) break;
            const std::int64_t part = static_cast<std::int64_t>(static_cast<__int128>(whole) *
                                                                member(measured[cpu]) / all);
            member(shares[cpu]) = part;
            left -= part;
        }
        if (!shares.empty()) member(shares.front()) += left;
    };
    for (std::size_t i = 0; i < model::kEventCount; ++i) {
        split([i](auto& c) -> auto& { return c.user.event[i]; });
        split([i](auto& c) -> auto& { return c.kernel.event[i]; });
    }
    for (std::size_t i = 0; i < model::kCpiCount; ++i) {
        split([i](auto& c) -> auto& { return c.user.cpi_fs[i]; });
        split([i](auto& c) -> auto& { return c.kernel.cpi_fs[i]; });
    }
    return shares;
}

TaskResult describe(const UserTask& thread) {
    const Worker& w = thread.worker();
    TaskResult t;
    if (w.task == nullptr) return t;
    t.pid = w.task->host_pid;
    t.name = w.task->name;
    t.runtime_s = static_cast<double>(w.task->se.sum_exec_runtime.peek()) * 1e-9;
    t.start_s = model::seconds_from_ticks(w.start);
    t.end_s = model::seconds_from_ticks(w.end);
    t.units = w.done;
    for (const kernel::TaskCounters::Pair& bank : w.task->counters.bank) {
        t.switches += static_cast<std::uint64_t>(bank.user[Event::kContextSwitches] +
                                                 bank.kernel[Event::kContextSwitches]);
        t.migrations += static_cast<std::uint64_t>(bank.user[Event::kCpuMigrations] +
                                                   bank.kernel[Event::kCpuMigrations]);
    }
    return t;
}

/// Ends the simulation when the last task has ended and every CPU has come to rest, so that no access
/// is cut off half-way.
class Epilogue final : public model::Schedulable {
public:
    explicit Epilogue(model::Machine& machine) : Schedulable(kRank), machine_(machine) {}

    void begin(Tick now) {
        deadline_ = now + kLongest;
        machine_.scheduler().schedule(*this, now + kStep);
    }

protected:
    void fire(Tick now) override {
        bool rest = true;
        for (unsigned cpu = 0; cpu < machine_.cpus(); ++cpu)
            rest = rest && machine_.hw(cpu).halted();
        if (rest || now >= deadline_) {
            machine_.scheduler().request_stop();
        } else {
            machine_.scheduler().schedule(*this, now + kStep);
        }
    }

private:
    static constexpr std::uint32_t kRank = 2;
    static constexpr Tick kStep = 5 * model::kMicrosecond;
    static constexpr Tick kLongest = 5 * model::kMillisecond;
    model::Machine& machine_;
    Tick deadline_ = 0;
};

}  // namespace

ScenarioResult run_workload(const RunRequest& request) {
    check(request);
    const auto host_start = std::chrono::steady_clock::now();

    model::MachineOptions machine_options;
    // The machine draws nothing but times of transfers.
    machine_options.seed = request.draws.transfer_times ? request.seed : 1;
    if (request.quantum >= 0) machine_options.quantum = request.quantum;
    model::Machine machine(request.platform, machine_options);
    kernel::Kernel kernel(machine, request.kernel, *request.layout, kernel_options(request));
    kernel.boot();
    Conductor conductor(kernel, request);
    Process process(conductor, request.workload->name(), request.seed, request.draws.start_skew);
    kernel::TaskStruct& first = kernel.create_init(request.workload->name(), [&] {
        process.start([&](UserTask& task) { request.workload->main(task); });
    });
    first.counted = true;
    Tick ended = 0;
    Epilogue epilogue(machine);
    kernel.on_last_exit = [&] {
        ended = model::this_hw_thread().now();
        conductor.finish(ended);
        epilogue.begin(ended);
    };
    try {
        machine.run();
    } catch (const model::SimulationError& e) {
        std::string report = e.report();
        if (!report.empty()) report += "\n";
        throw model::SimulationError(e.what(), report + kernel.describe_waiters());
    }
    for (const auto& thread : process.threads()) conductor.close(thread->worker());
    machine.set_observer(nullptr);
    kernel::lock_system().set_observer(nullptr);

    ScenarioResult result;
    result.seed = request.seed;
    result.interrupted = conductor.interrupted();
    const Estimate estimate = conductor.estimate();
    result.counts = estimate.counts;
    result.buckets = estimate.buckets;
    result.sampling_error = estimate.error;
    result.sampling_error_user = estimate.error_user;
    result.sampling_error_kernel = estimate.error_kernel;
    result.running_threads = estimate.running;
    put_exact(result, kernel);
    result.parts = conductor.parts();
    result.intervals = conductor.intervals();
    result.interval_s = model::seconds_from_ticks(request.interval);
    for (unsigned cpu = 0; cpu < machine.cpus(); ++cpu) {
        result.cpus.push_back({machine.socket_of(cpu),
                               machine.core_of(cpu) % request.platform.topology.cores_per_socket});
    }
    result.per_cpu = share_out(result.counts, conductor.measured_per_cpu());

    const Worker& leader = process.threads().front()->worker();
    result.elapsed_s = model::seconds_from_ticks(ended - leader.start);
    const auto user_fs = static_cast<double>(result.counts.user[Event::kUnhaltedFs]);
    const auto kernel_fs = static_cast<double>(result.counts.kernel[Event::kUnhaltedFs]);
    result.user_s = user_fs * 1e-15;
    result.sys_s = kernel_fs * 1e-15;
    result.task_clock_s = result.user_s + result.sys_s;
    // Whole units, but for the rounding of parts of them.
    result.units = std::round(conductor.units_done() * 1e3) / 1e3;
    if (result.units > 0) result.sampled_share = conductor.units_in_detail() / result.units;
    for (const WindowSample& w : conductor.windows()) {
        if (w.units <= 0) continue;
        ++result.windows;
        const model::Counters sum = w.counted.total();
        result.window_cycles_per_unit.push_back(static_cast<double>(sum[Event::kCycles]) / w.units);
    }
    result.metrics["elapsed"] = result.elapsed_s;
    result.metric_errors["elapsed"] = estimate.error[static_cast<std::size_t>(Event::kUnhaltedFs)];
    result.observed = conductor.observed();
    for (const auto& thread : process.threads()) result.tasks.push_back(describe(*thread));

    if (!result.interrupted) {
        result.identities = check_identities(machine, kernel, result);
        require_identities(result.identities);
    }
    result.modelled_accesses = modelled_accesses(kernel);
    result.host_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - host_start).count();
    return result;
}

}  // namespace linefill::scenarios
