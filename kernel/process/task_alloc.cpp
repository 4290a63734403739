// SPDX-License-Identifier: Apache-2.0
// Memory and host stacks of tasks.
#include <utility>

#include "kernel/kernel.h"
#include "kernel/mm/memory.h"
#include "kernel/process/process.h"
#include "kernel/sched/sched.h"
#include "model/machine.h"
#include "model/sim/error.h"

namespace linefill::kernel {

namespace {

constexpr unsigned kTaskAlign = 64;

/// Bytes of a task_struct's slab object, as fpu__init_task_struct_size() computes it (v4.2 on): the
/// register state ends the structure, the compiler sets a page aside for it, and at boot that page is
/// replaced by what the CPU's XSAVE area takes. Before v4.2 the state was a separate object.
unsigned task_struct_size(const Layout& layout, std::uint64_t xsave_area) {
    const unsigned compiled = layout.size_of("task_struct");
    if (layout.size_of("thread_struct", "fpu") < kPageSize) return compiled;
    return compiled - kPageSize + static_cast<unsigned>(xsave_area);
}

}  // namespace

std::unique_ptr<TaskStruct> alloc_task(const std::string& name, unsigned node) {
    Kernel& k = kernel();
    Memory& memory = k.memory();
    const Layout& layout = k.layout();
    const unsigned size = task_struct_size(layout, k.machine().platform().core.xsave_area);
    const Addr base = memory.alloc_object("task_struct", size, kTaskAlign, node);
    const Addr stack = memory.alloc_stack(node);
    auto task = std::make_unique<TaskStruct>(Place{&layout, "task_struct", "", base}, stack, name);
    const SchedSwitches& sw = k.sw();
    task->sched_class.poke(&k.fair_class());
    task->sched_task_group.poke(&k.root_task_group());
    task->se.load.weight.poke(u64{1024} << sw.load_shift);
    task->se.load.inv_weight.poke(4194304);
    const unsigned cpus = k.cpus();
    task->cpus_allowed.poke(cpus >= 64 ? ~u64{0} : (u64{1} << cpus) - 1);
    task->nr_cpus_allowed.poke(static_cast<int>(cpus));
    return task;
}

void give_context(TaskStruct& task, std::function<void()> body) {
    task.context = std::make_unique<model::ExecutionContext>([body = std::move(body)] {
        // Never leave the fiber from inside the catch: the exception's storage is the host stack's.
        std::exception_ptr error;
        try {
            body();
            error = std::make_exception_ptr(
                model::SimulationError("a task returned from its first function"));
        } catch (const std::exception&) {
            error = std::current_exception();
        }
        kernel().machine().scheduler().stop(error);
    });
}

void put_task_struct(TaskStruct& p) {
    const int before = p.usage.fetch_add(-1);
    if (before != 1) return;
    Memory& memory = kernel().memory();
    memory.free_object("task_struct", p.place.base);
    memory.free_pages(p.thread_info.task.addr(), 2);
    run(60);
}

}  // namespace linefill::kernel
