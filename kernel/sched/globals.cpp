// SPDX-License-Identifier: Apache-2.0
// Global variables of the scheduler.
#include "kernel/sched/globals.h"

#include <algorithm>
#include <bit>

namespace linefill::kernel {

namespace {

std::unique_ptr<SchedGlobals> g_globals;

Field<u64> css_set_field(Memory& memory, const Layout& layout) {
    // cpuacct is the third controller of subsys[] in the layouts' configuration.
    const u32 subsys = layout.offset("css_set", "subsys");
    const Addr base = memory.data("init_css_set", layout.size_of("css_set"), 64);
    return Field<u64>(base + subsys + 16, 8,
                      FieldRegistry::instance().id("css_set", "subsys", subsys, 48));
}

}  // namespace

SchedTunables sched_tunables(unsigned cpus) {
    const u64 factor = std::bit_width(std::min(cpus, 8U));  // 1 + log2
    return {6'000'000 * factor, 750'000 * factor, 1'000'000 * factor};
}

SchedGlobals::SchedGlobals(Memory& memory, const Layout& layout, unsigned cpus)
    : tunables(sched_tunables(cpus)),
      sysctl_latency(global_field<u64>(memory, "sysctl_sched_latency", 4, tunables.latency_ns)),
      sysctl_min_granularity(global_field<u64>(memory, "sysctl_sched_min_granularity", 4,
                                               tunables.min_granularity_ns)),
      sysctl_wakeup_granularity(global_field<u64>(memory, "sysctl_sched_wakeup_granularity", 4,
                                                  tunables.wakeup_granularity_ns)),
      sysctl_migration_cost(
          global_field<u64>(memory, "sysctl_sched_migration_cost", 4, kSchedMigrationCostNs)),
      nohz_idle_cpus_mask(memory.data("nohz", 64, 64), 8,
                          FieldRegistry::instance().id("nohz", "idle_cpus_mask", 0, 8)),
      nohz_nr_cpus(memory.data("nohz", 64, 64) + 8, 4,
                   FieldRegistry::instance().id("nohz", "nr_cpus", 8, 4)),
      nohz_next_balance(memory.data("nohz", 64, 64) + 16, 8,
                        FieldRegistry::instance().id("nohz", "next_balance", 16, 8)),
      balancing(memory.data("balancing", 64, 64), 4,
                FieldRegistry::instance().id("global", "balancing", 0, 4)),
      cpu_active_mask(global_field<u64>(memory, "cpu_active_mask", 8,
                                        cpus >= 64 ? ~u64{0} : (u64{1} << cpus) - 1)),
      calc_load_update(memory.data("calc_load_update", 64, 64), 8,
                       FieldRegistry::instance().id("global", "calc_load_update", 0, 8)),
      calc_load_tasks(memory.data("calc_load_tasks", 64, 64), 8,
                      FieldRegistry::instance().id("global", "calc_load_tasks", 0, 8)),
      css_cpuacct(css_set_field(memory, layout)),
      cpuacct_usage_ptr(
          memory.data("root_cpuacct", 256, 64) + layout.size_of("cgroup_subsys_state"), 8,
          FieldRegistry::instance().id("cpuacct", "cpuusage", 0, 8)),
      cpuacct_parent(
          memory.data("root_cpuacct", 256, 64) + layout.offset("cgroup_subsys_state", "parent"), 8,
          FieldRegistry::instance().id("cpuacct", "css.parent", 0, 8)),
      root_domain(std::make_unique<RootDomain>(
          Place{&layout, "root_domain", "",
                memory.data("def_root_domain", layout.size_of("root_domain"), 64)})) {}

SchedGlobals& sched_globals() { return *g_globals; }

void make_sched_globals(Memory& memory, const Layout& layout, unsigned cpus) {
    g_globals = std::make_unique<SchedGlobals>(memory, layout, cpus);
}

void drop_sched_globals() { g_globals.reset(); }

}  // namespace linefill::kernel
