// SPDX-License-Identifier: Apache-2.0
// Places of the fields of tasks and of what threads share.
#include "kernel/sched/task.h"

#include <utility>

namespace linefill::kernel {

namespace {

constexpr Addr kPtRegsBytes = 168;  // 21 words at the top of the kernel stack
constexpr Addr kPtRegsCs = 136;

Place stack_place(const Place& task, Addr base) { return {task.layout, "thread_info", "", base}; }

Field<u64> pt_regs_cs_field(Addr stack_base) {
    return Field<u64>(stack_base + kThreadSize - kPtRegsBytes + kPtRegsCs, 8,
                      FieldRegistry::instance().id("pt_regs", "cs", kPtRegsCs, 8), kKernelCs);
}

std::unique_ptr<RawSpinlock> optional_lock(const Place& at, const char* field) {
    if (!has_field(at, field)) return nullptr;
    return std::make_unique<RawSpinlock>(at, field);
}

}  // namespace

ThreadInfo::ThreadInfo(const Place& at, TaskStruct& owner)
    : task(at, "task", &owner), flags(at, "flags"), cpu(at, "cpu") {}

MmStruct::MmStruct(const Place& at)
    : pgd(at, "pgd"),
      mm_users(at, "mm_users", 1),
      mm_count(at, "mm_count", 1),
      total_vm(at, "total_vm"),
      cpu_vm_mask(at, "cpu_vm_mask_var"),
      map_count(at, "map_count") {}

SighandStruct::SighandStruct(const Place& at) : count(at, "count", 1), siglock(at, "siglock") {}

ThreadGroupCputimer::ThreadGroupCputimer(const Place& at)
    : cputime(inside(at, either(at, "cputime_atomic", "cputime"))),
      running(at, "running"),
      checking_timer(optional_field<int>(at, "checking_timer")),
      lock(optional_lock(at, "lock")) {}

PrevCputime::PrevCputime(const Place& at)
    : utime(at, "utime"), stime(at, "stime"), lock(optional_lock(at, "lock")) {}

SignalStruct::SignalStruct(const Place& at)
    : sigcnt(at, "sigcnt", 1),
      live(at, "live", 1),
      nr_threads(at, "nr_threads", 1),
      thread_head(at, "thread_head"),
      flags(at, "flags"),
      cputimer(inside(at, "cputimer")),
      cputime_expires(inside(at, "cputime_expires")),
      stats_lock(at, "stats_lock"),
      utime(at, "utime"),
      stime(at, "stime"),
      cutime(at, "cutime"),
      cstime(at, "cstime"),
      gtime(at, "gtime"),
      prev_cputime(inside(at, "prev_cputime")),
      nvcsw(at, "nvcsw"),
      nivcsw(at, "nivcsw"),
      min_flt(at, "min_flt"),
      sum_sched_runtime(at, "sum_sched_runtime"),
      place(at) {}

SchedInfo::SchedInfo(const Place& at)
    : pcount(at, "pcount"),
      run_delay(at, "run_delay"),
      last_arrival(at, "last_arrival"),
      last_queued(at, "last_queued") {}

TaskStruct::TaskStruct(const Place& at, Addr stack_base, std::string task_name)
    : state(at, "state"),
      stack(at, "stack", &thread_info),
      usage(at, "usage", 2),
      flags(at, "flags"),
      wake_entry(at, "wake_entry"),
      on_cpu(at, "on_cpu"),
      last_wakee(at, "last_wakee"),
      wakee_flips(at, "wakee_flips"),
      wakee_flip_decay_ts(at, "wakee_flip_decay_ts"),
      wake_cpu(at, "wake_cpu"),
      on_rq(at, "on_rq"),
      prio(at, "prio", 120),
      static_prio(at, "static_prio", 120),
      normal_prio(at, "normal_prio", 120),
      sched_class(at, "sched_class"),
      se(inside(at, "se"), this),
      sched_task_group(at, "sched_task_group"),
      policy(at, "policy"),
      nr_cpus_allowed(at, "nr_cpus_allowed"),
      cpus_allowed(at, "cpus_allowed"),
      sched_info(inside(at, "sched_info")),
      mm(at, "mm"),
      active_mm(at, "active_mm"),
      exit_state(at, "exit_state"),
      exit_code(at, "exit_code"),
      sched_contributes_to_load(at, "sched_contributes_to_load"),
      sched_remote_wakeup(optional_field<u8>(at, "sched_remote_wakeup")),
      pid(at, "pid"),
      tgid(at, "tgid"),
      group_leader(at, "group_leader"),
      thread_node(at, "thread_node"),
      utime(at, "utime"),
      stime(at, "stime"),
      utimescaled(at, "utimescaled"),
      stimescaled(at, "stimescaled"),
      gtime(at, "gtime"),
      prev_cputime(inside(at, "prev_cputime")),
      nvcsw(at, "nvcsw"),
      nivcsw(at, "nivcsw"),
      min_flt(at, "min_flt"),
      cputime_expires(inside(at, "cputime_expires")),
      cgroups(at, "cgroups"),
      signal(at, "signal"),
      sighand(at, "sighand"),
      pi_lock(at, "pi_lock"),
      sp0(at, "thread.sp0", stack_base + kThreadSize),
      pt_regs_cs(pt_regs_cs_field(stack_base)),
      thread_info(stack_place(at, stack_base), *this),
      name(std::move(task_name)),
      place(at) {}

}  // namespace linefill::kernel
