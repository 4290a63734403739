// SPDX-License-Identifier: Apache-2.0
// The tick's look at CPU timers: a comparison without locks, and the firing of what has expired.
#include "kernel/base/function.h"
#include "kernel/sched/sched.h"
#include "kernel/time/cpu_timer_list.h"

namespace linefill::kernel {

namespace {

constexpr const char* kSource = "kernel/time/posix-cpu-timers.c (v3.18, v4.7)";
const KernelFunction kRun{"run_posix_cpu_timers", kSource, 700, 5};
const KernelFunction kCheckProcess{"check_process_timers", kSource, 560, 6};
const KernelFunction kFire{"cpu_timer_fire", kSource, 120, 2};

bool has_expiry(CputimeFields& e) {
    const u64 any = e.utime.load() | e.stime.load() | e.sum_exec_runtime.load();
    run(3);
    return any != 0;
}

/// Worth taking the lock?
bool fastpath_timer_check(KPtr<TaskStruct> tsk) {
    run(6);
    g_next_dep = tsk.token();
    if (has_expiry(tsk.get()->cputime_expires))
        return true;  // timers of single threads: none are built
    const KPtr<SignalStruct> sig = tsk->signal.get();
    if (!sig) return false;  // an idle task
    ThreadGroupCputimer& timer = sig.get()->cputimer;
    g_next_dep = sig.token();
    if (timer.running.load() == 0) return false;
    if (timer.lock == nullptr && timer.checking_timer.load() != 0) return false;
    TaskCputime sample;
    sample_cputimer(*sig.get(), &sample);
    const u64 earliest = sig->cputime_expires.sum_exec_runtime;
    run(8);
    return earliest != 0 && sample.sum_exec_runtime >= earliest;
}

void check_process_timers(KPtr<TaskStruct> tsk, std::vector<CpuTimer*>& firing) {
    const Frame frame(kCheckProcess);
    const KPtr<SignalStruct> sig = tsk->signal.get();
    ThreadGroupCputimer& timer = sig.get()->cputimer;
    run(6);
    if (timer.running.load() == 0) return;
    if (timer.lock == nullptr) timer.checking_timer = 1;
    TaskCputime now;
    thread_group_cputimer(tsk, &now);
    CpuTimerList& list = cpu_timers_of(*sig.get());
    u64 next = 0;
    (void)list.head.load();
    while (!list.timers.empty()) {
        CpuTimer& first = *list.timers.front();
        const u64 expires = first.expires.load();
        run(8);
        if (now.sum_exec_runtime < expires) {
            next = expires;
            break;
        }
        first.firing = 1;
        first.entry = 0;
        first.armed = false;
        first.fired_at = now.sum_exec_runtime;
        list.head = 0;
        list.timers.erase(list.timers.begin());
        firing.push_back(&first);
    }
    sig->cputime_expires.sum_exec_runtime = next;
    run(40);  // the two other clocks, the limits of CPU time
    if (next == 0) stop_cputimer(*sig.get());
    if (timer.lock == nullptr) timer.checking_timer = 0;
}

}  // namespace

void cpu_timer_fire(CpuTimer& timer) {
    const Frame frame(kFire);
    run(6);
    timer.expires = 0;
    wake_up_process(timer.sleeper);
}

void run_posix_cpu_timers(KPtr<TaskStruct> tsk) {
    const Frame frame(kRun);
    if (!fastpath_timer_check(tsk)) return;
    const KPtr<SighandStruct> sighand = tsk->sighand.get();
    run(4);
    if (!sighand) return;
    const IrqFlags flags = sighand->siglock.lock_irqsave();
    std::vector<CpuTimer*> firing;
    run(30);  // timers of the thread itself
    check_process_timers(tsk, firing);
    sighand->siglock.unlock_irqrestore(flags);
    for (CpuTimer* timer : firing) {
        timer->it_lock.lock();
        timer->firing = 0;
        run(8);
        cpu_timer_fire(*timer);
        timer->it_lock.unlock();
    }
}

}  // namespace linefill::kernel
