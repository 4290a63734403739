// SPDX-License-Identifier: Apache-2.0
// Where a task's events are counted.
#include "kernel/sched/counter_router.h"

#include "kernel/kernel.h"
#include "kernel/sched/sched.h"

namespace linefill::kernel {

void select_task_counters(model::HwThread& hw, TaskStruct& task) {
    if (!kernel().routes_counters()) return;
    TaskCounters::Pair& bank = task.counters.of(task.counters.selected);
    hw.select_counters(&bank.user, &bank.kernel);
}

BankScope::BankScope(CounterBank bank) : task_(&current()), before_(task_->counters.selected) {
    task_->counters.selected = bank;
    if (bank != before_) select_task_counters(model::this_hw_thread(), *task_);
}

BankScope::~BankScope() noexcept(false) {
    if (model::Scheduler::running_agent() == nullptr) return;
    const bool changed = task_->counters.selected != before_;
    task_->counters.selected = before_;
    if (changed) select_task_counters(model::this_hw_thread(), *task_);
}

void count_software_event(TaskStruct& task, model::Event event, std::int64_t n) {
    task.counters.of(task.counters.selected).kernel[event] += n;
}

}  // namespace linefill::kernel
