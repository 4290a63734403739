// SPDX-License-Identifier: Apache-2.0
// One run: a machine, a kernel on it, a workload on that; and what it gave. A process can simulate
// one machine, so a second run needs a process of its own.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kernel/layout/layout.h"
#include "kernel/version.h"
#include "model/core/access.h"
#include "model/core/counters.h"
#include "model/platform/platform.h"
#include "model/sim/time.h"
#include "scenarios/workload.h"

namespace linefill::kernel {
class LockObserver;
}  // namespace linefill::kernel

namespace linefill::scenarios {

/// How much of a run is simulated in detail; the rest is fast-forwarded.
struct SamplingOptions {
    bool full = false;  ///< every unit of work in detail
    /// Units of work to simulate in detail, in all windows together; 0: by the host budget.
    std::uint64_t units = 0;
    /// Or modelled time in detail, in all windows together; 0: not given.
    model::Tick time = 0;
};

/// The draws in which runs of different seeds differ. All off: every seed gives the same bytes.
struct DrawOptions {
    bool page_frames = true;     ///< which page frames allocations get
    bool freelist_order = true;  ///< order of the objects on a slab's freelist
    bool start_skew = true;      ///< when threads start, when windows open
    bool timer_phase = true;     ///< tick phases and used slices at the start
    bool placement = true;       ///< ties that the scheduler's placement leaves open
    bool transfer_times = true;  ///< of messages between cores, LLC and sockets, around their means
    static DrawOptions none() { return {false, false, false, false, false, false}; }
};

struct RunRequest {
    model::Platform platform;
    kernel::KernelSpec kernel;
    const kernel::Layout* layout = nullptr;
    const Workload* workload = nullptr;
    std::uint64_t seed = 1;
    SamplingOptions sampling;
    DrawOptions draws;
    /// Sees the accesses and the time of what is measured (see ScenarioResult::observed); null: off.
    model::AccessObserver* observer = nullptr;
    /// Sees who waited for which lock, in what is measured; null: off.
    kernel::LockObserver* lock_observer = nullptr;
    /// Called when what observers see begins to belong to another window; null: nobody asks.
    std::function<void()> on_window = nullptr;
    /// Keeps counts apart by interval, CPU and task (ScenarioResult::parts); costs a little time.
    bool split = false;
    model::Tick interval = 0;  ///< length of an interval; 0: the whole run is one
    /// How far a hardware thread may run ahead of the others; 0: not at all; negative: the model's.
    model::Tick quantum = -1;
    // Mechanisms that an ablation switches off; those of the machine are in platform.mechanisms.
    bool mcs_queueing = true;         ///< off: waiters of a queued lock all spin on the lock word
    bool page_aligned_percpu = true;  ///< off: per-CPU areas at a stride that spreads the sets
    /// Set from outside (^C): the run ends at the next opportunity, its result is `interrupted`.
    const std::atomic<bool>* stop = nullptr;
};

/// What the counts of a run are kept apart by, because each scales in its own way.
enum class Bucket : std::uint8_t {
    kWork,       ///< units of work: user code and system calls
    kInterrupt,  ///< interrupts that hit the workload's tasks: ticks, nearly all
    kSwitch,     ///< the scheduler on their behalf
    kOnce,       ///< start-up, thread creation and exit
    kCount
};
inline constexpr std::size_t kBucketCount = static_cast<std::size_t>(Bucket::kCount);
const char* bucket_name(Bucket b);

/// Counts of user and kernel mode.
struct SplitCounters {
    model::Counters user, kernel;
    model::Counters total() const;
    SplitCounters& operator+=(const SplitCounters& o);
    SplitCounters& operator-=(const SplitCounters& o);
};

/// One bucket: what was counted in detail and how it was scaled.
struct BucketResult {
    SplitCounters raw;   ///< as counted in detail
    double counted = 0;  ///< units that `raw` holds: calls, interrupts, switches
    double whole = 0;    ///< units in the whole run; kOnce: 1 and 1
};

/// What observers have seen of one window, and the units of the whole run that it speaks for.
struct ObservedWindow {
    SplitCounters counted;
    double units = 0;
    double stands_for = 0;
};

/// What one task did on one CPU in one interval.
struct CountPart {
    unsigned interval = 0;
    unsigned cpu = 0;
    int pid = 0;           ///< 0: the CPU's idle task
    SplitCounters counts;  ///< events only
};

/// Where a logical CPU is.
struct CpuPlace {
    unsigned socket = 0;
    unsigned core = 0;  ///< in its socket
};

/// A task of the workload at the end.
struct TaskResult {
    int pid = 0;
    std::string name;
    double runtime_s = 0;  ///< se.sum_exec_runtime
    double start_s = 0, end_s = 0;
    double units = 0;  ///< work that it did
    std::uint64_t migrations = 0, switches = 0;
};

/// One identity of the counters that must hold in every run.
struct IdentityCheck {
    std::string name;  ///< "L1D lookups = hits + misses + merges"
    std::int64_t left = 0, right = 0;
    std::int64_t slack = 0;  ///< difference that rounding to whole cycles explains
    bool holds() const { return left - right <= slack && right - left <= slack; }
};

struct ScenarioResult {
    std::uint64_t seed = 0;
    /// The workload's tasks over the whole run, scaled from what was counted in detail.
    SplitCounters counts;
    /// One standard error of sampling, as a share of the value of `counts` (user + kernel); 0 where
    /// everything was counted.
    std::array<double, model::kEventCount> sampling_error{};
    std::array<double, model::kEventCount> sampling_error_user{}, sampling_error_kernel{};
    std::array<BucketResult, kBucketCount> buckets;
    /// The same as `counts` for each logical CPU; sums to it.
    std::vector<SplitCounters> per_cpu;

    /// With RunRequest::split: `counts` shared out exactly, and what idle tasks did beside them between
    /// the program's start and its end.
    std::vector<CountPart> parts;
    unsigned intervals = 1;
    double interval_s = 0;  ///< length of all intervals but the last; 0: there is one
    std::vector<CpuPlace> cpus;

    double elapsed_s = 0;     ///< from the start of the program to the end of its last thread
    double task_clock_s = 0;  ///< time on CPUs, all tasks
    double user_s = 0, sys_s = 0;
    double units = 0;          ///< work done, the workload's true total
    double sampled_share = 1;  ///< part of the units simulated in detail
    /// The mean number of threads on a CPU while work was measured.
    double running_threads = 0;
    unsigned windows = 0;
    /// Per-unit figures of each window, in order, for those who want the spread.
    std::vector<double> window_cycles_per_unit;

    std::map<std::string, double> metrics;        ///< the workload's own figures, by name
    std::map<std::string, double> metric_errors;  ///< sampling error of those, as a share

    /// What `observer` has seen: exactly these counts, one entry per call of `on_window` or, without
    /// any, one.
    std::vector<ObservedWindow> observed;

    std::vector<IdentityCheck> identities;
    std::vector<TaskResult> tasks;
    bool interrupted = false;
    double host_s = 0;  ///< host time of the simulation
    std::uint64_t modelled_accesses =
        0;  ///< loads, stores and locked operations that were modelled
            ///< one by one
};

/// Runs `request.workload` to its end. Throws UserError for a request that cannot be run,
/// SimulationError for a kernel panic, a deadlock or an identity that does not hold.
ScenarioResult run_workload(const RunRequest& request);

}  // namespace linefill::scenarios
