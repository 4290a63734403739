// SPDX-License-Identifier: Apache-2.0
// Places of the fields of run queues, domains and the scheduler's per-CPU variables.
#include "kernel/sched/rq.h"

#include <utility>

#include "kernel/kernel.h"
#include "kernel/mm/memory.h"

namespace linefill::kernel {

namespace {

constexpr u64 kMigrationCostNs = 500'000;

template <class T>
Field<T> percpu_field(const char* symbol, unsigned cpu, unsigned size, T initial = {}) {
    return Field<T>(kernel().memory().per_cpu(symbol, cpu, size, size), size,
                    FieldRegistry::instance().id("per_cpu", symbol, 0, size), initial);
}

}  // namespace

Rq::Rq(const Place& at, unsigned number)
    : lock(at, "lock", number),
      nr_running(at, "nr_running"),
      cpu_load{word_of<u64>(at, "cpu_load", 0), word_of<u64>(at, "cpu_load", 8),
               word_of<u64>(at, "cpu_load", 16), word_of<u64>(at, "cpu_load", 24),
               word_of<u64>(at, "cpu_load", 32)},
      last_load_update_tick(at, "last_load_update_tick"),
      nohz_flags(at, "nohz_flags"),
      clock_skip_update(at, either(at, "clock_skip_update", "skip_clock_update")),
      load(inside(at, "load")),
      nr_load_updates(at, "nr_load_updates"),
      nr_switches(at, "nr_switches"),
      cfs(inside(at, "cfs"), *this),
      avg(has_field(at, "avg") ? SchedAvg(inside(at, "avg")) : SchedAvg(inside(at, "none"))),
      nr_uninterruptible(at, "nr_uninterruptible"),
      curr(at, "curr"),
      idle(at, "idle"),
      next_balance(at, "next_balance"),
      prev_mm(at, "prev_mm"),
      clock(at, "clock"),
      clock_task(at, "clock_task"),
      rd(at, "rd"),
      sd(at, "sd"),
      cpu_capacity(at, "cpu_capacity", 1024),
      idle_balance(at, "idle_balance"),
      active_balance(at, "active_balance"),
      push_cpu(at, "push_cpu"),
      cpu(at, "cpu", static_cast<int>(number)),
      cfs_tasks(at, "cfs_tasks"),
      idle_stamp(at, "idle_stamp"),
      avg_idle(at, "avg_idle", 2 * kMigrationCostNs),
      max_idle_balance_cost(at, "max_idle_balance_cost", kMigrationCostNs),
      calc_load_update(at, "calc_load_update"),
      rq_sched_info(inside(at, "rq_sched_info")),
      rq_cpu_time(at, "rq_cpu_time"),
      sched_count(at, "sched_count"),
      sched_goidle(at, "sched_goidle"),
      ttwu_count(at, "ttwu_count"),
      ttwu_local(at, "ttwu_local"),
      wake_list(at, "wake_list"),
      host_cpu(number) {}

SchedClass::SchedClass(const Place& at, std::string class_name)
    : name(std::move(class_name)),
      ptr_enqueue_task(at, "enqueue_task"),
      ptr_dequeue_task(at, "dequeue_task"),
      ptr_check_preempt_curr(at, "check_preempt_curr"),
      ptr_put_prev_task(at, "put_prev_task"),
      ptr_pick_next_task(at, "pick_next_task"),
      ptr_select_task_rq(at, "select_task_rq"),
      ptr_task_tick(at, "task_tick"),
      ptr_update_curr(optional_field<u64>(at, "update_curr")) {}

SchedGroup::SchedGroup(const Place& place, const Place& capacity_at, u64 mask)
    : next(place, "next"),
      group_weight(place, "group_weight", static_cast<u32>(__builtin_popcountll(mask))),
      sgc(place, "sgc", &capacity),
      // The mask is the flexible member at the structure's end.
      cpumask(place.base + place.layout->size_of(place.structure), 8,
              FieldRegistry::instance().id(place.structure, "cpumask",
                                           place.layout->size_of(place.structure), 8),
              mask),
      capacity(capacity_at) {}

SchedDomain::SchedDomain(const Place& at)
    : parent(at, "parent"),
      child(at, "child"),
      groups(at, "groups"),
      min_interval(at, "min_interval"),
      max_interval(at, "max_interval"),
      busy_factor(at, "busy_factor", 32),
      imbalance_pct(at, "imbalance_pct", 125),
      cache_nice_tries(at, "cache_nice_tries"),
      busy_idx(at, "busy_idx"),
      idle_idx(at, "idle_idx"),
      newidle_idx(at, "newidle_idx"),
      forkexec_idx(at, "forkexec_idx"),
      flags(at, "flags"),
      level(at, "level"),
      last_balance(at, "last_balance"),
      balance_interval(at, "balance_interval"),
      nr_balance_failed(at, "nr_balance_failed"),
      max_newidle_lb_cost(at, "max_newidle_lb_cost"),
      next_decay_max_lb_cost(at, "next_decay_max_lb_cost"),
      nohz_idle(at, "nohz_idle"),
      span_weight(at, "span_weight"),
      span(
          at.base + at.layout->size_of(at.structure), 8,
          FieldRegistry::instance().id(at.structure, "span", at.layout->size_of(at.structure), 8)) {
}

SchedPercpu::SchedPercpu(unsigned number, int llc_id, int llc_size)
    : this_cpu_off(percpu_field<u64>("this_cpu_off", number, 8)),
      current_task(percpu_field<TaskStruct*>("current_task", number, 8)),
      kernel_stack(percpu_field<Addr>("kernel_stack", number, 8)),
      irq_count(percpu_field<u64>("irq_count", number, 8)),
      tlb_state(percpu_field<u64>("cpu_tlbstate", number, 8)),
      cpuacct_usage(percpu_field<u64>("root_cpuacct_cpuusage", number, 8)),
      sd_llc_id(percpu_field<int>("sd_llc_id", number, 4, llc_id)),
      sd_llc_size(percpu_field<int>("sd_llc_size", number, 4, llc_size)),
      softirq_pending(percpu_field<u64>("softirq_pending", number, 8)),
      rcu_dynticks(percpu_field<u64>("rcu_dynticks", number, 8)),
      irq_stat(percpu_field<u64>("irq_stat", number, 8)) {}

}  // namespace linefill::kernel
