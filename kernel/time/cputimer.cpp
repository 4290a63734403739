// SPDX-License-Identifier: Apache-2.0
// signal.cputimer: the group's sums, kept up to date by every thread while a CPU timer is armed, and
// what an armed timer is compared with.
#include "kernel/base/function.h"
#include "kernel/kernel.h"
#include "kernel/sched/sched.h"
#include "kernel/time/cpu_timer_list.h"

namespace linefill::kernel {

namespace {

const KernelFunction kCputimer{"thread_group_cputimer",
                               "kernel/time/posix-cpu-timers.c (v3.18, v4.7)", 330, 4};

void read_sums(CputimeFields& sums, TaskCputime* times) {
    times->utime = sums.utime.load();
    times->stime = sums.stime.load();
    times->sum_exec_runtime = sums.sum_exec_runtime.load();
}

/// Raises one sum to what the walk found, unless an update has raised it further.
void raise_to(Field<u64>& sum, u64 to, bool atomic) {
    for (;;) {
        const u64 seen = sum.load();
        run(3);
        if (to <= seen) return;
        if (!atomic) {
            sum = to;
            return;
        }
        if (sum.cmpxchg(seen, to)) return;
    }
}

void raise_all(CputimeFields& sums, const TaskCputime& to, bool atomic) {
    raise_to(sums.utime, to.utime, atomic);
    raise_to(sums.stime, to.stime, atomic);
    raise_to(sums.sum_exec_runtime, to.sum_exec_runtime, atomic);
}

}  // namespace

void thread_group_cputimer(KPtr<TaskStruct> tsk, TaskCputime* times) {
    const Frame frame(kCputimer);
    const KPtr<SignalStruct> sig = tsk->signal.get();
    ThreadGroupCputimer& timer = sig.get()->cputimer;
    const bool atomic = timer.lock == nullptr;
    g_next_dep = sig.token();
    const bool running = timer.running.load() != 0;
    run(4);
    IrqFlags flags = false;
    if (!running) {
        // First timer of the group: from here on the sums are kept, starting with those of all
        // threads. On kernels that read clocks without bringing the accounting up to date, the
        // pending time that these hold is added again by each thread's next update.
        TaskCputime start;
        thread_group_cputime(tsk, &start);
        if (!atomic) flags = timer.lock->lock_irqsave();
        raise_all(timer.cputime, start, atomic);
        timer.running = 1;
    } else if (!atomic) {
        flags = timer.lock->lock_irqsave();
    }
    read_sums(timer.cputime, times);
    if (!atomic) timer.lock->unlock_irqrestore(flags);
}

void sample_cputimer(SignalStruct& sig, TaskCputime* times) {
    ThreadGroupCputimer& timer = sig.cputimer;
    if (timer.lock != nullptr) timer.lock->lock();
    read_sums(timer.cputime, times);
    if (timer.lock != nullptr) timer.lock->unlock();
}

void stop_cputimer(SignalStruct& sig) {
    ThreadGroupCputimer& timer = sig.cputimer;
    IrqFlags flags = false;
    if (timer.lock != nullptr) flags = timer.lock->lock_irqsave();
    timer.running = 0;
    if (timer.lock != nullptr) timer.lock->unlock_irqrestore(flags);
}

}  // namespace linefill::kernel
