// SPDX-License-Identifier: Apache-2.0
// Tasks and what threads of a process share. Fields are named as the kernel names them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kernel/lock/seqcount.h"
#include "kernel/lock/spinlock.h"
#include "kernel/sched/counter_router.h"
#include "kernel/sched/entity.h"
#include "model/core/execution_context.h"

namespace linefill::kernel {

struct SchedClass;

inline constexpr u64 kThreadSize = 16 * 1024;  ///< bytes of a kernel stack

// task_struct.state
inline constexpr s64 kTaskRunning = 0;
inline constexpr s64 kTaskInterruptible = 1;
inline constexpr s64 kTaskUninterruptible = 2;
inline constexpr s64 kTaskNormal = kTaskInterruptible | kTaskUninterruptible;
inline constexpr s64 kTaskDead = 64;
inline constexpr s64 kTaskWaking = 256;
// task_struct.exit_state
inline constexpr int kExitZombie = 32;
inline constexpr int kExitDead = 16;
// task_struct.on_rq
inline constexpr int kTaskOnRqQueued = 1;
inline constexpr int kTaskOnRqMigrating = 2;
// thread_info.flags
inline constexpr u32 kTifSigpending = 1U << 2;
inline constexpr u32 kTifNeedResched = 1U << 3;
inline constexpr u32 kTifPollingNrflag = 1U << 21;
// pt_regs.cs
inline constexpr u64 kUserCs = 0x33;
inline constexpr u64 kKernelCs = 0x10;

/// At the base of the kernel stack.
struct ThreadInfo {
    ThreadInfo(const Place& at, TaskStruct& task);
    PtrField<TaskStruct> task;
    Field<u32> flags;
    Field<u32> cpu;
};

struct MmStruct {
    explicit MmStruct(const Place& at);
    Field<Addr> pgd;
    Field<int> mm_users, mm_count;
    Field<u64> total_vm;
    /// One bit per CPU that uses this mm; lies behind the structure (CPUMASK_OFFSTACK=n: inside).
    Field<u64> cpu_vm_mask;
    Field<u64> map_count;
};

struct SighandStruct {
    explicit SighandStruct(const Place& at);
    Field<int> count;
    RawSpinlock siglock;
};

/// The three sums of a process's CPU clock, in ns.
struct CputimeFields {
    explicit CputimeFields(const Place& at)
        : utime(at, "utime"), stime(at, "stime"), sum_exec_runtime(at, "sum_exec_runtime") {}
    Field<u64> utime, stime, sum_exec_runtime;
};

/// thread_group_cputimer: atomics from v4.2 on, fields under `lock` before.
struct ThreadGroupCputimer {
    explicit ThreadGroupCputimer(const Place& at);
    CputimeFields cputime;
    Field<int> running;
    Field<int> checking_timer;          ///< v4.4 and later
    std::unique_ptr<RawSpinlock> lock;  ///< before v4.2
};

struct PrevCputime {
    explicit PrevCputime(const Place& at);
    Field<u64> utime, stime;
    std::unique_ptr<RawSpinlock> lock;  ///< v4.4 and later
};

struct SignalStruct {
    explicit SignalStruct(const Place& at);
    Field<int> sigcnt, live, nr_threads;
    ListLinks<TaskStruct> thread_head;
    Field<u32> flags;
    ThreadGroupCputimer cputimer;
    CputimeFields cputime_expires;
    Seqlock stats_lock;  ///< the sequence count and its spinlock
    Field<u64> utime, stime, cutime, cstime, gtime;
    PrevCputime prev_cputime;
    Field<u64> nvcsw, nivcsw, min_flt;
    Field<u64> sum_sched_runtime;

    Place place;  ///< for fields that only one user needs (CPU timer lists)
};

struct SchedInfo {
    explicit SchedInfo(const Place& at);
    Field<u64> pcount, run_delay, last_arrival, last_queued;
};

struct TaskStruct {
    TaskStruct(const Place& at, Addr stack_base, std::string name);

    Field<s64> state;
    PtrField<ThreadInfo> stack;
    Field<int> usage;
    Field<u32> flags;
    PtrField<TaskStruct> wake_entry;  ///< llist link on rq.wake_list
    Field<int> on_cpu;
    PtrField<TaskStruct> last_wakee;
    Field<u32> wakee_flips;
    Field<u64> wakee_flip_decay_ts;
    Field<int> wake_cpu;
    Field<int> on_rq;
    Field<int> prio, static_prio, normal_prio;
    PtrField<const SchedClass> sched_class;
    SchedEntity se;
    PtrField<TaskGroup> sched_task_group;
    Field<u32> policy;
    Field<int> nr_cpus_allowed;
    Field<u64> cpus_allowed;  ///< one bit per CPU
    SchedInfo sched_info;
    PtrField<MmStruct> mm, active_mm;
    Field<int> exit_state, exit_code;
    Field<u8> sched_contributes_to_load, sched_remote_wakeup;
    Field<int> pid, tgid;
    PtrField<TaskStruct> group_leader;
    ListLinks<TaskStruct> thread_node;  ///< on signal.thread_head
    Field<u64> utime, stime, utimescaled, stimescaled,
        gtime;  ///< ns or jiffies: as the kernel's cputime_t
    PrevCputime prev_cputime;
    Field<u64> nvcsw, nivcsw, min_flt;
    CputimeFields cputime_expires;
    Field<u64> cgroups;  ///< css_set pointer; the value is not used
    PtrField<SignalStruct> signal;
    PtrField<SighandStruct> sighand;
    RawSpinlock pi_lock;
    Field<Addr> sp0;  ///< thread.sp0: top of the kernel stack
    /// pt_regs.cs at the top of the kernel stack: system call and interrupt entry store it, other
    /// CPUs read it to tell user from system time.
    Field<u64> pt_regs_cs;

    // Host side: not part of the modelled structure.
    ThreadInfo thread_info;
    std::string name;
    int host_pid = 0;
    bool is_idle = false;
    bool counted = false;  ///< part of the workload: its counters are summed
    std::unique_ptr<model::ExecutionContext> context;
    TaskCounters counters;
    std::string waiting_for;    ///< for reports of a deadlock
    Place place;                ///< for fields that only one user needs
    void* user_data = nullptr;  ///< of the program that runs as this task
};

/// task_cpu(p): p->stack, then thread_info.cpu in a line of p's stack page.
inline Loaded<int> task_cpu(KPtr<TaskStruct> p) {
    const KPtr<ThreadInfo> ti = p->stack.get();
    const Loaded<u32> cpu = ti->cpu.load();
    return {static_cast<int>(cpu.value), cpu.token};
}

}  // namespace linefill::kernel
