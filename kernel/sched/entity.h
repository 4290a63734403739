// SPDX-License-Identifier: Apache-2.0
// What CFS schedules: entities with their load averages and statistics, and the queues they wait on.
#pragma once

#include "kernel/sched/rbtree.h"

namespace linefill::kernel {

struct CfsRq;
struct Rq;
struct SchedEntity;
struct TaskGroup;
struct TaskStruct;

struct LoadWeight {
    explicit LoadWeight(const Place& at, u64 w = 0)
        : weight(at, "weight", w), inv_weight(at, "inv_weight", 0) {}
    Field<u64> weight;
    Field<u32> inv_weight;
};

/// sched_avg. The members up to v4.1 and those from v4.3 on; each exists where its layout has it.
struct SchedAvg {
    explicit SchedAvg(const Place& at);
    // v4.3 and later
    Field<u64> last_update_time, load_sum;
    Field<u32> util_sum, period_contrib;
    Field<u64> load_avg, util_avg;
    // before
    Field<u32> runnable_avg_sum, runnable_avg_period;
    Field<u64> last_runnable_update;
    Field<s64> decay_count;
    Field<u64> load_avg_contrib;
};

/// sched_statistics: written only with schedstats on.
struct SchedStatistics {
    explicit SchedStatistics(const Place& at);
    Field<u64> wait_start, wait_max, wait_count, wait_sum, sleep_start, sleep_max;
    Field<s64> sum_sleep_runtime;
    Field<u64> block_start, block_max, exec_max, slice_max;
    Field<u64> nr_failed_migrations_affine, nr_failed_migrations_running, nr_failed_migrations_hot;
    Field<u64> nr_forced_migrations, nr_wakeups, nr_wakeups_sync, nr_wakeups_migrate;
    Field<u64> nr_wakeups_local, nr_wakeups_remote, nr_wakeups_affine, nr_wakeups_affine_attempts;
};

struct SchedEntity {
    /// `at`: the place of the embedded entity ("task_struct", "se."), or a group's own.
    SchedEntity(const Place& at, TaskStruct* task);

    LoadWeight load;
    RbNode run_node;
    ListLinks<SchedEntity> group_node;  ///< on rq.cfs_tasks
    Field<u32> on_rq;
    Field<u64> exec_start;        ///< ns of the run queue's clock_task
    Field<u64> sum_exec_runtime;  ///< ns
    Field<u64> vruntime;          ///< ns, weighted
    Field<u64> prev_sum_exec_runtime;
    Field<u64> nr_migrations;
    SchedStatistics statistics;
    Field<int> depth;
    PtrField<SchedEntity> parent;
    PtrField<CfsRq> cfs_rq, my_q;
    SchedAvg avg;

    TaskStruct* const task;  ///< null for a group's entity

    static SchedEntity* of(RbNode* n);
};

struct CfsRq {
    /// `at`: embedded in rq ("rq", "cfs.") or stand-alone ("cfs_rq", "").
    CfsRq(const Place& at, Rq& rq);

    LoadWeight load;
    Field<u32> nr_running, h_nr_running;
    Field<u64> exec_clock, min_vruntime;
    RbRoot tasks_timeline;
    PtrField<RbNode> rb_leftmost;
    PtrField<SchedEntity> curr, next, last, skip;
    Field<u32> nr_spread_over;
    SchedAvg avg;  ///< v4.3 and later
    Field<u64> runnable_load_sum, runnable_load_avg, tg_load_avg_contrib;
    Field<s64> removed_load_avg, removed_util_avg;
    // before v4.3
    Field<u64> blocked_load_avg;
    Field<u64> decay_counter, last_decay;
    Field<s64> removed_load;
    PtrField<Rq> rq;
    PtrField<TaskGroup> tg;
    Field<int> runtime_enabled;
    Field<s64> runtime_remaining;
    Field<int> throttled, throttle_count;
};

/// task_group; only the root group exists so far, and it has no entities.
struct TaskGroup {
    explicit TaskGroup(const Place& at);
    Field<u64> shares;
    Field<s64> load_avg;
};

}  // namespace linefill::kernel
