// SPDX-License-Identifier: Apache-2.0
// CFS, inside the scheduler: what its files call of each other. All of it runs under rq->lock.
#pragma once

#include "kernel/sched/sched.h"

namespace linefill::kernel {

/// For loops over an entity's levels, from the task up.
inline KPtr<SchedEntity> task_se(KPtr<TaskStruct> p) { return {&p.get()->se, p.token()}; }
inline bool entity_is_task(KPtr<SchedEntity> se) {
    const KPtr<CfsRq> group = se->my_q.get();
    run(1);
    return !group;
}

// fair_account.cpp
void update_curr(KPtr<CfsRq> cfs);
void cpuacct_charge(KPtr<TaskStruct> p, u64 ns);
/// Signed comparison of virtual times, which may wrap.
inline u64 max_vruntime(u64 a, u64 b) { return static_cast<s64>(b - a) > 0 ? b : a; }
inline u64 min_vruntime(u64 a, u64 b) { return static_cast<s64>(b - a) < 0 ? b : a; }

// fair_queue.cpp
void enqueue_entity(KPtr<CfsRq> cfs, KPtr<SchedEntity> se, unsigned flags);
void dequeue_entity(KPtr<CfsRq> cfs, KPtr<SchedEntity> se, unsigned flags);
void place_entity(KPtr<CfsRq> cfs, KPtr<SchedEntity> se, bool initial);
void timeline_insert(KPtr<CfsRq> cfs, KPtr<SchedEntity> se);
void timeline_erase(KPtr<CfsRq> cfs, KPtr<SchedEntity> se);

// fair_slice.cpp
/// Length of a round in ns with `nr_running` tasks.
u64 sched_period(u64 nr_running);
u64 sched_slice(KPtr<CfsRq> cfs, KPtr<SchedEntity> se);
u64 sched_vslice(KPtr<CfsRq> cfs, KPtr<SchedEntity> se);
void check_preempt_tick(KPtr<CfsRq> cfs, KPtr<SchedEntity> curr);

// fair_pick.cpp
KPtr<TaskStruct> pick_next_task_fair(KPtr<Rq> rq, KPtr<TaskStruct> prev);
void set_next_entity(KPtr<CfsRq> cfs, KPtr<SchedEntity> se);
void put_prev_entity(KPtr<CfsRq> cfs, KPtr<SchedEntity> se);

// fair_preempt.cpp
/// 1: `se` should preempt `curr`; 0: not by enough; -1: not at all.
int wakeup_preempt_entity(KPtr<SchedEntity> curr, KPtr<SchedEntity> se);
void check_preempt_wakeup(KPtr<Rq> rq, KPtr<TaskStruct> p);
void clear_buddies(KPtr<CfsRq> cfs, KPtr<SchedEntity> se);
void set_last_buddy(KPtr<SchedEntity> se);
void set_next_buddy(KPtr<SchedEntity> se);
void set_skip_buddy(KPtr<SchedEntity> se);

// fair_fork.cpp
void task_fork_fair(KPtr<TaskStruct> p);
void migrate_task_rq_fair(KPtr<TaskStruct> p);

// select_cpu.cpp
int select_task_rq_fair(KPtr<TaskStruct> p, int prev_cpu, u32 sd_flag, bool sync);
bool idle_cpu(int cpu);
u64 weighted_cpuload(int cpu);
u64 source_load(int cpu, unsigned idx);
u64 target_load(int cpu, unsigned idx);

// pelt.cpp
void update_load_avg(KPtr<CfsRq> cfs, KPtr<SchedEntity> se, bool update_tg);
void enqueue_entity_load_avg(KPtr<CfsRq> cfs, KPtr<SchedEntity> se, unsigned flags);
void dequeue_entity_load_avg(KPtr<CfsRq> cfs, KPtr<SchedEntity> se, unsigned flags);
void init_entity_load(KPtr<TaskStruct> p);
void remove_entity_load_avg(KPtr<SchedEntity> se);
void update_blocked_averages(KPtr<Rq> rq);
/// Before v4.3: the run queue's own average, at its switches between busy and idle.
void update_rq_runnable_avg(KPtr<Rq> rq, bool runnable);

// load_balance.cpp, newidle.cpp
/// The CPU has just run out of tasks: pulls one if that is worth it. Drops rq->lock meanwhile.
int idle_balance(KPtr<Rq> rq);
void trigger_load_balance(KPtr<Rq> rq);
/// The SCHED softirq.
void run_rebalance_domains();

}  // namespace linefill::kernel
