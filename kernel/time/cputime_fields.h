// SPDX-License-Identifier: Apache-2.0
// The members of signal_struct and task_struct that process CPU time lives in, as objects with
// simulated addresses; they differ by kernel version as the layout does.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "kernel/base/field.h"
#include "kernel/lock/spinlock.h"

namespace linefill::kernel {

struct TaskStruct;

/// utime and stime in ticks of 1/HZ (TICK_CPU_ACCOUNTING), sum_exec_runtime in ns. A plain value.
struct TaskCputime {
    u64 utime = 0, stime = 0, sum_exec_runtime = 0;
};

/// signal_struct.prev_cputime: the last pair handed out, so that it never goes back. In ticks.
class PrevCputime {
public:
    /// `at` is the outer structure; its lock exists where the layout has one.
    PrevCputime(const Place& at, bool has_lock, u32 instance = 0);
    Field<u64> utime, stime;
    std::unique_ptr<RawSpinlock> lock;  ///< null to v4.3
};

/// signal_struct.cputimer: what the whole group has used, kept only while a timer is armed.
class ThreadGroupCputimer {
public:
    ThreadGroupCputimer(const Place& at, bool atomic, u32 instance = 0);
    Field<u64> utime, stime, sum_exec_runtime;
    Field<u8> running;
    std::unique_ptr<Field<u8>> checking_timer;  ///< with atomics only
    std::unique_ptr<RawSpinlock> lock;          ///< without
};

/// cputime_expires: earliest armed expiry by kind; 0: none. Units as TaskCputime.
class CputimeExpires {
public:
    explicit CputimeExpires(const Place& at);
    Field<u64> prof, virt, sched;
};

/// An armed CPU timer (k_itimer on the sleeper's stack). Expiry in the unit of its clock.
struct CpuTimer {
    Addr base = 0;        ///< of the k_itimer
    u64 expires = 0;
    TaskStruct* sleeper = nullptr;
    bool firing = false;
};

/// cpu_timers[3]: sorted lists by kind (prof, virt, sched).
class CpuTimers {
public:
    explicit CpuTimers(const Place& at);
    enum Kind : unsigned { kProf, kVirt, kSched, kKinds };
    std::array<Field<u64>, kKinds> head;  ///< charged for the list heads
    std::array<std::vector<CpuTimer*>, kKinds> timers;
};

}  // namespace linefill::kernel
