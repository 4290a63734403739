// SPDX-License-Identifier: Apache-2.0
// schedule(), the context switch, and the idle class (kernel/sched/core.c of v4.7; kernel-paths c.5).
#include "kernel/kernel.h"
#include "kernel/process/process.h"
#include "kernel/sched/core.h"
#include "kernel/sched/fair.h"
#include "model/sim/error.h"

namespace linefill::kernel {

namespace {

const KernelFunction kSchedule{"schedule", "kernel/sched/core.c", 70, 1};
const KernelFunction kDoSchedule{"__schedule", "kernel/sched/core.c", 1722, 6};
const KernelFunction kFinishSwitch{"finish_task_switch", "kernel/sched/core.c", 370, 4};
const KernelFunction kSwitchTo{"__switch_to", "arch/x86/kernel/process_64.c", 560, 4};
const KernelFunction kSwitchMm{"switch_mm", "arch/x86/include/asm/mmu_context.h", 170, 2};

void set_mm_bit(MmStruct& mm, unsigned cpu, bool set) {
    const u64 bit = u64{1} << cpu;
    mm.cpu_vm_mask.locked([&](u64& v) { v = set ? v | bit : v & ~bit; });
}

void switch_mm(KPtr<MmStruct> prev, KPtr<MmStruct> next) {
    const Frame frame(kSwitchMm);
    const unsigned cpu = smp_processor_id();
    Field<u64>& state = kernel().percpu(cpu).tlb_state;
    state = 1;  // TLBSTATE_OK
    run(4);
    if (prev == next.get()) {
        const u64 mask = next->cpu_vm_mask;
        if ((mask >> cpu & 1) != 0) return;
        // This CPU was lazy long enough for another to have flushed without it.
        set_mm_bit(*next.get(), cpu, true);
    } else {
        set_mm_bit(*next.get(), cpu, true);
        (void)next->pgd.load();
    }
    model::this_hw_thread().serialise(kernel().cr3_cost(), model::CpiComponent::kTlb);
    if (!(prev == next.get())) set_mm_bit(*prev.get(), cpu, false);
}

KPtr<TaskStruct> pick_next_task(KPtr<Rq> rq, KPtr<TaskStruct> prev) {
    Kernel& k = kernel();
    Rq& own = *rq.get();
    if (own.active_balance.peek() == 1) {
        // The stopper thread outranks all: its work is done on the idle task's stack.
        call_class(prev, &SchedClass::ptr_put_prev_task,
                   [&](const SchedClass& c) { c.put_prev_task(rq, prev); });
        own.active_balance = 2;
        return own.idle.get();
    }
    const KPtr<const SchedClass> cls = prev->sched_class.get();
    const u32 running = own.nr_running;
    const u32 fair = own.cfs.h_nr_running;
    run(4);
    if (!(cls == &k.fair_class() && running == fair)) run(14);  // stop, deadline, real-time: empty
    const KPtr<TaskStruct> p = pick_next_task_fair(rq, prev);
    if (p) return p;
    call_class(prev, &SchedClass::ptr_put_prev_task,
               [&](const SchedClass& c) { c.put_prev_task(rq, prev); });
    if (k.sw().schedstats) own.sched_goidle += 1;
    run(6);
    return own.idle.get();
}

void context_switch(KPtr<Rq> rq, KPtr<TaskStruct> prev, KPtr<TaskStruct> next) {
    Kernel& k = kernel();
    const unsigned cpu = smp_processor_id();
    sched_info_switch(rq, prev, next);
    next->on_cpu = 1;
    const KPtr<MmStruct> mm = next->mm.get();
    const KPtr<MmStruct> old = prev->active_mm.get();
    run(6);
    if (!mm) {
        // A kernel thread borrows what is loaded.
        next->active_mm = old.get();
        g_next_dep = old.token();
        old.get()->mm_count.fetch_add(1);
        Field<u64>& state = k.percpu(cpu).tlb_state;
        const u64 now = state;
        if (now == 1) state = 2;  // TLBSTATE_LAZY
    } else {
        switch_mm(old, mm);
    }
    const KPtr<MmStruct> own = prev->mm.get();
    if (!own) {
        prev->active_mm = nullptr;
        rq->prev_mm = old.get();
    }
    count_software_event(*prev.get(), model::Event::kContextSwitches);
    k.hooks().switching(cpu, *prev.get(), *next.get());
    k.set_switched_from(cpu, prev.get());
    {
        const Frame frame(kSwitchTo);
        // FPU state, segment registers, TSS; the saved stack pointer is in thread.
        run(90);
        SchedPercpu& pc = k.percpu(cpu);
        pc.current_task = next.get();
        pc.kernel_stack = next.get()->sp0.peek();
    }
    k.set_current(cpu, *next.get());
    model::HwThread& hw = model::this_hw_thread();
    select_task_counters(hw, *next.get());
    hw.switch_context(*next.get()->context);
}

void release_on_cpu(void* task, u64) { static_cast<TaskStruct*>(task)->on_cpu.poke(0); }

void bad_schedule(TaskStruct& t, const std::string& what) {
    throw model::SimulationError(
        "kernel BUG: " + what + ": " + t.name + "/" + std::to_string(t.host_pid),
        kernel().describe_waiters());
}

class IdleClass final : public SchedClass {
public:
    explicit IdleClass(const Place& place) : SchedClass(place, "idle_sched_class") {}
    void enqueue_task(KPtr<Rq>, KPtr<TaskStruct> p, unsigned) const override {
        bad_schedule(*p.get(), "idle task queued");
    }
    void dequeue_task(KPtr<Rq>, KPtr<TaskStruct> p, unsigned) const override {
        bad_schedule(*p.get(), "idle task sleeps");
    }
    void check_preempt_curr(KPtr<Rq> rq, KPtr<TaskStruct>) const override { resched_curr(rq); }
    void put_prev_task(KPtr<Rq> rq, KPtr<TaskStruct>) const override {
        update_rq_runnable_avg(rq, false);
        run(2);
    }
    void task_tick(KPtr<Rq>, KPtr<TaskStruct>) const override { run(1); }
    void update_curr(KPtr<Rq>) const override {}
    int select_task_rq(KPtr<TaskStruct> p, int, u32) const override { return task_cpu(p).value; }
};

}  // namespace

std::unique_ptr<SchedClass> make_idle_class(const Place& at) {
    return std::make_unique<IdleClass>(at);
}

void finish_task_switch(KPtr<TaskStruct> prev) {
    const Frame frame(kFinishSwitch);
    const KPtr<Rq> rq = this_rq();
    const KPtr<MmStruct> mm = rq->prev_mm.get();
    rq->prev_mm = nullptr;
    const s64 state = prev->state;
    run(8);
    // Visible when it drains: until then wakers wait for this CPU to be off the stack.
    TaskStruct& was = *prev.get();
    model::this_hw_thread().store(was.on_cpu.addr(), was.on_cpu.size(), was.on_cpu.id(),
                                  prev.token(), model::StoreEffect{release_on_cpu, &was, 0});
    rq.get()->lock.unlock_irq();
    if (mm) {
        g_next_dep = mm.token();
        mm.get()->mm_count.fetch_add(-1);
    }
    if (state == kTaskDead) put_task_struct(was);
}

void do_schedule() {
    const Frame frame(kDoSchedule);
    Kernel& k = kernel();
    TaskStruct& self = current();
    const BankScope bank(CounterBank::kSwitch);
    k.hooks().schedule_begin(smp_processor_id(), self);

    KPtr<Rq> rq = this_rq();
    const KPtr<TaskStruct> prev = rq->curr.get();
    if (prev.get() != &self) bad_schedule(self, "run queue names another task as current");
    if (k.irq_depth(smp_processor_id()) != 0) bad_schedule(self, "scheduling in an interrupt");
    if (k.sw().schedstats) rq->sched_count += 1;
    local_irq_disable();
    run(12);  // RCU's note of the switch
    rq.get()->lock.lock();
    const bool skips = k.spec().at_least(KernelVersion::kV4_2);
    if (skips) {
        const int skip = rq->clock_skip_update;
        rq->clock_skip_update = skip << 1;
    }
    Field<u64> TaskStruct::*switches = &TaskStruct::nivcsw;
    const s64 state = prev->state;
    run(6);
    if (state != kTaskRunning) {
        deactivate_task(rq, prev, kDequeueSleep);
        prev->on_rq = 0;
        switches = &TaskStruct::nvcsw;
    }
    const int queued = prev->on_rq;
    if (queued == kTaskOnRqQueued) update_rq_clock(rq);
    const KPtr<TaskStruct> next = pick_next_task(rq, prev);
    // clear_tsk_need_resched: lock and.
    self.thread_info.flags.locked([](u32& f) { f &= ~kTifNeedResched; });
    rq->clock_skip_update = 0;
    run(6);
    if (next == prev.get()) {
        rq.get()->lock.unlock_irq();
    } else {
        rq->nr_switches += 1;
        rq->curr = next.get();
        self.*switches += 1;
        context_switch(rq, prev, next);
        // Back on this stack, maybe on another CPU; whoever ran there before us is to be finished.
        finish_task_switch(k.switched_from(smp_processor_id()));
    }
    k.hooks().schedule_end(smp_processor_id(), self);
}

void schedule() {
    const Frame frame(kSchedule);
    run(4);
    do {
        do_schedule();
    } while (need_resched());
}

void schedule_tail() {
    Kernel& k = kernel();
    finish_task_switch(k.switched_from(smp_processor_id()));
    TaskStruct& self = current();
    self.counters.selected = CounterBank::kCall;
    select_task_counters(model::this_hw_thread(), self);
    k.hooks().schedule_end(smp_processor_id(), self);
}

void set_current_state(s64 state) { current().state.xchg(state); }

void __set_current_state(s64 state) { current().state = state; }

void yield() {
    const KPtr<Rq> rq = this_rq();
    g_next_dep = rq.token();
    rq.get()->lock.lock_irq();
    const u32 running = rq->nr_running;
    if (running > 1) {
        const KPtr<CfsRq> cfs(&rq.get()->cfs, rq.token());
        clear_buddies(cfs, task_se(&current()));
        update_rq_clock(rq);
        update_curr(cfs);
        set_skip_buddy(task_se(&current()));
    }
    rq.get()->lock.unlock_irq();
    schedule();
}

}  // namespace linefill::kernel
