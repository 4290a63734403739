// SPDX-License-Identifier: Apache-2.0
// The scheduler: what the rest of the mini-kernel calls.
#pragma once

#include <functional>
#include <string>

#include "kernel/base/function.h"
#include "kernel/sched/rq.h"

namespace linefill::kernel {

// ---- where am I --------------------------------------------------------------------------------
/// The task that runs on this CPU. Host access, charged to nobody.
TaskStruct& current();
/// The same with its load of the per-CPU current_task charged.
KPtr<TaskStruct> get_current();
inline unsigned smp_processor_id() { return model::this_hw_thread().cpu(); }
/// per_cpu(runqueues, cpu): loads __per_cpu_offset[cpu], whose place depends on `cpu`.
KPtr<Rq> cpu_rq(Loaded<int> cpu);
/// this_cpu_ptr(&runqueues).
KPtr<Rq> this_rq();
/// task_rq(p): task_cpu(p), then cpu_rq of it.
KPtr<Rq> task_rq(KPtr<TaskStruct> p);

// ---- core --------------------------------------------------------------------------------------
/// Takes p.pi_lock with interrupts off, then the lock of the run queue that p is on.
KPtr<Rq> task_rq_lock(KPtr<TaskStruct> p, IrqFlags& flags);
void task_rq_unlock(KPtr<Rq> rq, KPtr<TaskStruct> p, IrqFlags flags);
/// p's run time in ns, with what has passed since the last update if p runs.
u64 task_sched_runtime(KPtr<TaskStruct> p);
/// The pending part alone, as kernels before update-curr-on-clock-read sampled it; 0 on others.
u64 task_delta_exec(KPtr<TaskStruct> p);

/// Gives up the CPU until picked again. The caller has set state and where it waits.
void schedule();
void set_current_state(s64 state);    ///< with its full barrier
void __set_current_state(s64 state);  ///< without
/// Wakes `p` if its state is in `mask`; true if it did.
bool try_to_wake_up(TaskStruct& p, s64 mask, bool sync = false);
inline bool wake_up_process(TaskStruct& p) { return try_to_wake_up(p, kTaskNormal); }
/// Tests TIF_NEED_RESCHED of the current task (a load of its thread_info.flags).
bool need_resched();
/// Marks the current task of `rq`, whose lock is held, for rescheduling; kicks its CPU.
void resched_curr(KPtr<Rq> rq);
/// From the tick, interrupts off.
void scheduler_tick();
/// What the reschedule interrupt does.
void scheduler_ipi();
/// update_rq_clock under rq->lock.
void update_rq_clock(KPtr<Rq> rq);
/// sched_yield().
void yield();

// ---- idle CPUs, for the tick's stop and restart ----------------------------------------------------
/// The tick of this idle CPU stops: it joins nohz.idle_cpus_mask.
void nohz_balance_enter_idle();
/// First idle entry since busy: one busy CPU less in the LLC's count.
void set_cpu_sd_state_idle();
/// After a stopped tick: the decay of rq.cpu_load that the missed ticks would have done.
void update_cpu_load_nohz(u64 missed_ticks);

/// Restricts `p` to the CPUs of `mask` (bit per CPU); before it runs, or by itself.
void set_cpus_allowed(TaskStruct& p, u64 mask);
void set_user_nice(TaskStruct& p, int nice);

// ---- for reports and tests, on host values -----------------------------------------------------
bool task_is_running(const TaskStruct& p);
unsigned host_task_cpu(const TaskStruct& p);

}  // namespace linefill::kernel
