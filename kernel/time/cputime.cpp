// SPDX-License-Identifier: Apache-2.0
// The CPU time of a thread group: a walk over all its threads in creation order (kernel-paths a.2).
#include "kernel/time/cputime.h"

#include "kernel/base/function.h"
#include "kernel/kernel.h"
#include "kernel/lock/rcu.h"
#include "kernel/sched/sched.h"

namespace linefill::kernel {

namespace {

const KernelFunction kThreadGroupCputime{"thread_group_cputime", "kernel/sched/cputime.c (v4.7)",
                                         280, 6};
const KernelFunction kAdjusted{"thread_group_cputime_adjusted", "kernel/sched/cputime.c (v4.7)", 72,
                               2};

/// Which of the reader's two ways through a seqlock a pass takes.
struct StatsRead {
    explicit StatsRead(Seqlock& lock) : lock(lock) {}
    Seqlock& lock;
    bool exclusive = false;
    u32 seq = 0;
    IrqFlags flags = false;

    void begin() {
        if (exclusive) {
            flags = lock.lock.lock_irqsave();
        } else {
            seq = lock.count.read_begin();
        }
    }
    /// True: what was read may not fit together; the next pass keeps writers out.
    bool retry(Token dep) {
        if (exclusive) return false;
        g_next_dep = dep;
        if (!lock.count.read_retry(seq)) return false;
        exclusive = true;
        return true;
    }
    void end() {
        if (exclusive) lock.lock.unlock_irqrestore(flags);
    }
};

/// One pass over the group: the sums of exited threads, then every thread on the list.
void sum_group(KPtr<SignalStruct> sig, bool pending, TaskCputime* times) {
    times->utime = sig->utime;
    times->stime = sig->stime;
    times->sum_exec_runtime = sig->sum_sched_runtime;
    KPtr<TaskStruct> t = sig->thread_head.first();
    while (t) {
        times->utime += t->utime;
        times->stime += t->stime;
        // 18 instructions per thread: the three loads of this loop, the call below (counted by the
        // callee), additions to the sums on the stack, the test for the end.
        run(14);
        times->sum_exec_runtime += pending ? task_sched_runtime(t) : t->se.sum_exec_runtime.load();
        t = t->thread_node.first();
    }
}

}  // namespace

void thread_group_cputime(KPtr<TaskStruct> tsk, TaskCputime* times) {
    const Frame frame(kThreadGroupCputime);
    const bool pending = !kernel().sw().no_pending_runtime;
    const KPtr<SignalStruct> sig = tsk->signal.get();
    if (!pending) {
        // Only the caller's own accounting is brought up to date, if it belongs to the group.
        const KPtr<TaskStruct> self = get_current();
        run(3);
        if (self->signal.get() == sig) (void)task_sched_runtime(self);
    }
    const RcuReadGuard rcu;
    run(12);
    StatsRead read(sig.get()->stats_lock);
    do {
        g_next_dep = sig.token();
        read.begin();
        sum_group(sig, pending, times);
    } while (read.retry(sig.token()));
    read.end();
}

void thread_group_cputime_adjusted(KPtr<TaskStruct> tsk, u64* utime, u64* stime) {
    const Frame frame(kAdjusted);
    TaskCputime sum;
    run(8);
    thread_group_cputime(tsk, &sum);
    const KPtr<SignalStruct> sig = tsk->signal.get();
    g_next_dep = sig.token();
    cputime_adjust(sum, sig.get()->prev_cputime, utime, stime);
}

}  // namespace linefill::kernel
