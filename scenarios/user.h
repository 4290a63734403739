// SPDX-License-Identifier: Apache-2.0
// User mode: what a program's thread can do on the modelled machine. Programs are C++ functions that
// run on their task's own stack; what they compute is host work, what they cost is told here.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "kernel/syscall/syscall.h"
#include "scenarios/sampling/worker.h"

namespace linefill::scenarios {

class Conductor;
class UserTask;

/// A running program: its threads and what they share.
class Process {
public:
    /// `start_skew`: threads begin their work up to kMostSkew after they start, drawn from the seed.
    Process(Conductor& conductor, std::string name, std::uint64_t seed, bool start_skew);
    ~Process();

    /// The code of the first thread: start of the C library, main(), exit.
    void start(const std::function<void(UserTask&)>& main);

    const std::string& name() const { return name_; }
    const std::deque<std::unique_ptr<UserTask>>& threads() const { return threads_; }

private:
    friend class UserTask;
    UserTask& add_thread();

    Conductor& conductor_;
    std::string name_;
    std::uint64_t seed_;
    bool start_skew_;
    std::deque<std::unique_ptr<UserTask>> threads_;
};

class UserTask {
public:
    UserTask(Process& process, unsigned number);
    UserTask(const UserTask&) = delete;
    UserTask& operator=(const UserTask&) = delete;

    // ---- user code ------------------------------------------------------------------------------
    /// `instructions` of user code, of which `loads` and `stores` hit the hot lines of the own stack.
    void run(unsigned instructions, unsigned loads = 0, unsigned stores = 0);

    // ---- the C library --------------------------------------------------------------------------
    /// Goes through the vDSO, which has no fast path for CPU clocks, to the system call.
    kernel::Timespec clock_gettime(kernel::CpuClock clock);
    kernel::Tms times();
    /// Maps a stack with a guard page, fills in the thread's descriptor, clones.
    void pthread_create(std::function<void(UserTask&)> start);
    /// Ends the thread. Of the first thread: the process goes on without it.
    [[noreturn]] void pthread_exit();

    // ---- work -----------------------------------------------------------------------------------
    /// `units` times `unit`, the work that the workload counts: simulated in detail or
    /// fast-forwarded, as sampling has it.
    void repeat(std::uint64_t units, const std::function<void()>& unit);

    Worker& worker() { return worker_; }
    const Worker& worker() const { return worker_; }
    /// 0 for the first thread, then in order of creation.
    unsigned number() const { return number_; }
    Process& process() { return process_; }

private:
    friend class Process;
    void first_steps();  ///< on the new thread's stack
    kernel::Addr touch(kernel::Addr user_page);

    Process& process_;
    unsigned number_;
    Worker worker_;
    kernel::Addr stack_ = 0;  ///< user address of its mapping; 0: the first thread's
};

}  // namespace linefill::scenarios
