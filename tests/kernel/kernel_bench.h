// SPDX-License-Identifier: Apache-2.0
// A mini-kernel on a modelled machine, with programs as C++ functions. One per process, as CTest runs
// each case in a process of its own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernel/kernel.h"
#include "kernel/process/process.h"
#include "kernel/sched/sched.h"
#include "model/machine.h"
#include "model/platform/load.h"

namespace linefill::kernel {

struct BenchOptions {
    std::string spec = "v4.7-rc7";
    std::vector<std::string> boot;      ///< parameters
    bool functional = true;             ///< scheduling without caches: only advance() moves time
    std::vector<std::string> platform;  ///< overrides, KEY=VALUE
    KernelOptions kernel{};
    model::Tick quantum = model::kMicrosecond;
};

class KernelBench {
public:
    explicit KernelBench(const BenchOptions& options = {});
    ~KernelBench();

    Kernel& kernel() { return *kernel_; }
    model::Machine& machine() { return *machine_; }
    /// Runs `main` as the first process, until it and all that it has started have exited.
    void run(std::function<void()> main);
    /// Runs until `limit`, then stops, whatever runs.
    void run_for(std::function<void()> main, model::Tick limit);

private:
    std::unique_ptr<model::Machine> machine_;
    std::unique_ptr<Kernel> kernel_;
};

/// For programs: computes for `ns` in user mode.
void compute(std::uint64_t ns);
/// Computes until the machine stops.
[[noreturn]] void hog();
/// Starts a thread of the calling process.
TaskStruct& start_thread(std::function<void()> body);
/// The end of the calling thread.
[[noreturn]] void end_thread();

}  // namespace linefill::kernel
