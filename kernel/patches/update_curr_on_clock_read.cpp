// SPDX-License-Identifier: Apache-2.0
// Upstream 6e998916dfe3: reading a CPU clock brings the running task's accounting up to date.
#include "kernel/patches/patch.h"

namespace linefill::kernel {

const Patch update_curr_on_clock_read(PatchInfo{
    .slug = "update-curr-on-clock-read",
    .commit = "6e998916dfe3",
    .title = "clock reads update the running task's accounting instead of only looking at it",
    .paragraph =
        "Without it, task_sched_runtime() adds the time since the last update to the value it "
        "returns "
        "and writes nothing to the task. With it, it calls the scheduling class's update_curr(), "
        "which "
        "stores exec_start, sum_exec_runtime, vruntime, min_vruntime, the CPU accounting group's "
        "counter and, with schedstats, exec_max. A process CPU timer then starts from a sample "
        "that "
        "holds the pending time of every running thread, not of one, so a sleep on the process "
        "clock "
        "no longer ends early. The price: lines of other CPUs that were only read are now written "
        "by "
        "every reader of the clock.",
    .in = {KernelVersion::kV4_4, KernelVersion::kV4_5Rc1, KernelVersion::kV4_7Rc7,
           KernelVersion::kV4_8},
    .applies_to = {KernelVersion::kV3_18Rc5},
    .scenario = {.file = "",
                 .platform = "xeon-snb-2s",
                 .base = KernelVersion::kV3_18Rc5,
                 .workloads = {"pound_clock_gettime --threads 8,48"}},
});

}  // namespace linefill::kernel
