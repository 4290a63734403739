// SPDX-License-Identifier: Apache-2.0
// Run queues, scheduling domains and the classes. Fields are named as the kernel names them.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "kernel/sched/task.h"

namespace linefill::kernel {

struct SchedDomain;
struct SchedGroup;

// enqueue and dequeue flags
inline constexpr unsigned kEnqueueWakeup = 1;
inline constexpr unsigned kEnqueueMigrated = 2;
inline constexpr unsigned kDequeueSleep = 1;
// rq.nohz_flags
inline constexpr u64 kNohzTickStopped = 1;
inline constexpr u64 kNohzBalanceKick = 2;

/// root_domain: what all CPUs' balancing shares.
struct RootDomain {
    explicit RootDomain(const Place& at) : overload(at, "overload") {}
    Field<u8> overload;  ///< some CPU has more than one runnable task
};

struct Rq {
    Rq(const Place& at, unsigned cpu);

    RawSpinlock lock;
    Field<u32> nr_running;
    std::array<Field<u64>, 5> cpu_load;
    Field<u64> last_load_update_tick;
    Field<u64> nohz_flags;
    /// clock_skip_update; before v4.0 skip_clock_update.
    Field<int> clock_skip_update;
    LoadWeight load;
    Field<u64> nr_load_updates, nr_switches;
    CfsRq cfs;
    SchedAvg avg;  ///< before v4.3: the queue's own runnable average
    Field<u64> nr_uninterruptible;
    PtrField<TaskStruct> curr, idle;
    Field<u64> next_balance;  ///< jiffies
    PtrField<MmStruct> prev_mm;
    Field<u64> clock, clock_task;  ///< ns
    PtrField<RootDomain> rd;
    PtrField<SchedDomain> sd;
    Field<u64> cpu_capacity;
    Field<u8> idle_balance;
    Field<int> active_balance, push_cpu;
    Field<int> cpu;
    ListLinks<SchedEntity> cfs_tasks;
    Field<u64> idle_stamp, avg_idle, max_idle_balance_cost;
    Field<u64> calc_load_update;
    SchedInfo rq_sched_info;
    Field<u64> rq_cpu_time;
    Field<u32> sched_count, sched_goidle, ttwu_count, ttwu_local;
    PtrField<TaskStruct> wake_list;

    const unsigned host_cpu;
    TaskStruct* push_task = nullptr;  ///< the one that active balance is to move; null: any
};

/// The functions of a scheduling class; calls go through its table in read-only data.
struct SchedClass {
    SchedClass(const Place& at, std::string name);
    virtual ~SchedClass() = default;
    virtual void enqueue_task(KPtr<Rq> rq, KPtr<TaskStruct> p, unsigned flags) const = 0;
    virtual void dequeue_task(KPtr<Rq> rq, KPtr<TaskStruct> p, unsigned flags) const = 0;
    virtual void check_preempt_curr(KPtr<Rq> rq, KPtr<TaskStruct> p) const = 0;
    virtual void put_prev_task(KPtr<Rq> rq, KPtr<TaskStruct> p) const = 0;
    virtual void task_tick(KPtr<Rq> rq, KPtr<TaskStruct> p) const = 0;
    virtual void update_curr(KPtr<Rq> rq) const = 0;
    virtual int select_task_rq(KPtr<TaskStruct> p, int cpu, u32 sd_flags) const = 0;

    std::string name;
    // The table's words.
    Field<u64> ptr_enqueue_task, ptr_dequeue_task, ptr_check_preempt_curr, ptr_put_prev_task;
    Field<u64> ptr_pick_next_task, ptr_select_task_rq, ptr_task_tick, ptr_update_curr;
};

// sched_domain.flags
inline constexpr u32 kSdLoadBalance = 0x1;
inline constexpr u32 kSdBalanceNewidle = 0x2;
inline constexpr u32 kSdBalanceExec = 0x4;
inline constexpr u32 kSdBalanceFork = 0x8;
inline constexpr u32 kSdBalanceWake = 0x10;
inline constexpr u32 kSdWakeAffine = 0x20;
inline constexpr u32 kSdShareCpucapacity = 0x80;
inline constexpr u32 kSdSharePkgResources = 0x200;
inline constexpr u32 kSdSerialize = 0x400;
inline constexpr u32 kSdPreferSibling = 0x1000;
inline constexpr u32 kSdNuma = 0x4000;

/// sched_group_capacity, shared by the CPUs of the group.
struct SchedGroupCapacity {
    explicit SchedGroupCapacity(const Place& at)
        : capacity(at, "capacity"), nr_busy_cpus(at, "nr_busy_cpus") {}
    Field<u32> capacity;  ///< 1024 per core's worth of computing power
    Field<int> nr_busy_cpus;
};

/// sched_group: in a ring, shared by the CPUs of the domain.
struct SchedGroup {
    SchedGroup(const Place& at, const Place& capacity_at, u64 mask);
    PtrField<SchedGroup> next;
    Field<u32> group_weight;
    PtrField<SchedGroupCapacity> sgc;
    Field<u64> cpumask;
    SchedGroupCapacity capacity;
};

/// sched_domain: every CPU has its own copy of each level.
struct SchedDomain {
    explicit SchedDomain(const Place& at);
    PtrField<SchedDomain> parent, child;
    PtrField<SchedGroup> groups;
    Field<u64> min_interval, max_interval;  ///< ms
    Field<u32> busy_factor, imbalance_pct, cache_nice_tries, busy_idx, idle_idx, newidle_idx;
    Field<u32> forkexec_idx;
    Field<u32> flags;
    Field<int> level;
    Field<u64> last_balance;  ///< jiffies
    Field<u32> balance_interval, nr_balance_failed;
    Field<u64> max_newidle_lb_cost, next_decay_max_lb_cost;
    Field<int> nohz_idle;  ///< of the domain above the LLC's: this CPU is not counted as busy
    Field<u32> span_weight;
    Field<u64> span;
    std::string name;
};

/// Per-CPU variables of the scheduler outside rq.
struct SchedPercpu {
    SchedPercpu(unsigned cpu, int llc_id, int llc_size);
    Field<u64> this_cpu_off;
    Field<TaskStruct*> current_task;
    Field<Addr> kernel_stack;
    Field<u64> irq_count;
    Field<u64> tlb_state;
    Field<u64> cpuacct_usage;  ///< of the root cgroup
    Field<int> sd_llc_id, sd_llc_size;
    Field<u64> softirq_pending;
    Field<u64> rcu_dynticks;
    Field<u64> irq_stat;
};

}  // namespace linefill::kernel
