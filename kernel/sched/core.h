// SPDX-License-Identifier: Apache-2.0
// The scheduler's core, inside the scheduler: what its files call of each other.
#pragma once

#include "kernel/sched/classes.h"
#include "kernel/sched/sched.h"

namespace linefill::kernel {

inline constexpr int kRqcfReqSkip = 1;  ///< rq.clock_skip_update: schedule() will see it
inline constexpr int kRqcfActSkip = 2;  ///< in effect

/// Caller holds rq->lock.
void activate_task(KPtr<Rq> rq, KPtr<TaskStruct> p, unsigned flags);
void deactivate_task(KPtr<Rq> rq, KPtr<TaskStruct> p, unsigned flags);
void check_preempt_curr(KPtr<Rq> rq, KPtr<TaskStruct> p);
/// Moves p, which is on no queue, to `cpu`: entity's links, thread_info.cpu, wake_cpu.
void set_task_cpu(KPtr<TaskStruct> p, int cpu);
/// The same without the class's hook, for new tasks.
void set_task_cpu_new(KPtr<TaskStruct> p, int cpu);
/// Tasks that other CPUs have put on this one's wake list.
void sched_ttwu_pending();
/// rq->lock dropped and reloaded around something.
void finish_task_switch(KPtr<TaskStruct> prev);
/// The body of schedule().
void do_schedule();

// sched_info (written with or without schedstats switched on)
void sched_info_queued(KPtr<Rq> rq, KPtr<TaskStruct> p);
void sched_info_dequeued(KPtr<Rq> rq, KPtr<TaskStruct> p);
void sched_info_switch(KPtr<Rq> rq, KPtr<TaskStruct> prev, KPtr<TaskStruct> next);

/// Makes `cpu` look at its flags: interrupt, if it does not poll them.
void smp_send_reschedule(int cpu);
/// Sets NEED_RESCHED of the idle task if it polls its flags; false: an interrupt is needed.
bool set_nr_if_polling(KPtr<TaskStruct> idle);
/// Makes the idle task of `cpu` look: sets the flag if it polls, else interrupts.
void wake_up_if_idle(int cpu);
/// resched_curr of a CPU whose queue is not locked.
void resched_cpu(int cpu);

/// Ticks of rq.cpu_load.
void update_cpu_load_active(KPtr<Rq> rq);

/// What an idle task executes for ever.
[[noreturn]] void cpu_idle_loop();

}  // namespace linefill::kernel
