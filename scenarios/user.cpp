// SPDX-License-Identifier: Apache-2.0
// Instruction counts of the C library are estimates for glibc 2.2x at -O2 (read off what such a call
// must do: PLT jump, pointer demangling, clock id tests, errno check).
#include "scenarios/user.h"

#include "kernel/base/function.h"
#include "kernel/kernel.h"
#include "kernel/mm/user_memory.h"
#include "kernel/sched/sched.h"
#include "model/core/this_hw_thread.h"
#include "model/sim/random.h"
#include "scenarios/sampling/conductor.h"

namespace linefill::scenarios {

using kernel::Frame;
using kernel::KernelFunction;

namespace {

const KernelFunction kStart{"_start", "C library", 2048, 0};
const KernelFunction kThreadCode{"start_thread", "C library", 512, 2};
const KernelFunction kPthreadCreate{"pthread_create", "C library", 2600, 6};
const KernelFunction kClockGettime{"clock_gettime", "C library", 96, 1};
const KernelFunction kVdsoClockGettime{"__vdso_clock_gettime", "vDSO", 520, 1};
const KernelFunction kTimes{"times", "C library", 40, 0};

/// Pages that exec and the dynamic linker touch before main() of a small program that links
/// libpthread: an assumption, 50 to 120 on such systems.
constexpr unsigned kPagesOfStart = 60;
constexpr std::uint64_t kStackBytes = 8ULL << 20;
constexpr std::uint64_t kGuardBytes = 4096;
constexpr std::uint64_t kMostSkew = 8000;  ///< user instructions

}  // namespace

// ---- process -----------------------------------------------------------------------------------

Process::Process(Conductor& conductor, std::string name, std::uint64_t seed, bool start_skew)
    : conductor_(conductor), name_(std::move(name)), seed_(seed), start_skew_(start_skew) {}

Process::~Process() = default;

UserTask& Process::add_thread() {
    threads_.push_back(std::make_unique<UserTask>(*this, static_cast<unsigned>(threads_.size())));
    return *threads_.back();
}

void Process::start(const std::function<void(UserTask&)>& main) {
    UserTask& first = add_thread();
    kernel::current().user_data = &first;
    conductor_.begin(first.worker_);
    {
        Frame frame(kStart);
        for (unsigned page = 0; page < kPagesOfStart; ++page) {
            kernel::run(2500);
            first.touch(0x400000 + 4096ULL * page);
        }
    }
    main(first);
    first.pthread_exit();
}

// ---- threads -----------------------------------------------------------------------------------

UserTask::UserTask(Process& process, unsigned number) : process_(process), number_(number) {}

kernel::Addr UserTask::touch(kernel::Addr user_page) {
    const kernel::Addr page = kernel::handle_page_fault(user_page);
    model::this_hw_thread().store(page, 8, model::kNoField);
    return page;
}

void UserTask::run(unsigned instructions, unsigned loads, unsigned stores) {
    model::HwThread& hw = model::this_hw_thread();
    hw.stack_accesses(loads, stores);
    hw.execute(instructions - loads - stores);
}

void UserTask::first_steps() {
    kernel::current().user_data = this;
    process_.conductor_.begin(worker_);
    Frame frame(kThreadCode);
    kernel::run(120);
    touch(stack_ + kStackBytes - 2 * 4096);  // below the page that the creator has touched
    if (process_.start_skew_) {
        model::Random random(process_.seed_, "start skew " + std::to_string(number_));
        kernel::run(static_cast<unsigned>(random.below(kMostSkew)));
    }
}

void UserTask::pthread_create(std::function<void(UserTask&)> start) {
    Frame frame(kPthreadCreate);
    kernel::run(350);
    UserTask& child = process_.add_thread();
    child.stack_ = kernel::sys_mmap(kStackBytes + kGuardBytes);
    kernel::sys_mprotect(child.stack_, kGuardBytes);
    // The thread's descriptor lies at the top of its stack.
    touch(child.stack_ + kStackBytes - 4096);
    kernel::run(150);
    kernel::sys_clone(
        [&child, start = std::move(start)] {
            child.first_steps();
            start(child);
            child.pthread_exit();
        },
        process_.name_);
}

void UserTask::pthread_exit() {
    kernel::run(200);
    if (stack_ != 0) kernel::sys_munmap(stack_ + kGuardBytes, kStackBytes - 4 * 4096);
    process_.conductor_.end(worker_);
    kernel::sys_exit();
}

// ---- C library ---------------------------------------------------------------------------------

kernel::Timespec UserTask::clock_gettime(kernel::CpuClock clock) {
    Frame frame(kClockGettime);
    run(12, 3, 1);  // PLT, the vDSO's pointer and its key, the test of the result
    Frame vdso(kVdsoClockGettime);
    run(9, 0, 1);  // tests the clock's id, falls back
    return kernel::sys_clock_gettime(clock);
}

kernel::Tms UserTask::times() {
    Frame frame(kTimes);
    run(7, 1, 1);
    return kernel::sys_times();
}

void UserTask::repeat(std::uint64_t units, const std::function<void()>& unit) {
    process_.conductor_.repeat(worker_, units, unit);
}

}  // namespace linefill::scenarios
