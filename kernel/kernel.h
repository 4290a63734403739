// SPDX-License-Identifier: Apache-2.0
// The mini-kernel on one machine: its configuration, memory, run queues and tasks.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernel/base/field.h"
#include "kernel/hooks.h"
#include "kernel/layout/layout.h"
#include "kernel/version.h"
#include "model/sim/random.h"
#include "model/sim/time.h"

namespace linefill::model {
class Machine;
class HwThread;
}  // namespace linefill::model

namespace linefill::kernel {

class InterruptDispatch;
class Memory;
class SchedTopology;
struct Rq;
struct SchedClass;
struct SchedPercpu;
struct TaskStruct;
struct TaskGroup;
struct MmStruct;

struct KernelOptions {
    std::uint64_t seed = 1;
    /// Per-CPU areas at a whole number of pages' distance, as they are; off (an ablation): staggered
    /// by a few lines, so that the same line of all CPUs' run queues no longer competes for one set.
    bool page_aligned_percpu = true;
    /// Waiters of queued spinlocks queue at nodes of their own; off: they retry on the lock word.
    bool mcs_queueing = true;
    /// What the seed draws. With all of them off every run is the same, whatever the seed.
    struct Draws {
        bool page_frames = true;  ///< where pages lie in a node's memory
        bool freelists = true;    ///< which objects of partial slabs are free
        bool tick_phase = true;   ///< of the timer ticks
        bool init_cpu = true;     ///< the CPU that the first program starts on
    } draws;
};

/// What a later part of the kernel switches on; computed once from the spec.
struct SchedSwitches {
    bool update_curr_on_clock_read = false;
    bool prefetch_curr_exec_start = false;
    bool no_pending_runtime = false;
    bool schedstats = false;             ///< statistics are written
    bool schedstats_switchable = false;  ///< sites cost a NOP when off
    bool cpuacct_remote = false;         ///< charged to the counter of task_cpu(t)
    bool cputimer_atomic = true;
    bool per_entity_avg = false;  ///< v3.8 .. v4.2 load tracking instead of sched_avg sums
    u64 nice_0_load = 1024;
    unsigned load_shift = 0;  ///< weights are scaled up by this many bits
};

class Kernel {
public:
    Kernel(model::Machine& machine, const KernelSpec& spec, const Layout& layout,
           const KernelOptions& options);
    ~Kernel();
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;

    /// Builds run queues, domains and idle tasks, and lets every CPU begin in its idle task at time 0.
    void boot();
    /// The first user process; runs `entry` in user mode. To be called after boot() and before the
    /// machine runs: the boot CPU starts it. `entry` ends by calling do_exit().
    TaskStruct& create_init(const std::string& name, std::function<void()> entry);
    /// The CPU that create_init's task starts on: drawn from the seed.
    unsigned init_cpu() const { return init_cpu_; }

    model::Machine& machine() { return machine_; }
    const KernelSpec& spec() const { return spec_; }
    const Layout& layout() const { return layout_; }
    const KernelOptions& options() const { return options_; }
    const SchedSwitches& sw() const { return switches_; }
    Memory& memory() { return *memory_; }
    SchedTopology& topology() { return *topology_; }
    /// What the layer above installed; never null.
    KernelHooks& hooks() { return *hooks_; }
    void set_hooks(KernelHooks* hooks);  ///< null: none

    unsigned cpus() const { return cpus_; }
    Rq& rq(unsigned cpu) { return *rqs_[cpu]; }
    SchedPercpu& percpu(unsigned cpu) { return *percpu_[cpu]; }
    /// __per_cpu_offset[cpu].
    Field<u64>& per_cpu_offset(unsigned cpu) { return *per_cpu_offset_[cpu]; }
    TaskStruct& current_of(unsigned cpu) { return *current_[cpu]; }
    void set_current(unsigned cpu, TaskStruct& task) {
        current_[cpu] = &task;
        if (on_current_) on_current_(cpu);
    }
    /// `told` is called with each CPU that another task becomes current on.
    void watch_current(std::function<void(unsigned cpu)> told) { on_current_ = std::move(told); }
    /// Who ran on `cpu` before its last switch.
    TaskStruct* switched_from(unsigned cpu) { return switched_from_[cpu]; }
    void set_switched_from(unsigned cpu, TaskStruct* task) { switched_from_[cpu] = task; }
    /// Interrupts that `cpu` is inside of.
    unsigned irq_depth(unsigned cpu) const;
    /// Whether events are directed to banks of the current task (see counter_router.h).
    bool routes_counters() const { return routes_counters_; }
    void set_routes_counters(bool on) { routes_counters_ = on; }
    model::Tick cr3_cost() const { return cr3_cost_; }
    model::Tick idle_exit_latency() const { return idle_exit_latency_; }
    TaskStruct& idle_task(unsigned cpu) { return *idle_[cpu]; }
    const SchedClass& fair_class() const { return *fair_class_; }
    const SchedClass& idle_class() const { return *idle_class_; }
    TaskGroup& root_task_group() { return *root_task_group_; }
    MmStruct& init_mm() { return *init_mm_; }

    /// All tasks ever created but the idle ones, in order of creation.
    const std::vector<std::unique_ptr<TaskStruct>>& tasks() const { return tasks_; }
    TaskStruct& add_task(std::unique_ptr<TaskStruct> task);
    int next_pid() { return ++last_pid_; }
    unsigned live_tasks() const { return live_tasks_; }
    void task_exited();  ///< by do_exit; calls on_last_exit after the last one

    /// Called on the last task's fiber when it has exited; typically stops the machine.
    std::function<void()> on_last_exit;

    /// "lock X: held by CPU a (task), wanted by ..." and why each task sleeps; for deadlock reports.
    std::string describe_waiters();

private:
    model::Machine& machine_;
    KernelSpec spec_;
    Layout layout_;
    KernelOptions options_;
    SchedSwitches switches_;
    unsigned cpus_;
    std::unique_ptr<Memory> memory_;
    std::unique_ptr<SchedTopology> topology_;
    KernelHooks* hooks_;
    std::vector<std::unique_ptr<Field<u64>>> per_cpu_offset_;
    std::vector<std::unique_ptr<SchedPercpu>> percpu_;
    std::vector<std::unique_ptr<Rq>> rqs_;
    std::vector<std::unique_ptr<TaskStruct>> idle_;
    std::vector<TaskStruct*> current_, switched_from_;
    std::function<void(unsigned cpu)> on_current_;
    std::unique_ptr<SchedClass> fair_class_, idle_class_;
    std::unique_ptr<TaskGroup> root_task_group_;
    std::unique_ptr<MmStruct> init_mm_;
    std::vector<std::unique_ptr<TaskStruct>> tasks_;
    int last_pid_ = 1000;
    unsigned live_tasks_ = 0;
    std::unique_ptr<InterruptDispatch> irq_;
    bool routes_counters_ = true;
    model::Tick cr3_cost_ = 0, idle_exit_latency_ = 0;
    TaskStruct* init_ = nullptr;
    unsigned init_cpu_ = 0;
    std::uint64_t tick_phase_ns_ = 0;  // of CPU 0's first tick
    std::uint64_t tick_skew_ns_ = 0;   // from one CPU's tick to the next one's: 0, all at once
    void begin_cpu(unsigned cpu);
};

/// The one instance: one process simulates one machine.
Kernel& kernel();

}  // namespace linefill::kernel
