// SPDX-License-Identifier: Apache-2.0
// The process whose calls are recorded.
#include "kernel/trace/path_scenario.h"

#include "kernel/base/registry.h"
#include "kernel/kernel.h"
#include "kernel/process/process.h"
#include "kernel/sched/sched.h"
#include "kernel/syscall/syscall.h"
#include "model/sim/error.h"

namespace linefill::kernel {

namespace {

constexpr std::int64_t kMs = 1'000'000;  // ns

void burn_ns(double ns) {
    const model::Tick end = model::this_hw_thread().now() + model::ticks_from_ns(ns);
    while (model::this_hw_thread().now() < end) model::this_hw_thread().execute(1000);
}

void pin(unsigned cpu) {
    const SyscallScope scope;
    set_cpus_allowed(current(), u64{1} << cpu);
}

/// Reads, sleeps and yields while another thread of the process runs on another CPU.
void exercise(bool& done) {
    for (int i = 0; i < 3; ++i) {
        (void)sys_clock_gettime(CpuClock::kProcess);
        (void)sys_clock_gettime(CpuClock::kThread);
        (void)sys_times();
        burn_ns(5.0 * kMs);  // a tick
    }
    sys_nanosleep({0, kMs});
    sys_clock_nanosleep(CpuClock::kProcess, false, {0, kMs});
    sys_sched_yield();
    done = true;
}

std::vector<std::string> all_symbols() {
    std::vector<std::string> names;
    for (std::size_t id = 1; id < FunctionRegistry::instance().size(); ++id) {
        names.push_back(
            FunctionRegistry::instance().info(static_cast<model::FunctionId>(id)).symbol);
    }
    return names;
}

}  // namespace

RecordedPath record_path(const std::string& function, const KernelSpec& spec, const Layout& layout,
                         const model::Platform& platform) {
    const model::FunctionId id = FunctionRegistry::instance().find(function);
    if (id == model::kNoFunction) {
        throw model::UserError("the mini-kernel has no such function")
            .key("path")
            .value(function)
            .expected("a kernel function, such as task_sched_runtime")
            .nearest(function, all_symbols());
    }
    model::Machine machine(platform, 1);
    KernelOptions options;
    options.draws = {
        .page_frames = false, .freelists = false, .tick_phase = false, .init_cpu = false};
    Kernel kernel(machine, spec, layout, options);
    kernel.boot();
    kernel.on_last_exit = [&] { machine.scheduler().stop(); };
    PathRecorder recorder(machine, id);
    machine.set_observer(&recorder);
    bool done = false;
    const unsigned other = machine.cpus() - 1;
    kernel.create_init("reader", [&] {
        pin(0);
        sys_clone(
            [&] {
                pin(other);
                while (!done) burn_ns(0.01 * kMs);
                sys_exit();
            },
            "runner");
        burn_ns(1.0 * kMs);
        exercise(done);
        sys_exit();
    });
    machine.run();
    machine.set_observer(nullptr);
    if (recorder.longest().steps.empty()) {
        throw model::UserError("nothing in the recorded run calls this function")
            .key("path")
            .value(function);
    }
    return recorder.longest();
}

}  // namespace linefill::kernel
