// SPDX-License-Identifier: Apache-2.0
// The table of configuration options.
#include "kernel/layout/config_options.h"

#include <algorithm>
#include <charconv>

#include "model/sim/error.h"

namespace linefill::kernel {

using model::UserError;

const std::vector<ConfigOption>& config_options() {
    using enum ConfigEffect;
    static const std::vector<ConfigOption> kOptions = {
        {"AUDIT", kMovesFields, "y", "signal_struct", "audit_tty"},
        {"CFS_BANDWIDTH", kMovesFields, "y", "cfs_rq", "runtime_enabled"},
        {"CGROUPS", kMovesFields, "y", "task_struct", "cgroups"},
        {"CGROUP_CPUACCT", kMovesFields, "y", "", ""},
        {"CGROUP_SCHED", kMovesFields, "y", "task_struct", "sched_task_group"},
        {"COMPACTION", kMovesFields, "y", "zone", "compact_considered"},
        {"CPUSETS", kMovesFields, "y", "task_struct", "mems_allowed"},
        {"DEBUG_ATOMIC_SLEEP", kMovesFields, "n", "task_struct", "task_state_change"},
        {"DEBUG_LOCK_ALLOC", kMovesFields, "n", "raw_spinlock", "dep_map"},
        {"DEBUG_MUTEXES", kMovesFields, "n", "task_struct", "blocked_on"},
        {"DEBUG_SPINLOCK", kMovesFields, "n", "raw_spinlock", "magic"},
        {"FAIR_GROUP_SCHED", kMovesFields, "y", "sched_entity", "cfs_rq"},
        {"FUNCTION_GRAPH_TRACER", kMovesFields, "n", "task_struct", "curr_ret_stack"},
        {"HIGH_RES_TIMERS", kMovesFields, "y", "hrtimer_cpu_base", "hres_active"},
        {"HZ", kNone, "250", "", ""},
        {"IRQ_TIME_ACCOUNTING", kMovesFields, "n", "rq", "prev_irq_time"},
        {"LOCKDEP", kMovesFields, "n", "task_struct", "lockdep_depth"},
        {"LOCK_STAT", kMovesFields, "n", "", ""},
        {"MEMCG", kMovesFields, "y", "mm_struct", "owner"},
        {"NO_HZ_FULL", kMovesFields, "n", "rq", "last_sched_tick"},
        {"NO_HZ_IDLE", kMovesFields, "y", "rq", "nohz_flags"},
        {"NR_CPUS", kMovesFields, "64", "", ""},
        {"NUMA", kMovesFields, "y", "zone", "node"},
        {"NUMA_BALANCING", kMovesFields, "y", "rq", "nr_numa_running"},
        {"PARAVIRT", kMovesFields, "y", "rq", "prev_steal_time"},
        {"PARAVIRT_SPINLOCKS", kFixed, "n", "", ""},
        {"PARAVIRT_TIME_ACCOUNTING", kMovesFields, "n", "rq", "prev_steal_time_rq"},
        {"PERF_EVENTS", kMovesFields, "y", "task_struct", "perf_event_ctxp"},
        {"PREEMPT", kMovesFields, "n", "task_struct", "rcu_read_lock_nesting"},
        {"PROVE_LOCKING", kMovesFields, "n", "", ""},
        {"RT_GROUP_SCHED", kMovesFields, "n", "rt_rq", "tg"},
        {"SCHEDSTATS", kMovesFields, "y", "sched_entity", "statistics"},
        {"SCHED_AUTOGROUP", kMovesFields, "n", "signal_struct", "autogroup"},
        {"SCHED_DEBUG", kMovesFields, "y", "sched_domain", "name"},
        {"SCHED_HRTICK", kMovesFields, "y", "rq", "hrtick_timer"},
        {"SLUB", kFixed, "y", "", ""},
        {"SMP", kMovesFields, "y", "task_struct", "on_cpu"},
        {"TASK_DELAY_ACCT", kMovesFields, "y", "task_struct", "delays"},
        {"TASK_XACCT", kMovesFields, "y", "task_struct", "acct_rss_mem1"},
        {"TICK_CPU_ACCOUNTING", kFixed, "y", "", ""},
        {"TIMER_STATS", kMovesFields, "y", "hrtimer", "start_pid"},
        {"VIRT_CPU_ACCOUNTING_GEN", kMovesFields, "n", "task_struct", "vtime_seqcount"},
    };
    return kOptions;
}

const ConfigOption& find_config_option(std::string_view name) {
    // The short word that the references use for the cgroup controller.
    const std::string_view wanted = name == "CPUACCT" ? "CGROUP_CPUACCT" : name;
    const auto& options = config_options();
    const auto found =
        std::find_if(options.begin(), options.end(),
                     [wanted](const ConfigOption& option) { return option.name == wanted; });
    if (found == options.end()) {
        std::vector<std::string> names;
        names.reserve(options.size());
        for (const ConfigOption& option : options) {
            names.emplace_back(option.name);
        }
        throw UserError("unknown kernel configuration option")
            .key("--config")
            .value(std::string(name))
            .nearest(name, names);
    }
    return *found;
}

void check_config_value(const ConfigOption& option, std::string_view value) {
    const auto error = [&option, value](std::string expected) {
        return UserError("not a value of this option")
            .key("--config " + std::string(option.name))
            .value(std::string(value))
            .expected(std::move(expected));
    };
    if (option.name == "HZ") {
        if (value != "100" && value != "250" && value != "300" && value != "1000") {
            throw error("100, 250, 300 or 1000");
        }
    } else if (option.name == "NR_CPUS") {
        constexpr int kMostCpus = 8192;
        int number = 0;
        const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), number);
        if (code != std::errc() || end != value.data() + value.size() || number < 1 ||
            number > kMostCpus) {
            throw error("a number from 1 to " + std::to_string(kMostCpus));
        }
    } else if (value != "y" && value != "n") {
        throw error("y or n");
    }
}

}  // namespace linefill::kernel
