// SPDX-License-Identifier: Apache-2.0
// The kernels, configuration options and boot parameters that have a name.
#include "kernel/version.h"

namespace linefill::kernel {

const std::vector<VersionInfo>& known_versions() {
    static const std::vector<VersionInfo> kVersions{
        {KernelVersion::kV3_18Rc5, "v3.18-rc5", "v3.18.63",
         "Parent of 6e998916dfe3: 2-byte ticket locks, scheduler statistics always written.", true},
        {KernelVersion::kV4_4, "v4.4", "v4.4.0",
         "Queued spinlocks; memory statistics only by delayed work.", false},
        {KernelVersion::kV4_5Rc1, "v4.5-rc1", "",
         "Scheduler statistics always written when compiled in.", false},
        {KernelVersion::kV4_7Rc7, "v4.7-rc7", "v4.7.4",
         "Queued spinlocks, run-time scheduler statistics; before 6075620b0590.", true},
        {KernelVersion::kV4_8, "v4.8", "v4.8.15", "Has 6075620b0590; new fork and group attach.",
         false},
    };
    return kVersions;
}

const VersionInfo& find_version(std::string_view name) {
    std::vector<std::string> names;
    for (const VersionInfo& v : known_versions()) {
        if (v.name == name) return v;
        names.push_back(v.name);
    }
    throw model::UserError("unknown kernel version")
        .key("kernel")
        .value(std::string(name))
        .expected("one of v3.18-rc5, v4.4, v4.5-rc1, v4.7-rc7, v4.8")
        .nearest(name, names);
}

const std::vector<OptionInfo>& known_config() {
    // Each names the values that kernel code follows; `planned` ones are right but cannot run yet.
    const std::vector<std::string> yes{"y"}, no{"n"}, either{"y", "n"};
    static const std::vector<OptionInfo> kOptions{
        {"CFS_BANDWIDTH", "y", yes, "quota of CPU time per group", no},
        {"CGROUP_CPUACCT", "y", either, "CPU time accounting groups", {}},
        {"DEBUG_SPINLOCK", "n", no, "checks in spinlocks", yes},
        {"FAIR_GROUP_SCHED", "y", yes, "groups of tasks in CFS", no},
        {"HIGH_RES_TIMERS", "y", yes, "high-resolution timers", no},
        {"HZ", "250", {"100", "250", "300", "1000"}, "timer ticks per second", {}},
        {"IRQ_TIME_ACCOUNTING", "n", no, "time of interrupts by the TSC", yes},
        {"LOCKDEP", "n", no, "lock dependency checks", yes},
        {"MEMCG", "y", yes, "memory control groups", no},
        {"NO_HZ_FULL", "n", no, "no tick while one task runs", yes},
        {"NO_HZ_IDLE", "y", yes, "no tick while idle", no},
        {"NR_CPUS",
         "64",
         {"64"},
         "most CPUs the kernel can use",
         {"8", "16", "32", "128", "256", "512"}},
        {"NUMA", "y", yes, "memory nodes", no},
        {"NUMA_BALANCING", "n", no, "moves pages to where they are used", yes},
        {"PARAVIRT_SPINLOCKS", "n", no, "spinlocks that yield to the hypervisor", yes},
        {"PREEMPT", "n", no, "preemption inside the kernel", yes},
        {"SCHEDSTATS", "y", either, "scheduler statistics", {}},
        {"SCHED_AUTOGROUP", "n", no, "a group per session", yes},
        {"SCHED_DEBUG", "y", either, "/proc/sched_debug", {}},
        {"SLUB", "y", yes, "the slab allocator", no},
        {"SMP", "y", yes, "more than one CPU", no},
        {"TICK_CPU_ACCOUNTING", "y", yes, "user and system time by the tick", no},
    };
    return kOptions;
}

const std::vector<OptionInfo>& known_boot_parameters() {
    static const std::vector<OptionInfo> kParameters{
        {"idle", "", {}, "idle loop: poll, halt, nomwait", {"poll", "halt", "nomwait"}},
        {"isolcpus", "", {}, "CPUs that no task is placed on by itself", {"*"}},
        {"maxcpus", "", {}, "CPUs to bring up", {"*"}},
        {"nohz", "on", {"on"}, "stop the tick while idle: on, off", {"off"}},
        {"sched_feat", "", {}, "scheduler feature to set, as debugfs would", {"*"}},
        {"schedstats",
         "disable",
         {"enable", "disable"},
         "scheduler statistics at run time, from v4.6 on",
         {}},
        {"skew_tick",
         "0",
         {"0", "1"},
         "1: the CPUs' ticks come one after another, not all at once",
         {}},
    };
    return kParameters;
}

}  // namespace linefill::kernel
