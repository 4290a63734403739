// SPDX-License-Identifier: Apache-2.0
// What sampling keeps for each thread of the workload.
#pragma once

#include <array>
#include <cstdint>

#include "kernel/sched/counter_router.h"
#include "model/sim/time.h"
#include "scenarios/run.h"

namespace linefill::kernel {
struct TaskStruct;
}  // namespace linefill::kernel

namespace linefill::scenarios {

/// How what a thread does now is counted.
enum class WorkerState : std::uint8_t {
    kOnce,         ///< start-up and exit: in detail, counted once
    kFastForward,  ///< time only
    kDetail,       ///< in detail, but not counted: caches warm up, or others are still measured
    kMeasured      ///< in detail, and counted for the window
};

struct Worker {
    kernel::TaskStruct* task = nullptr;
    WorkerState state = WorkerState::kOnce;
    std::size_t window = 0;     ///< that it is measured in
    double left = 0;            ///< units of work still to do
    double done = 0;            ///< units done
    double phase = 0;           ///< a unit begins where `left` is this far above a whole number
    unsigned aligned_to = 0;    ///< opening of a window for which the phase was last looked at
    double units_in_state = 0;  ///< done since the state began
    model::Tick owed = 0;       ///< time worked before the cost of a unit was known
    double user_debt = 0;       ///< share of chunks to be spent in user mode, accumulated
    // The chunk in progress while fast-forwarded:
    bool in_chunk = false;
    model::Tick chunk_start = 0;
    double chunk_cost = 0;  ///< femtoseconds per unit
    model::Tick start = 0, end = 0;
    /// The task's banks when they were last looked at.
    std::array<SplitCounters, kernel::kCounterBanks> seen;
};

}  // namespace linefill::scenarios
