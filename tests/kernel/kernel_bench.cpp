// SPDX-License-Identifier: Apache-2.0
#include "tests/kernel/kernel_bench.h"

#include "kernel/syscall/syscall.h"

namespace linefill::kernel {

namespace {

class StopEvent final : public model::Schedulable {
public:
    explicit StopEvent(model::Scheduler& s) : Schedulable(0xfffffff0U), scheduler_(s) {}

protected:
    void fire(model::Tick) override { scheduler_.request_stop(); }

private:
    model::Scheduler& scheduler_;
};

}  // namespace

KernelBench::KernelBench(const BenchOptions& options) {
    std::vector<model::Override> overrides;
    for (const std::string& o : options.platform) overrides.push_back(model::parse_override(o));
    const model::Platform platform = model::load_platform(
        "xeon-snb-2s", {std::string(LINEFILL_SOURCE_DIR) + "/platforms"}, overrides);
    model::MachineOptions machine_options;
    machine_options.seed = options.kernel.seed;
    machine_options.quantum = options.quantum;
    machine_ = std::make_unique<model::Machine>(platform, machine_options);
    const KernelSpec spec = parse_kernel_spec(options.spec, {}, options.boot);
    const Layout layout = Layout::for_kernel(spec.version, "x86_64");
    kernel_ = std::make_unique<Kernel>(*machine_, spec, layout, options.kernel);
    kernel_->boot();
    for (unsigned cpu = 0; cpu < machine_->cpus(); ++cpu) {
        machine_->hw(cpu).set_functional(options.functional);
    }
}

KernelBench::~KernelBench() = default;

void KernelBench::run(std::function<void()> main) {
    kernel_->on_last_exit = [this] { machine_->scheduler().stop(); };
    kernel_->create_init("main", [main = std::move(main)] {
        main();
        end_thread();
    });
    machine_->run();
}

void KernelBench::run_for(std::function<void()> main, model::Tick limit) {
    StopEvent stop(machine_->scheduler());
    machine_->scheduler().schedule(stop, limit);
    kernel_->create_init("main", [main = std::move(main)] {
        main();
        end_thread();
    });
    machine_->run();
}

void compute(std::uint64_t ns) {
    model::this_hw_thread().advance(static_cast<model::Tick>(ns) * model::kNanosecond);
}

void hog() {
    for (;;) compute(1'000'000);
}

TaskStruct& start_thread(std::function<void()> body) {
    TaskStruct* child = nullptr;
    {
        const SyscallScope scope;
        child = &do_fork(CloneFlags{}, "thread", [body = std::move(body)] {
            body();
            end_thread();
        });
    }
    return *child;
}

void end_thread() { sys_exit(); }

}  // namespace linefill::kernel
