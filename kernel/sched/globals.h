// SPDX-License-Identifier: Apache-2.0
// Global variables of the scheduler: tunables, the masks of idle CPUs, the root cgroup.
#pragma once

#include <memory>

#include "kernel/base/place.h"
#include "kernel/mm/memory.h"
#include "kernel/sched/rq.h"

namespace linefill::kernel {

/// A field of a global variable.
template <class T>
Field<T> global_field(Memory& memory, const char* symbol, unsigned size, T initial = {}) {
    return Field<T>(memory.data(symbol, size, size), size,
                    FieldRegistry::instance().id("global", symbol, 0, size), initial);
}

/// Like the kernel's: scaled by 1 + log2(min(CPUs, 8)).
struct SchedTunables {
    u64 latency_ns, min_granularity_ns, wakeup_granularity_ns;
};
SchedTunables sched_tunables(unsigned cpus);

inline constexpr unsigned kSchedNrLatency = 8;
inline constexpr u64 kSchedMigrationCostNs = 500'000;
inline constexpr unsigned kSchedNrMigrate = 32;

struct SchedGlobals {
    SchedGlobals(Memory& memory, const Layout& layout, unsigned cpus);

    SchedTunables tunables;
    Field<u64> sysctl_latency, sysctl_min_granularity, sysctl_wakeup_granularity;
    Field<u64> sysctl_migration_cost;
    // struct nohz: one line for the mask and the count that every idle CPU changes.
    Field<u64> nohz_idle_cpus_mask;
    Field<int> nohz_nr_cpus;
    Field<u64> nohz_next_balance;
    /// The spinlock by which one CPU at a time balances the NUMA domain.
    Field<int> balancing;
    Field<u64> cpu_active_mask;
    Field<u64> calc_load_update;
    Field<s64> calc_load_tasks;
    // init_css_set.subsys[cpuacct] -> root_cpuacct
    Field<u64> css_cpuacct, cpuacct_usage_ptr, cpuacct_parent;
    std::unique_ptr<RootDomain> root_domain;
};

SchedGlobals& sched_globals();
/// By the kernel at boot.
void make_sched_globals(Memory& memory, const Layout& layout, unsigned cpus);
void drop_sched_globals();

}  // namespace linefill::kernel
