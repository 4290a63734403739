// SPDX-License-Identifier: Apache-2.0
// The end of a task (kernel/exit.c of v4.7): the group's sums take over its times; a leader with live
// threads stays on the list as a zombie.
#include "kernel/kernel.h"
#include "kernel/process/process.h"
#include "kernel/sched/core.h"
#include "model/sim/error.h"

namespace linefill::kernel {

namespace {

const KernelFunction kDoExit{"do_exit", "kernel/exit.c", 2900, 6};
const KernelFunction kExitSignal{"__exit_signal", "kernel/exit.c", 900, 6};
const KernelFunction kReleaseTask{"release_task", "kernel/exit.c", 1300, 6};

/// Under siglock, interrupts off: out of the group, times added to the group's.
void exit_signal(TaskStruct& p) {
    const Frame frame(kExitSignal);
    SignalStruct& sig = *p.signal.peek();
    const bool is_leader = p.group_leader.peek() == &p;
    run(30);
    // Readers of the group's clock retry while this goes on.
    sig.stats_lock.write_lock();
    sig.utime += u64{p.utime};
    sig.stime += u64{p.stime};
    sig.gtime += u64{p.gtime};
    sig.min_flt += u64{p.min_flt};
    sig.nvcsw += u64{p.nvcsw};
    sig.nivcsw += u64{p.nivcsw};
    const u64 ran = p.se.sum_exec_runtime;
    sig.sum_sched_runtime += ran;
    sig.nr_threads -= 1;
    list_del(sig.thread_head, p, &TaskStruct::thread_node);
    sig.stats_lock.write_unlock();
    run(is_leader ? 60 : 30);
}

void release_task(TaskStruct& p) {
    const Frame frame(kReleaseTask);
    run(200);
    SighandStruct& hand = *p.sighand.peek();
    hand.siglock.lock_irq();
    exit_signal(p);
    hand.siglock.unlock_irq();
    p.exit_state = kExitDead;
    put_task_struct(p);
}

}  // namespace

void do_exit(int code) {
    const Frame frame(kDoExit);
    Kernel& k = kernel();
    TaskStruct& self = current();
    if (self.is_idle) throw model::SimulationError("kernel panic: attempted to kill the idle task");
    SignalStruct& sig = *self.signal.peek();
    run(500);
    const bool group_dead = sig.live.fetch_add(-1) == 1;
    self.exit_code = code;
    // exit_mm: the mm goes on as borrowed until the next switch.
    const KPtr<MmStruct> mm = self.mm.get();
    if (mm) {
        g_next_dep = mm.token();
        mm.get()->mm_count.fetch_add(1);
        self.mm = nullptr;
        g_next_dep = mm.token();
        mm.get()->mm_users.fetch_add(-1);
    }
    run(400);
    // exit_notify: the leader waits for the group's last thread, others are gone at once.
    TaskStruct& leader = *self.group_leader.peek();
    const bool is_leader = &leader == &self;
    self.exit_state = kExitZombie;
    if (!is_leader) release_task(self);
    if (group_dead && leader.exit_state.peek() == kExitZombie) release_task(leader);
    k.hooks().exiting(self);
    k.task_exited();
    run(60);
    local_irq_disable();
    self.state = kTaskDead;
    local_irq_enable();
    schedule();
    throw model::SimulationError("kernel BUG: a dead task was scheduled");
}

}  // namespace linefill::kernel
