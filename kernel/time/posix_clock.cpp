// SPDX-License-Identifier: Apache-2.0
// clock_gettime on the CPU clocks of the calling process and thread (kernel-paths a.0).
#include "kernel/base/function.h"
#include "kernel/kernel.h"
#include "kernel/sched/sched.h"
#include "kernel/time/posix_cpu_timers.h"

namespace linefill::kernel {

namespace {

constexpr const char* kSource = "kernel/time/posix-cpu-timers.c (v4.7)";
const KernelFunction kClockGet{"process_cpu_clock_get", kSource, 70, 1};
const KernelFunction kClockGetTask{"posix_cpu_clock_get_task", kSource, 130, 3};
const KernelFunction kSampleGroup{"cpu_clock_sample_group", kSource, 180, 2};

u64 sample_group(KPtr<TaskStruct> tsk) {
    const Frame frame(kSampleGroup);
    TaskCputime times;
    run(30);  // which of the three clocks; the sums live on the stack
    thread_group_cputime(tsk, &times);
    return times.sum_exec_runtime;
}

}  // namespace

// The figures of the whole chain are 16, 30 and 40 instructions; what is not run() here is CALL, RET,
// pushes, pops and named accesses.
u64 posix_cpu_clock_get(CpuClock clock) {
    const Frame frame(kClockGet);
    run(9);
    const KPtr<TaskStruct> self = get_current();
    const Frame task_frame(kClockGetTask);
    run(20);
    return clock == CpuClock::kProcess ? sample_group(self) : task_sched_runtime(self);
}

}  // namespace linefill::kernel
