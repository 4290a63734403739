// SPDX-License-Identifier: Apache-2.0
// Load balancing: moving tasks between two queues (kernel/sched/fair.c of v4.7; kernel-paths h).
#include <algorithm>
#include <vector>

#include "kernel/kernel.h"
#include "kernel/sched/balance.h"
#include "kernel/sched/core.h"
#include "kernel/sched/globals.h"
#include "kernel/sched/weight.h"
#include "kernel/time/clock.h"

namespace linefill::kernel {

namespace {

const KernelFunction kLoadBalance{"load_balance", "kernel/sched/fair.c", 2900, 6};
const KernelFunction kDetachTasks{"detach_tasks", "kernel/sched/fair.c", 900, 6};
const KernelFunction kActiveBalance{"active_load_balance_cpu_stop", "kernel/sched/fair.c", 700, 5};

int cpu_of(KPtr<Rq> rq) { return rq->cpu; }

u64 task_load(KPtr<TaskStruct> p) {
    return kernel().sw().per_entity_avg ? u64{p->se.avg.load_avg_contrib} : u64{p->se.avg.load_avg};
}

KPtr<Rq> find_busiest_queue(const LbEnv& env, KPtr<SchedGroup> group) {
    KPtr<Rq> busiest;
    u64 busiest_load = 0;
    u64 busiest_capacity = 1;
    const u64 mask = group->cpumask;
    for_each_cpu(mask, [&](int cpu) {
        const KPtr<Rq> rq = cpu_rq({cpu, {}});
        const u64 capacity = rq->cpu_capacity;
        const u64 load = weighted_cpuload(cpu);
        const u32 running = rq->nr_running;
        run(8);
        if (running == 1 && load > env.imbalance) return;
        if (load * busiest_capacity > busiest_load * capacity) {
            busiest_load = load;
            busiest_capacity = capacity;
            busiest = rq;
        }
    });
    return busiest;
}

bool task_hot(const LbEnv& env, KPtr<TaskStruct> p) {
    const u32 running = env.dst_rq->nr_running;
    if (running != 0) {
        const KPtr<SchedEntity> next = env.src_rq->cfs.next.get();
        const KPtr<SchedEntity> last = env.src_rq->cfs.last.get();
        const SchedEntity* se = &p.get()->se;
        if (next == se || last == se) return true;
    }
    const u64 now = env.src_rq->clock_task;
    const u64 start = p->se.exec_start;
    run(4);
    return static_cast<s64>(now - start) < static_cast<s64>(kSchedMigrationCostNs);
}

bool can_migrate_task(const LbEnv& env, KPtr<TaskStruct> p) {
    const SchedSwitches& sw = kernel().sw();
    const u64 allowed = p->cpus_allowed;
    run(4);
    if ((allowed >> env.dst_cpu & 1) == 0) {
        if (sw.schedstats) p->se.statistics.nr_failed_migrations_affine += 1;
        return false;
    }
    const KPtr<TaskStruct> curr = env.src_rq->curr.get();
    const int on_cpu = p->on_cpu;
    if (curr == p || on_cpu != 0) {
        if (sw.schedstats) p->se.statistics.nr_failed_migrations_running += 1;
        return false;
    }
    const bool hot = task_hot(env, p);
    const u32 failed = env.sd->nr_balance_failed;
    const u32 tries = env.sd->cache_nice_tries;
    run(3);
    if (!hot || failed > tries) return true;
    if (sw.schedstats) p->se.statistics.nr_failed_migrations_hot += 1;
    return false;
}

void detach_task(const LbEnv& env, KPtr<TaskStruct> p) {
    p->on_rq = kTaskOnRqMigrating;
    deactivate_task(env.src_rq, p, 0);
    set_task_cpu(p, env.dst_cpu);
}

void attach_task(KPtr<Rq> rq, KPtr<TaskStruct> p) {
    activate_task(rq, p, 0);
    p->on_rq = kTaskOnRqQueued;
    check_preempt_curr(rq, p);
}

/// Takes tasks off env.src_rq, whose lock is held, until the imbalance is gone.
std::vector<TaskStruct*> detach_tasks(LbEnv& env) {
    const Frame frame(kDetachTasks);
    std::vector<TaskStruct*> moved;
    const u32 queued = env.src_rq->nr_running;
    const unsigned most = std::min(queued, kSchedNrMigrate);
    for (unsigned i = 0; i < most; ++i) {
        Rq& src = *env.src_rq.get();
        const KPtr<SchedEntity> first = src.cfs_tasks.first();
        if (!first) break;
        const u32 running = src.nr_running;
        run(4);
        if (env.idle != CpuIdle::kNotIdle && running <= 1) break;
        const KPtr<TaskStruct> p(first.get()->task, first.token());
        const u64 load = can_migrate_task(env, p) ? task_load(p) : ~u64{0};
        if (load == ~u64{0} || load / 2 > env.imbalance) {
            list_del(src.cfs_tasks, *first.get(), &SchedEntity::group_node);
            list_add_tail(src.cfs_tasks, *first.get(), &SchedEntity::group_node);
            continue;
        }
        detach_task(env, p);
        moved.push_back(p.get());
        run(6);
        if (env.idle == CpuIdle::kNewlyIdle || env.imbalance <= load) break;
        env.imbalance -= load;
    }
    return moved;
}

/// Only the group's first idle CPU works, or its first when none is idle; a newly idle one always.
bool should_we_balance(const LbEnv& env) {
    if (env.idle == CpuIdle::kNewlyIdle) return true;
    const KPtr<SchedGroup> local = env.sd->groups.get();
    const u64 mask = local->cpumask;
    int chosen = -1;
    for (u64 m = mask; m != 0 && chosen == -1; m &= m - 1) {
        const int cpu = __builtin_ctzll(m);
        if (idle_cpu(cpu)) chosen = cpu;
        run(3);
    }
    if (chosen == -1) chosen = __builtin_ctzll(mask);
    return chosen == env.dst_cpu;
}

void double_interval(KPtr<SchedDomain> sd) {
    const u32 interval = sd->balance_interval;
    const u64 longest = sd->max_interval;
    if (interval < longest) sd->balance_interval = interval * 2;
}

/// Nothing could be moved off the queue, whose tasks run: asks its CPU to push one.
bool start_active_balance(LbEnv& env) {
    Rq& busiest = *env.src_rq.get();
    const IrqFlags flags = busiest.lock.lock_irqsave();
    const KPtr<TaskStruct> curr = busiest.curr.get();
    const u64 allowed = curr->cpus_allowed;
    bool started = false;
    if ((allowed >> env.dst_cpu & 1) != 0 && !(curr == busiest.idle.peek())) {
        const int active = busiest.active_balance;
        if (active == 0) {
            busiest.active_balance = 1;
            busiest.push_cpu = env.dst_cpu;
            started = true;
            resched_curr(env.src_rq);
        }
    }
    busiest.lock.unlock_irqrestore(flags);
    return started;
}

}  // namespace

int load_balance(KPtr<SchedDomain> sd, int dst_cpu, CpuIdle idle, bool* keep_going) {
    const Frame frame(kLoadBalance);
    LbEnv env;
    env.sd = sd;
    env.dst_cpu = dst_cpu;
    env.dst_rq = cpu_rq({dst_cpu, {}});
    env.idle = idle;
    run(30);
    if (!should_we_balance(env)) {
        *keep_going = false;
        double_interval(sd);
        return 0;
    }
    const KPtr<SchedGroup> group = find_busiest_group(env);
    if (group) env.src_rq = find_busiest_queue(env, group);
    if (!group || !env.src_rq || env.src_rq == env.dst_rq.get()) {
        sd->nr_balance_failed = 0;
        double_interval(sd);
        return 0;
    }
    env.src_cpu = cpu_of(env.src_rq);
    int moved = 0;
    const u32 queued = env.src_rq->nr_running;
    run(4);
    if (queued > 1) {
        IrqFlags flags = env.src_rq->lock.lock_irqsave();
        const std::vector<TaskStruct*> tasks = detach_tasks(env);
        env.src_rq.get()->lock.unlock();
        if (!tasks.empty()) {
            env.dst_rq->lock.lock();
            for (TaskStruct* p : tasks) attach_task(env.dst_rq, p);
            env.dst_rq.get()->lock.unlock();
        }
        local_irq_restore(flags);
        moved = static_cast<int>(tasks.size());
    }
    bool active = false;
    if (moved == 0) {
        if (idle != CpuIdle::kNewlyIdle) sd->nr_balance_failed += 1;
        const u32 failed = sd->nr_balance_failed;
        const u32 tries = sd->cache_nice_tries;
        run(4);
        if (idle != CpuIdle::kNewlyIdle && failed > tries + 2) {
            active = start_active_balance(env);
            sd->nr_balance_failed = tries + 1;
        }
    } else {
        sd->nr_balance_failed = 0;
    }
    if (active) {
        double_interval(sd);
    } else {
        const u64 shortest = sd->min_interval;
        sd->balance_interval = static_cast<u32>(shortest);
    }
    return moved;
}

void active_load_balance() {
    const Frame frame(kActiveBalance);
    const KPtr<Rq> rq = this_rq();
    Rq& busiest = *rq.get();
    const IrqFlags flags = busiest.lock.lock_irqsave();
    const int target = busiest.push_cpu;
    busiest.active_balance = 0;
    const u32 queued = busiest.nr_running;
    run(10);
    TaskStruct* moved = nullptr;
    TaskStruct* const named = busiest.push_task;
    busiest.push_task = nullptr;
    if (queued != 0) {
        // The domain that both CPUs lie in.
        KPtr<SchedDomain> sd = cpu_rq({target, {}})->sd.get();
        for (; sd; sd = sd->parent.get()) {
            const u64 span = sd->span;
            if ((span >> busiest.host_cpu & 1) != 0) break;
        }
        update_rq_clock(rq);
        LbEnv env;
        env.sd = sd;
        env.dst_cpu = target;
        env.dst_rq = cpu_rq({target, {}});
        env.src_rq = rq;
        for (KPtr<SchedEntity> se = busiest.cfs_tasks.first(); se && sd;
             se = se->group_node.first()) {
            const KPtr<TaskStruct> p(se.get()->task, se.token());
            if (named != nullptr ? !(p == named) : !can_migrate_task(env, p)) continue;
            detach_task(env, p);
            moved = p.get();
            break;
        }
        busiest.lock.unlock();
        if (moved != nullptr) {
            env.dst_rq->lock.lock();
            attach_task(env.dst_rq, moved);
            env.dst_rq.get()->lock.unlock();
        }
    } else {
        busiest.lock.unlock();
    }
    local_irq_restore(flags);
}

}  // namespace linefill::kernel
