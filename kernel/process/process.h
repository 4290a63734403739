// SPDX-License-Identifier: Apache-2.0
// Processes and threads: creation and end.
#pragma once

#include <functional>
#include <string>

#include "kernel/sched/task.h"

namespace linefill::kernel {

/// What the child shares with its parent.
struct CloneFlags {
    bool thread = true;  ///< CLONE_THREAD | CLONE_SIGHAND | CLONE_VM: a thread of the same process
    bool vm = true;      ///< CLONE_VM alone: shares the memory
};

/// clone(): makes a task that will run `entry` on a fiber of its own, in user mode, and wakes it.
/// Called by current. `entry` ends by calling do_exit() (through the exit system call).
TaskStruct& do_fork(const CloneFlags& flags, const std::string& name, std::function<void()> entry);

/// The first user task; host side, nothing charged. It must be passed to wake_up_new_task().
TaskStruct& make_init_task(const std::string& name, std::function<void()> entry, unsigned cpu);

/// Puts a new task on a run queue, chosen among the idlest.
void wake_up_new_task(TaskStruct& p);

/// Ends the current task: never returns. A leader with live threads stays on the thread list as a
/// zombie; other threads are unlinked and their times added to the signal structure's.
[[noreturn]] void do_exit(int code);

/// Drops a reference; the last one frees the task_struct and the stack (their memory: host objects
/// stay for reports).
void put_task_struct(TaskStruct& p);

/// Called first on a new task's fiber: finishes the switch to it, interrupts go on.
void schedule_tail();

/// A host stack for something that runs as `task`. What `body` throws ends the machine's run.
void give_context(TaskStruct& task, std::function<void()> body);

/// A task_struct with its kernel stack on `node`; every field at its initial value.
std::unique_ptr<TaskStruct> alloc_task(const std::string& name, unsigned node);

}  // namespace linefill::kernel
