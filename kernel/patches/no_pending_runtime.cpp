// SPDX-License-Identifier: Apache-2.0
// Upstream a1eb1411b4e4: a process's CPU clock leaves out what other threads have not accounted yet.
#include "kernel/patches/patch.h"

namespace linefill::kernel {

const Patch no_pending_runtime(PatchInfo{
    .slug = "no-pending-runtime",
    .commit = "a1eb1411b4e4",
    .title = "read other threads' run time as it was last accounted, without locks",
    .paragraph =
        "thread_group_cputime() brings only the calling thread's accounting up to date, once per "
        "call, "
        "and reads sum_exec_runtime of all others as their last tick or switch left it. No lock of "
        "another task or CPU is taken and no line of theirs is written; values of running threads "
        "may "
        "be one tick old.",
    .in = {},
    .applies_to = {KernelVersion::kV3_18Rc5, KernelVersion::kV4_4, KernelVersion::kV4_5Rc1,
                   KernelVersion::kV4_7Rc7, KernelVersion::kV4_8},
    .needs = {"update-curr-on-clock-read"},
    .scenario = {.file = "",
                 .platform = "xeon-snb-2s",
                 .base = KernelVersion::kV4_7Rc7,
                 .workloads = {"pound_clock_gettime --threads 2,8,21,48,110"}},
});

}  // namespace linefill::kernel
