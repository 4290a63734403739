// SPDX-License-Identifier: Apache-2.0
// Where a task's events are counted: one set of banks per kind of work, so that sampling can weight
// calls, ticks and context switches separately.
#pragma once

#include <array>

#include "model/core/counters.h"
#include "model/core/hw_thread.h"

namespace linefill::kernel {

struct TaskStruct;

enum class CounterBank : std::uint8_t {
    kCall,    ///< the program and its system calls
    kTick,    ///< interrupts: entry to exit
    kSwitch,  ///< __schedule, on both sides of the switch
    kCount
};

inline constexpr std::size_t kCounterBanks = static_cast<std::size_t>(CounterBank::kCount);

struct TaskCounters {
    struct Pair {
        model::Counters user, kernel;
    };
    std::array<Pair, kCounterBanks> bank{};
    CounterBank selected = CounterBank::kCall;

    Pair& of(CounterBank b) { return bank[static_cast<std::size_t>(b)]; }
    const Pair& of(CounterBank b) const { return bank[static_cast<std::size_t>(b)]; }
};

/// Selects a bank of the current task on the current hardware thread; the one before at its end,
/// by when the task may have been away and run on another CPU.
class BankScope {
public:
    explicit BankScope(CounterBank bank);
    ~BankScope() noexcept(false);
    BankScope(const BankScope&) = delete;
    BankScope& operator=(const BankScope&) = delete;

private:
    TaskStruct* task_;
    CounterBank before_;
};

/// Directs events of the current hardware thread to the selected bank of `task`.
void select_task_counters(model::HwThread& hw, TaskStruct& task);
/// Adds to a software event of `task` (kContextSwitches, kCpuMigrations, kPageFaults).
void count_software_event(TaskStruct& task, model::Event event, std::int64_t n = 1);

}  // namespace linefill::kernel
