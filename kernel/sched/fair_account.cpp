// SPDX-License-Identifier: Apache-2.0
// CFS: run time of the current entity, min_vruntime, cpuacct (kernel/sched/fair.c and cpuacct.c,
// v3.18 and v4.7; access order of kernel-paths a.2, steps 14 to 19).
#include "kernel/kernel.h"
#include "kernel/sched/fair.h"
#include "kernel/sched/globals.h"
#include "kernel/sched/weight.h"
#include "kernel/time/cputime.h"

namespace linefill::kernel {

namespace {

const KernelFunction kUpdateCurr{"update_curr", "kernel/sched/fair.c", 420, 3};
const KernelFunction kUpdateMinVruntime{"update_min_vruntime", "kernel/sched/fair.c", 96, 0};
const KernelFunction kCpuacctCharge{"cpuacct_charge", "kernel/sched/cpuacct.c", 96, 0};

void update_min_vruntime(KPtr<CfsRq> cfs) {
    const InlineFrame frame(kUpdateMinVruntime);
    u64 vruntime = cfs->min_vruntime;
    const KPtr<SchedEntity> curr = cfs->curr.get();
    const KPtr<RbNode> leftmost = cfs->rb_leftmost.get();
    if (curr) vruntime = curr->vruntime;
    if (leftmost) {
        const KPtr<SchedEntity> first(SchedEntity::of(leftmost.get()), leftmost.token());
        const u64 waiting = first->vruntime;
        vruntime = curr ? min_vruntime(vruntime, waiting) : waiting;
        run(2);
    }
    run(9);
    // Written whether it changes or not.
    const u64 old = cfs->min_vruntime;
    cfs->min_vruntime = max_vruntime(old, vruntime);
}

}  // namespace

void cpuacct_charge(KPtr<TaskStruct> p, u64 ns) {
    const Frame frame(kCpuacctCharge);
    SchedGlobals& g = sched_globals();
    Kernel& k = kernel();
    if (k.sw().cpuacct_remote) {
        // The counter of the CPU that the task runs on: another CPU's line when that is not ours.
        const Loaded<int> cpu = task_cpu(p);
        const Loaded<u64> css = p->cgroups.load();
        g_next_dep = css.token;
        const Loaded<u64> acct = g.css_cpuacct.load();
        g_next_dep = acct.token;
        const Loaded<u64> usage = g.cpuacct_usage_ptr.load();
        g_next_dep = cpu.token;
        const Loaded<u64> offset = k.per_cpu_offset(static_cast<unsigned>(cpu.value)).load();
        g_next_dep = usage.token.ready > offset.token.ready ? usage.token : offset.token;
        k.percpu(static_cast<unsigned>(cpu.value)).cpuacct_usage += ns;
        g_next_dep = acct.token;
        (void)g.cpuacct_parent.load();
        run(5);
        return;
    }
    const Loaded<Addr> top = p->sp0.load();
    g_next_dep = top.token;
    (void)p.get()->pt_regs_cs.load();  // user or system time
    const Loaded<u64> css = p->cgroups.load();
    g_next_dep = css.token;
    const Loaded<u64> acct = g.css_cpuacct.load();
    g_next_dep = acct.token;
    const Loaded<u64> usage = g.cpuacct_usage_ptr.load();
    g_next_dep = usage.token;
    k.percpu(smp_processor_id()).cpuacct_usage += ns;
    g_next_dep = acct.token;
    (void)g.cpuacct_parent.load();
    run(6);
}

void update_curr(KPtr<CfsRq> cfs) {
    const Frame frame(kUpdateCurr);
    const SchedSwitches& sw = kernel().sw();
    const KPtr<Rq> rq = cfs->rq.get();
    const KPtr<SchedEntity> curr = cfs->curr.get();
    const u64 now = rq->clock_task;
    run(4);
    if (!curr) return;
    const u64 start = curr->exec_start;
    const u64 delta = now - start;
    run(2);
    if (static_cast<s64>(delta) <= 0) return;

    curr->exec_start = now;
    if (sw.schedstats) {
        const u64 longest = curr->statistics.exec_max;
        curr->statistics.exec_max = delta > longest ? delta : longest;
        run(2);
    } else if (sw.schedstats_switchable) {
        run(1);  // the NOP of the static branch
    }
    curr->sum_exec_runtime += delta;
    if (sw.schedstats) {
        cfs->exec_clock += delta;
    } else if (sw.schedstats_switchable) {
        run(1);
    }
    const u64 weighted = calc_delta_fair(delta, curr);
    curr->vruntime += weighted;
    update_min_vruntime(cfs);
    run(3);
    if (entity_is_task(curr)) {
        const KPtr<TaskStruct> task(curr.get()->task, curr.token());
        run(4);
        cpuacct_charge(task, delta);
        account_group_exec_runtime(task, delta);
    }
    run(1);  // CFS bandwidth: a static branch, off while no group has a quota
}

}  // namespace linefill::kernel
