// SPDX-License-Identifier: Apache-2.0
// Load balancing, inside the scheduler: what its files call of each other.
#pragma once

#include "kernel/sched/fair.h"
#include "kernel/sched/topology.h"

namespace linefill::kernel {

enum class CpuIdle : std::uint8_t { kIdle, kNotIdle, kNewlyIdle };

/// One attempt to even out a domain for `dst_cpu`.
struct LbEnv {
    KPtr<SchedDomain> sd;
    int dst_cpu = 0;
    KPtr<Rq> dst_rq;
    CpuIdle idle = CpuIdle::kIdle;
    u64 imbalance = 0;  ///< load to move, in 1024ths of a nice-0 task
    KPtr<Rq> src_rq;
    int src_cpu = 0;
};

/// What a pass over one group found.
struct GroupStats {
    u64 group_load = 0, avg_load = 0, sum_weighted_load = 0, load_per_task = 0;
    u64 capacity = 1, utilisation = 0;
    unsigned sum_nr_running = 0, idle_cpus = 0, weight = 0;
    bool no_capacity = false;
};

/// The group to take from, with env.imbalance set; null: balanced.
KPtr<SchedGroup> find_busiest_group(LbEnv& env);

/// The figures of find_busiest_group's decision, apart from how they are read.
struct DomainStats {
    GroupStats local, busiest;
    bool has_busiest = false;
    u64 total_load = 0, total_capacity = 0;
};
bool group_has_capacity(const GroupStats& s, u32 imbalance_pct);
bool group_is_overloaded(const GroupStats& s, u32 imbalance_pct);
/// Load to move; 0: balanced.
u64 decide_imbalance(DomainStats s, u32 imbalance_pct, CpuIdle idle);

/// Balances one domain; true if tasks were moved. `keep_going` turns false if another CPU of the
/// group is the one to do it.
int load_balance(KPtr<SchedDomain> sd, int dst_cpu, CpuIdle idle, bool* keep_going);
void rebalance_domains(int cpu, CpuIdle idle);

/// The first tick that finds this CPU busy takes it out of nohz.idle_cpus_mask.
void nohz_balance_exit_idle();
/// On behalf of idle CPUs whose tick is stopped.
void nohz_idle_balance();

/// What the stopper thread of a CPU does after active_balance: moves one task (rq.push_task, or any
/// that may) to rq.push_cpu.
void active_load_balance();

}  // namespace linefill::kernel
