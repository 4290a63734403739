// SPDX-License-Identifier: Apache-2.0
// Patches of the plan that this build knows by name only: asking for one says so, instead of calling
// it unknown. Each moves to a file of its own when kernel code gets its switch.
#include "kernel/patches/patch.h"

namespace linefill::kernel {

namespace {

constexpr auto kV44 = KernelVersion::kV4_4;
constexpr auto kV45 = KernelVersion::kV4_5Rc1;
constexpr auto kV47 = KernelVersion::kV4_7Rc7;
constexpr auto kV48 = KernelVersion::kV4_8;

const Patch schedstats_runtime(PatchInfo{
    .slug = "schedstats-runtime",
    .commit = "cb2517653fcc",
    .title = "scheduler statistics are switched at run time, off by default",
    .paragraph = "Puts the sites that write scheduler statistics behind a static branch.",
    .in = {kV47, kV48},
    .applies_to = {kV44, kV45},
    .scenario = {"", "xeon-hsw-2s", kV45, {"pipetest"}},
    .built = false,
});

const Patch hrtick_h_nr_running(PatchInfo{
    .slug = "hrtick-h-nr-running",
    .commit = "8bf46a39be91",
    .title = "start the high-resolution tick when tasks wait in any group",
    .paragraph =
        "The condition for an hrtick counts all runnable tasks of the CPU, not only those of "
        "the current task's own group.",
    .applies_to = {kV48},
    .scenario = {"", "i7-3770", kV48, {"cpu-hogs --tasks 4 --groups 4"}},
    .built = false,
});

const Patch vmstat_quiet_on_idle(PatchInfo{
    .slug = "vmstat-quiet-on-idle",
    .commit = "0eb77e988032",
    .title = "fold the per-CPU memory statistics when a CPU goes idle",
    .paragraph = "The idle loop calls quiet_vmstat() before it stops the tick.",
    .in = {kV45, kV47, kV48},
    .applies_to = {kV44},
    .scenario = {"", "qemu-e5-2690v3-8vcpu", kV44, {"lat_unix -P 1"}},
    .built = false,
});

const Patch quiet_vmstat_lighter(PatchInfo{
    .slug = "quiet-vmstat-lighter",
    .commit = "f01f17d3705b",
    .title = "do less in quiet_vmstat when there is nothing to fold",
    .paragraph = "Tests for pending differences before it walks all zones.",
    .in = {kV47, kV48},
    .applies_to = {kV44, kV45},
    .needs = {"vmstat-quiet-on-idle"},
    .scenario = {"", "qemu-e5-2690v3-8vcpu", kV44, {"lat_unix -P 1"}},
    .built = false,
});

}  // namespace

}  // namespace linefill::kernel
