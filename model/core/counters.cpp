// SPDX-License-Identifier: Apache-2.0
#include "model/core/counters.h"

namespace linefill::model {

namespace {

constexpr std::array<const char*, kEventCount> kEventNames = {
    "cycles",
    "unhalted_fs",
    "instructions",
    "loads",
    "stores",
    "l1d_hit",
    "l1d_miss",
    "l1d_merge",
    "l1d_fill",
    "l1d_fill_into_invalid",
    "l1d_upgrade",
    "l1d_evict",
    "l1d_snoop_invalidate",
    "l1d_back_invalidate",
    "l2_hit",
    "l2_miss",
    "llc_data_read",
    "llc_data_read_miss",
    "llc_rfo",
    "llc_rfo_miss",
    "hitm_local",
    "hitm_remote",
    "remote_forward",
    "dram_local",
    "dram_remote",
    "inflight_conflict",
    "software_prefetch",
    "l1i_miss",
    "dtlb_walk_load",
    "dtlb_walk_store",
    "itlb_stlb_hit",
    "itlb_walk",
    "locked_ops",
    "spin_iterations",
    "interrupts",
    "context_switches",
    "cpu_migrations",
    "page_faults",
};
static_assert(kEventNames.back() != nullptr);

constexpr std::array<const char*, kCpiCount> kCpiNames = {
    "base",        "smt",          "branch", "l1i",  "l2",           "llc",
    "same-socket", "other-socket", "dram",   "tlb",  "store-buffer", "locked-op",
    "lock-wait",   "syscall",      "irq",    "idle",
};
static_assert(kCpiNames.back() != nullptr);

}  // namespace

const char* event_name(Event e) { return kEventNames[static_cast<std::size_t>(e)]; }
const char* cpi_name(CpiComponent c) { return kCpiNames[static_cast<std::size_t>(c)]; }

}  // namespace linefill::model
