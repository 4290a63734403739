// SPDX-License-Identifier: Apache-2.0
// Creating tasks (kernel/fork.c and the scheduler's part of it in kernel/sched/core.c, v4.7).
#include <utility>

#include "kernel/kernel.h"
#include "kernel/mm/memory.h"
#include "kernel/process/process.h"
#include "kernel/sched/core.h"
#include "kernel/sched/fair.h"
#include "model/machine.h"

namespace linefill::kernel {

namespace {

const KernelFunction kDoFork{"_do_fork", "kernel/fork.c", 520, 6};
const KernelFunction kCopyProcess{"copy_process", "kernel/fork.c", 5200, 6};
const KernelFunction kSchedFork{"sched_fork", "kernel/sched/core.c", 420, 4};
const KernelFunction kWakeUpNew{"wake_up_new_task", "kernel/sched/core.c", 300, 4};

/// Objects that live as long as the kernel: processes' shared parts.
template <class T, class... Args>
T& keep(Args&&... args) {
    static std::vector<std::unique_ptr<T>> all;
    all.push_back(std::make_unique<T>(std::forward<Args>(args)...));
    return *all.back();
}

template <class T>
T& make_shared_part(const char* structure, const char* cache, unsigned node) {
    Kernel& k = kernel();
    const Layout& layout = k.layout();
    const Addr base = k.memory().alloc_object(cache, layout.size_of(structure), 64, node);
    return keep<T>(Place{&layout, structure, "", base});
}

/// signal_struct, sighand_struct and, unless shared, mm of a new process; host side.
void make_process_parts(TaskStruct& p, unsigned node, MmStruct* mm) {
    SignalStruct& sig = make_shared_part<SignalStruct>("signal_struct", "signal_cache", node);
    SighandStruct& hand = make_shared_part<SighandStruct>("sighand_struct", "sighand_cache", node);
    if (mm == nullptr) mm = &make_shared_part<MmStruct>("mm_struct", "mm_struct", node);
    p.signal.poke(&sig);
    p.sighand.poke(&hand);
    p.mm.poke(mm);
    p.active_mm.poke(mm);
    p.group_leader.poke(&p);
    p.tgid.poke(p.host_pid);
    sig.thread_head.next.poke(&p);
    sig.thread_head.prev.poke(&p);
}

void set_pid(TaskStruct& p, int pid) {
    p.host_pid = pid;
    p.pid.poke(pid);
    p.pi_lock.set_instance(static_cast<u32>(pid));
}

/// Runs as the new task: the switch is finished, then user mode.
void start_user_task(const std::function<void()>& entry) {
    schedule_tail();
    model::HwThread& hw = model::this_hw_thread();
    hw.set_kernel_mode(false);
    entry();
}

void sched_fork(KPtr<TaskStruct> p) {
    const Frame frame(kSchedFork);
    TaskStruct& me = current();
    TaskStruct& child = *p.get();
    run(40);
    child.on_rq = 0;
    child.se.on_rq = 0;
    child.se.exec_start = 0;
    child.se.sum_exec_runtime = 0;
    child.se.prev_sum_exec_runtime = 0;
    child.se.nr_migrations = 0;
    child.se.vruntime = 0;
    child.state = kTaskRunning;
    const int prio = me.normal_prio;
    child.prio = prio;
    child.static_prio = int{me.static_prio};
    child.normal_prio = prio;
    child.se.load.weight = u64{me.se.load.weight};
    child.se.load.inv_weight = u32{me.se.load.inv_weight};
    child.cpus_allowed = u64{me.cpus_allowed};
    child.nr_cpus_allowed = int{me.nr_cpus_allowed};
    const IrqFlags flags = child.pi_lock.lock_irqsave();
    task_fork_fair(p);
    child.pi_lock.unlock_irqrestore(flags);
    child.on_cpu = 0;
}

void copy_signal(TaskStruct& me, TaskStruct& child) {
    const KPtr<SignalStruct> sig = me.signal.get();
    const KPtr<SighandStruct> hand = me.sighand.get();
    child.signal = sig.get();
    child.sighand = hand.get();
    g_next_dep = sig.token();
    sig.get()->sigcnt.fetch_add(1);
    sig.get()->live.fetch_add(1);
    sig.get()->nr_threads += 1;
    hand.get()->count.fetch_add(1);
    child.group_leader = me.group_leader.get().get();
    child.tgid = int{me.tgid};
}

}  // namespace

TaskStruct& do_fork(const CloneFlags& clone, const std::string& name, std::function<void()> entry) {
    const Frame frame(kDoFork);
    Kernel& k = kernel();
    TaskStruct& me = current();
    const unsigned node = k.machine().node_of(smp_processor_id());
    const KPtr<TaskStruct> p(&k.add_task(alloc_task(name, node)));
    TaskStruct& child = *p.get();
    set_pid(child, k.next_pid());
    child.counted = me.counted;
    give_context(child, [entry = std::move(entry)] { start_user_task(entry); });
    {
        const Frame copy(kCopyProcess);
        // dup_task_struct: the parent's structure is copied word by word; the cost of the copy and of
        // the many small steps between is charged as instructions, what scheduling reads as accesses.
        run(1600);
        sched_fork(p);
        if (clone.thread) {
            copy_signal(me, child);
            const KPtr<MmStruct> mm = me.mm.get();
            g_next_dep = mm.token();
            mm.get()->mm_users.fetch_add(1);
            child.mm = mm.get();
            child.active_mm = mm.get();
        } else {
            make_process_parts(child, node, clone.vm ? me.mm.peek() : nullptr);
            run(900);
        }
        run(600);
        if (clone.thread) {
            SighandStruct& hand = *child.sighand.peek();
            hand.siglock.lock_irq();
            list_add_tail(child.signal.peek()->thread_head, child, &TaskStruct::thread_node);
            hand.siglock.unlock_irq();
        }
    }
    k.hooks().forked(me, child);
    wake_up_new_task(child);
    return child;
}

TaskStruct& make_init_task(const std::string& name, std::function<void()> entry, unsigned cpu) {
    Kernel& k = kernel();
    const unsigned node = k.machine().node_of(cpu);
    TaskStruct& p = k.add_task(alloc_task(name, node));
    set_pid(p, k.next_pid());
    p.counted = true;
    make_process_parts(p, node, nullptr);
    p.thread_info.cpu.poke(cpu);
    p.wake_cpu.poke(static_cast<int>(cpu));
    p.se.cfs_rq.poke(&k.rq(cpu).cfs);
    give_context(p, [entry = std::move(entry)] { start_user_task(entry); });
    return p;
}

void wake_up_new_task(TaskStruct& task) {
    const Frame frame(kWakeUpNew);
    const KPtr<TaskStruct> p(&task);
    const IrqFlags flags = task.pi_lock.lock_irqsave();
    const int cpu = select_task_rq_fair(p, task_cpu(p).value, kSdBalanceFork, false);
    set_task_cpu(p, cpu);
    init_entity_load(p);
    const KPtr<Rq> rq = task_rq(p);
    rq->lock.lock();
    activate_task(rq, p, 0);
    p->on_rq = kTaskOnRqQueued;
    check_preempt_curr(rq, p);
    rq.get()->lock.unlock();
    task.pi_lock.unlock_irqrestore(flags);
}

}  // namespace linefill::kernel
