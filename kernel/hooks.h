// SPDX-License-Identifier: Apache-2.0
// What the layer above may want to know as it happens: which task a CPU belongs to, and where the
// scheduler's own work begins and ends, so that counts can follow tasks and be told apart.
#pragma once

namespace linefill::kernel {

struct TaskStruct;

/// All calls are made on the fiber and the CPU that they speak of and are charged to nobody. They
/// must not block. The default does nothing.
struct KernelHooks {
    virtual ~KernelHooks() = default;
    /// schedule() was entered on `cpu`, `prev` still running.
    virtual void schedule_begin(unsigned cpu, TaskStruct& prev) { (void)cpu, (void)prev; }
    /// `cpu` is about to leave `prev`'s stack for `next`'s (only if they differ): all that follows
    /// belongs to `next`.
    virtual void switching(unsigned cpu, TaskStruct& prev, TaskStruct& next) {
        (void)cpu, (void)prev, (void)next;
    }
    /// schedule() returns to `current` on `cpu`: also the first thing a new task's fiber does after
    /// its schedule_tail().
    virtual void schedule_end(unsigned cpu, TaskStruct& current) { (void)cpu, (void)current; }
    /// `child` was set up by `parent` and will be woken; nothing of it has run.
    virtual void forked(TaskStruct& parent, TaskStruct& child) { (void)parent, (void)child; }
    /// `task` has left for good (its last switching() is still to come).
    virtual void exiting(TaskStruct& task) { (void)task; }
};

}  // namespace linefill::kernel
