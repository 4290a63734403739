// SPDX-License-Identifier: Apache-2.0
// The mini-kernel: construction, boot, the first task.
#include "kernel/kernel.h"

#include <algorithm>
#include <utility>

#include "kernel/base/place.h"
#include "kernel/irq/irq.h"
#include "kernel/lock/lock_system.h"
#include "kernel/mm/memory.h"
#include "kernel/process/process.h"
#include "kernel/sched/core.h"
#include "kernel/sched/globals.h"
#include "kernel/sched/topology.h"
#include "kernel/time/clock.h"
#include "kernel/time/tick.h"
#include "model/machine.h"
#include "model/sim/error.h"

namespace linefill::kernel {

namespace {

Kernel* g_kernel = nullptr;
KernelHooks g_no_hooks;

SchedSwitches switches_of(const KernelSpec& spec) {
    SchedSwitches s;
    s.update_curr_on_clock_read = spec.has(update_curr_on_clock_read);
    s.prefetch_curr_exec_start = spec.has(prefetch_curr_exec_start);
    s.no_pending_runtime = spec.has(no_pending_runtime);
    s.schedstats = spec.schedstats_on();
    s.schedstats_switchable = spec.schedstats_switchable();
    s.cpuacct_remote = !spec.cpuacct_charges_local();
    s.cputimer_atomic = spec.cputimer_is_atomic();
    s.per_entity_avg = !spec.at_least(KernelVersion::kV4_4);
    // From v4.7 on weights have ten more bits on 64-bit machines.
    s.load_shift = spec.at_least(KernelVersion::kV4_7Rc7) ? 10 : 0;
    s.nice_0_load = u64{1024} << s.load_shift;
    return s;
}

model::Tick latency_ticks(const model::Latency& l, double ghz) {
    return model::ticks_from_ns(l.to_ns(ghz));
}

std::string name_of_field(FieldId id) {
    const FieldInfo& f = FieldRegistry::instance().info(id);
    return f.structure + "." + f.field;
}

}  // namespace

Kernel& kernel() { return *g_kernel; }

Kernel::Kernel(model::Machine& machine, const KernelSpec& spec, const Layout& layout,
               const KernelOptions& options)
    : machine_(machine),
      spec_(spec),
      layout_(layout),
      options_(options),
      switches_(switches_of(spec)),
      cpus_(machine.cpus()),
      hooks_(&g_no_hooks),
      current_(cpus_, nullptr),
      switched_from_(cpus_, nullptr),
      irq_(std::make_unique<InterruptDispatch>(cpus_)) {
    g_kernel = this;
    machine.set_field_namer(name_of_field);
    memory_ = std::make_unique<Memory>(machine, options);
    const double ghz = machine.platform().clock.base_ghz;
    cr3_cost_ = latency_ticks(machine.platform().core.cr3_write, ghz);
    if (!machine.platform().idle_states.empty()) {
        idle_exit_latency_ = latency_ticks(machine.platform().idle_states.front().exit, ghz);
    }
    model::Random phases(options.seed, "tick phase");
    const std::uint64_t tick_ns = 1'000'000'000ULL / static_cast<unsigned>(spec.hz());
    if (options.draws.tick_phase) tick_phase_ns_ = phases.below(tick_ns);
    // Half a tick is divided over the CPUs.
    if (spec.skew_tick()) tick_skew_ns_ = tick_ns / 2 / cpus_;
    if (options.draws.init_cpu) {
        init_cpu_ = static_cast<unsigned>(model::Random(options.seed, "init cpu").below(cpus_));
    }
}

Kernel::~Kernel() {
    machine_.set_interrupt_sink(nullptr);
    drop_sched_globals();
    if (g_kernel == this) g_kernel = nullptr;
}

void Kernel::set_hooks(KernelHooks* hooks) { hooks_ = hooks != nullptr ? hooks : &g_no_hooks; }

unsigned Kernel::irq_depth(unsigned cpu) const { return irq_->depth(cpu); }

void Kernel::boot() {
    Memory& m = *memory_;
    lock_system().configure(spec_.lock_kind(), options_.mcs_queueing, cpus_, m);
    clock_init(cpus_, machine_.tsc_ghz() * 1e9, spec_.hz(), layout_, m);
    make_sched_globals(m, layout_, cpus_);
    topology_ = std::make_unique<SchedTopology>(machine_, m, layout_);
    const auto global = [&](const char* structure, const char* symbol) {
        return Place{&layout_, structure, "", m.data(symbol, layout_.size_of(structure), 64)};
    };
    fair_class_ = make_fair_class(global("sched_class", "fair_sched_class"));
    idle_class_ = make_idle_class(global("sched_class", "idle_sched_class"));
    root_task_group_ = std::make_unique<TaskGroup>(global("task_group", "root_task_group"));
    init_mm_ = std::make_unique<MmStruct>(global("mm_struct", "init_mm"));
    const Addr offsets = m.data("__per_cpu_offset", 64 * 8, 64);
    const FieldId offset_id = FieldRegistry::instance().id("global", "__per_cpu_offset", 0, 8);
    for (unsigned cpu = 0; cpu < cpus_; ++cpu) {
        per_cpu_offset_.push_back(std::make_unique<Field<u64>>(offsets + Addr{cpu} * 8, 8,
                                                               offset_id, m.per_cpu_base(cpu)));
        percpu_.push_back(
            std::make_unique<SchedPercpu>(cpu, topology_->llc_id(cpu), topology_->llc_size(cpu)));
        const Addr rq_base = m.per_cpu("runqueues", cpu, layout_.size_of("rq"), 64);
        rqs_.push_back(std::make_unique<Rq>(Place{&layout_, "rq", "", rq_base}, cpu));
    }
    tick_init(cpus_, layout_, m);
    for (unsigned cpu = 0; cpu < cpus_; ++cpu) {
        auto idle = alloc_task("swapper/" + std::to_string(cpu), machine_.node_of(cpu));
        Rq& rq = *rqs_[cpu];
        idle->is_idle = true;
        idle->sched_class.poke(idle_class_.get());
        idle->on_cpu.poke(1);
        idle->on_rq.poke(kTaskOnRqQueued);
        idle->active_mm.poke(init_mm_.get());
        idle->thread_info.cpu.poke(cpu);
        idle->pi_lock.set_instance(0);
        rq.curr.poke(idle.get());
        rq.idle.poke(idle.get());
        rq.rd.poke(sched_globals().root_domain.get());
        rq.sd.poke(topology_->lowest(cpu));
        rq.cfs.tg.poke(root_task_group_.get());
        percpu_[cpu]->current_task.poke(idle.get());
        current_[cpu] = idle.get();
        give_context(*idle, [this, cpu] { begin_cpu(cpu); });
        idle_.push_back(std::move(idle));
    }
    for (unsigned cpu = 0; cpu < cpus_; ++cpu) {
        // All busy until each has gone idle for the first time.
        SchedDomain* llc = topology_->llc(cpu);
        SchedDomain* above = llc != nullptr ? llc->parent.peek() : nullptr;
        if (above != nullptr) above->groups.peek()->sgc.peek()->nr_busy_cpus.host() += 1;
    }
    m.end_boot();
    machine_.set_interrupt_sink(irq_.get());
    for (unsigned cpu = 0; cpu < cpus_; ++cpu) machine_.start(cpu, *idle_[cpu]->context);
}

void Kernel::begin_cpu(unsigned cpu) {
    model::HwThread& hw = machine_.hw(cpu);
    hw.set_kernel_mode(true);
    select_task_counters(hw, *idle_[cpu]);
    tick_setup_sched_timer(tick_phase_ns_ + tick_skew_ns_ * cpu);
    if (cpu == init_cpu_ && init_ != nullptr) wake_up_new_task(*init_);
    local_irq_enable();
    schedule();
    cpu_idle_loop();
}

TaskStruct& Kernel::create_init(const std::string& name, std::function<void()> entry) {
    init_ = &make_init_task(name, std::move(entry), init_cpu_);
    return *init_;
}

TaskStruct& Kernel::add_task(std::unique_ptr<TaskStruct> task) {
    tasks_.push_back(std::move(task));
    ++live_tasks_;
    return *tasks_.back();
}

void Kernel::task_exited() {
    --live_tasks_;
    if (live_tasks_ == 0 && on_last_exit) on_last_exit();
}

std::string Kernel::describe_waiters() {
    std::string text;
    for (unsigned cpu = 0; cpu < rqs_.size(); ++cpu) {
        const Rq& rq = *rqs_[cpu];
        const TaskStruct& t = *current_[cpu];
        if (t.is_idle && !rq.lock.is_locked() && rq.nr_running.peek() == 0) continue;
        text += "CPU " + std::to_string(cpu) + ": runs " + t.name + "/" +
                std::to_string(t.host_pid) + ", " + std::to_string(rq.nr_running.peek()) +
                " runnable";
        if (rq.lock.is_locked()) {
            text += ", rq.lock held by CPU " + std::to_string(rq.lock.holder_cpu());
        }
        text += "\n";
    }
    for (const auto& task : tasks_) {
        if (task->exit_state.peek() == kExitDead) continue;
        text += "task " + task->name + "/" + std::to_string(task->host_pid) + ": ";
        if (task->exit_state.peek() == kExitZombie) {
            text += "zombie";
        } else if (task->on_cpu.peek() != 0) {
            text += "runs on CPU " + std::to_string(host_task_cpu(*task));
        } else if (task->on_rq.peek() != 0) {
            text += "waits for CPU " + std::to_string(host_task_cpu(*task));
        } else {
            text += "sleeps";
            if (!task->waiting_for.empty()) text += " for " + task->waiting_for;
        }
        if (task->pi_lock.is_locked()) {
            text += ", pi_lock held by CPU " + std::to_string(task->pi_lock.holder_cpu());
        }
        text += "\n";
    }
    text += machine_.describe_waits();
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

}  // namespace linefill::kernel
