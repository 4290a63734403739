// SPDX-License-Identifier: Apache-2.0
// A booted kernel on the two-socket machine, with one process whose program is a lambda. One per
// test process.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernel/kernel.h"
#include "kernel/process/process.h"
#include "kernel/sched/sched.h"
#include "kernel/syscall/syscall.h"
#include "model/machine.h"
#include "model/platform/load.h"

namespace linefill::kernel {

class TimeBench {
public:
    /// Without draws: ticks are spread evenly over the CPUs' numbers, CPU 0 starts the program.
    explicit TimeBench(const std::string& spec, const std::vector<std::string>& config = {})
        : machine_(model::load_platform("xeon-snb-2s", {"platforms"}), 1) {
        const KernelSpec parsed = parse_kernel_spec(spec, config);
        KernelOptions options;
        options.draws = {
            .page_frames = false, .freelists = false, .tick_phase = false, .init_cpu = false};
        kernel_ = std::make_unique<Kernel>(machine_, parsed,
                                           Layout::for_kernel(parsed.version, "x86_64"), options);
        kernel_->boot();
        kernel_->on_last_exit = [this] { machine_.scheduler().stop(); };
    }

    model::Machine& machine() { return machine_; }
    Kernel& kernel() { return *kernel_; }
    /// Runs `program` as the first thread of a process until every thread has ended. The first ends
    /// when `program` returns.
    void run(std::function<void()> program) {
        kernel_->create_init("main", [body = std::move(program)] {
            body();
            sys_exit();
        });
        machine_.run();
    }
    /// From a running program: one more thread, on `cpu` only if it is not -1.
    static void thread(std::function<void()> body, int cpu = -1) {
        sys_clone(
            [work = std::move(body), cpu] {
                if (cpu >= 0) pin(cpu);
                work();
                sys_exit();
            },
            "thread");
    }
    /// Moves the running task to `cpu` for good.
    static void pin(int cpu) {
        const SyscallScope scope;
        set_cpus_allowed(current(), u64{1} << cpu);
    }
    /// User code until `done` holds.
    static void burn_until(const std::function<bool()>& done) {
        while (!done()) {
            for (int i = 0; i < 4; ++i) model::this_hw_thread().execute(500);
        }
    }
    /// User code for `ns` of elapsed time.
    static void burn(double ns) {
        const model::Tick end = model::this_hw_thread().now() + model::ticks_from_ns(ns);
        burn_until([end] { return model::this_hw_thread().now() >= end; });
    }

private:
    model::Machine machine_;
    std::unique_ptr<Kernel> kernel_;
};

inline constexpr double kMs = 1e6;  // ns

inline double ns_of(Timespec t) {
    return static_cast<double>(t.seconds) * 1e9 + static_cast<double>(t.nanoseconds);
}

}  // namespace linefill::kernel
