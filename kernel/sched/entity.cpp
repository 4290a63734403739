// SPDX-License-Identifier: Apache-2.0
// Places of the fields of entities and CFS queues.
#include "kernel/sched/entity.h"

#include "kernel/sched/rq.h"

namespace linefill::kernel {

SchedAvg::SchedAvg(const Place& at)
    : last_update_time(optional_field<u64>(at, "last_update_time")),
      load_sum(optional_field<u64>(at, "load_sum")),
      util_sum(optional_field<u32>(at, "util_sum")),
      period_contrib(optional_field<u32>(at, "period_contrib")),
      load_avg(optional_field<u64>(at, "load_avg")),
      util_avg(optional_field<u64>(at, "util_avg")),
      runnable_avg_sum(optional_field<u32>(at, "runnable_avg_sum")),
      runnable_avg_period(optional_field<u32>(at, "runnable_avg_period")),
      last_runnable_update(optional_field<u64>(at, "last_runnable_update")),
      decay_count(optional_field<s64>(at, "decay_count")),
      load_avg_contrib(optional_field<u64>(at, "load_avg_contrib")) {}

SchedStatistics::SchedStatistics(const Place& at)
    : wait_start(at, "wait_start"),
      wait_max(at, "wait_max"),
      wait_count(at, "wait_count"),
      wait_sum(at, "wait_sum"),
      sleep_start(at, "sleep_start"),
      sleep_max(at, "sleep_max"),
      sum_sleep_runtime(at, "sum_sleep_runtime"),
      block_start(at, "block_start"),
      block_max(at, "block_max"),
      exec_max(at, "exec_max"),
      slice_max(at, "slice_max"),
      nr_failed_migrations_affine(at, "nr_failed_migrations_affine"),
      nr_failed_migrations_running(at, "nr_failed_migrations_running"),
      nr_failed_migrations_hot(at, "nr_failed_migrations_hot"),
      nr_forced_migrations(at, "nr_forced_migrations"),
      nr_wakeups(at, "nr_wakeups"),
      nr_wakeups_sync(at, "nr_wakeups_sync"),
      nr_wakeups_migrate(at, "nr_wakeups_migrate"),
      nr_wakeups_local(at, "nr_wakeups_local"),
      nr_wakeups_remote(at, "nr_wakeups_remote"),
      nr_wakeups_affine(at, "nr_wakeups_affine"),
      nr_wakeups_affine_attempts(at, "nr_wakeups_affine_attempts") {}

SchedEntity::SchedEntity(const Place& at, TaskStruct* owner)
    : load(inside(at, "load")),
      run_node(inside(at, "run_node")),
      group_node(at, "group_node"),
      on_rq(at, "on_rq"),
      exec_start(at, "exec_start"),
      sum_exec_runtime(at, "sum_exec_runtime"),
      vruntime(at, "vruntime"),
      prev_sum_exec_runtime(at, "prev_sum_exec_runtime"),
      nr_migrations(at, "nr_migrations"),
      statistics(inside(at, "statistics")),
      depth(at, "depth"),
      parent(at, "parent"),
      cfs_rq(at, "cfs_rq"),
      my_q(at, "my_q"),
      avg(inside(at, "avg")),
      task(owner) {
    run_node.owner = this;
}

SchedEntity* SchedEntity::of(RbNode* n) {
    return n == nullptr ? nullptr : static_cast<SchedEntity*>(n->owner);
}

CfsRq::CfsRq(const Place& at, Rq& owner)
    : load(inside(at, "load")),
      nr_running(at, "nr_running"),
      h_nr_running(at, "h_nr_running"),
      exec_clock(at, "exec_clock"),
      // Just before the wrap, so that a comparison that cannot stand one shows early.
      min_vruntime(at, "min_vruntime", static_cast<u64>(-(s64{1} << 20))),
      tasks_timeline(at, "tasks_timeline"),
      rb_leftmost(at, "rb_leftmost"),
      curr(at, "curr"),
      next(at, "next"),
      last(at, "last"),
      skip(at, "skip"),
      nr_spread_over(at, "nr_spread_over"),
      avg(inside(at, "avg")),
      runnable_load_sum(optional_field<u64>(at, "runnable_load_sum")),
      runnable_load_avg(at, "runnable_load_avg"),
      tg_load_avg_contrib(optional_field<u64>(at, "tg_load_avg_contrib")),
      removed_load_avg(optional_field<s64>(at, "removed_load_avg")),
      removed_util_avg(optional_field<s64>(at, "removed_util_avg")),
      blocked_load_avg(optional_field<u64>(at, "blocked_load_avg")),
      decay_counter(optional_field<u64>(at, "decay_counter", 1)),
      last_decay(optional_field<u64>(at, "last_decay")),
      removed_load(optional_field<s64>(at, "removed_load")),
      rq(at, "rq", &owner),
      tg(at, "tg"),
      runtime_enabled(at, "runtime_enabled"),
      runtime_remaining(at, "runtime_remaining"),
      throttled(at, "throttled"),
      throttle_count(at, "throttle_count") {}

TaskGroup::TaskGroup(const Place& at) : shares(at, "shares"), load_avg(at, "load_avg") {}

}  // namespace linefill::kernel
