// SPDX-License-Identifier: Apache-2.0
// What a tick adds to: the task's user or system time, its group's timer, this CPU's statistics.
#include "kernel/base/function.h"
#include "kernel/sched/sched.h"
#include "kernel/time/cputime.h"
#include "kernel/time/tick_data.h"

namespace linefill::kernel {

namespace {

constexpr const char* kSource = "kernel/sched/cputime.c (v4.7)";
const KernelFunction kTick{"account_process_tick", kSource, 180, 2};
const KernelFunction kUser{"account_user_time", kSource, 190, 4};
const KernelFunction kSystem{"account_system_time", kSource, 290, 4};
const KernelFunction kIdle{"account_idle_time", kSource, 60, 0};

enum Index : unsigned { kUserTime, kNice, kSystemTime, kSoftirq, kIrq, kIdleTime };

/// kernel_cpustat of this CPU; the root cgroup has no counters of its own.
void add_to_cpustat(Index index) {
    static const FieldId kId = FieldRegistry::instance().id("kernel_cpustat", "cpustat", 0, 80);
    const Addr base = this_tick_cpu().cpustat;
    model::HwThread& hw = model::this_hw_thread();
    const Token old = hw.load(base + 8 * index, 8, kId);
    hw.store(base + 8 * index, 8, kId, old);
    run(6);
}

/// signal.cputimer, if it runs for tsk's group: the sum to add to, or null.
ThreadGroupCputimer* running_cputimer(KPtr<TaskStruct> tsk) {
    const KPtr<SignalStruct> sig = tsk->signal.get();
    run(2);
    if (!sig || sig->cputimer.running.load() == 0) return nullptr;
    // A thread whose sighand is gone has been reaped: its time is in the group's sums already.
    run(2);
    if (!KPtr<SighandStruct>(tsk->sighand.get())) return nullptr;
    return &sig.get()->cputimer;
}

void add_to_group(ThreadGroupCputimer* timer, Field<u64> CputimeFields::*member, u64 amount) {
    if (timer == nullptr) return;
    Field<u64>& sum = timer->cputime.*member;
    if (timer->lock == nullptr) {
        sum.fetch_add(amount);
        return;
    }
    timer->lock->lock();
    sum += amount;
    timer->lock->unlock();
}

void account_user_time(KPtr<TaskStruct> p) {
    const Frame frame(kUser);
    p->utime += 1;
    p->utimescaled += 1;
    account_group_user_time(p, 1);
    (void)p->static_prio.load();  // nice or not
    run(20);
    add_to_cpustat(kUserTime);
}

void account_system_time(KPtr<TaskStruct> p) {
    const Frame frame(kSystem);
    (void)p->flags.load();  // a virtual CPU's thread would count as guest time
    p->stime += 1;
    p->stimescaled += 1;
    account_group_system_time(p, 1);
    run(28);
    add_to_cpustat(kSystemTime);
}

}  // namespace

void account_process_tick(KPtr<TaskStruct> p, bool user_tick) {
    const Frame frame(kTick);
    run(14);  // steal time and full dynticks are patched out
    if (user_tick) {
        account_user_time(p);
    } else if (!p.get()->is_idle) {
        account_system_time(p);
    } else {
        const Frame idle(kIdle);
        add_to_cpustat(kIdleTime);
    }
}

void account_group_user_time(KPtr<TaskStruct> tsk, u64 ticks) {
    add_to_group(running_cputimer(tsk), &CputimeFields::utime, ticks);
}

void account_group_system_time(KPtr<TaskStruct> tsk, u64 ticks) {
    add_to_group(running_cputimer(tsk), &CputimeFields::stime, ticks);
}

void account_group_exec_runtime(KPtr<TaskStruct> tsk, u64 ns) {
    add_to_group(running_cputimer(tsk), &CputimeFields::sum_exec_runtime, ns);
}

}  // namespace linefill::kernel
