// SPDX-License-Identifier: Apache-2.0
// Upstream 6075620b0590: two prefetches before the run queue's clock is updated for a clock read.
#include "kernel/patches/patch.h"

namespace linefill::kernel {

const Patch prefetch_curr_exec_start(PatchInfo{
    .slug = "prefetch-curr-exec-start",
    .commit = "6075620b0590",
    .title = "prefetch the running entity and its exec_start before updating the clock",
    .paragraph = "When a CPU clock is read for a task that runs on another CPU, update_curr() "
                 "needs the current "
                 "entity of that task's queue, at the end of a chain of loads that all miss. With "
                 "the patch, "
                 "task_sched_runtime() follows the chain as soon as it holds the run-queue lock "
                 "and prefetches "
                 "the entity's first line and the line of exec_start, so that these misses overlap "
                 "with those of "
                 "update_rq_clock(). The prefetches ask for a readable copy: the stores that "
                 "follow still pay "
                 "for ownership.",
    .in = {KernelVersion::kV4_8},
    .applies_to = {KernelVersion::kV3_18Rc5, KernelVersion::kV4_4, KernelVersion::kV4_5Rc1,
                   KernelVersion::kV4_7Rc7},
    .needs = {"update-curr-on-clock-read"},
    .scenario = {.file = "poundtime.toml",
                 .platform = "xeon-snb-2s",
                 .base = KernelVersion::kV4_7Rc7,
                 .workloads = {"pound_clock_gettime --threads 2,5,8,12,21,30,48,79,110,128",
                               "pound_times --threads 2,5,8,12,21,30,48,79,110,128"}},
});

}  // namespace linefill::kernel
