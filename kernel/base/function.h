// SPDX-License-Identifier: Apache-2.0
// Kernel functions: symbol, code size and what entering one costs. While a Frame lives, misses and
// cycles are attributed to its function.
//
//     static const KernelFunction kUpdateCurr{"update_curr", "kernel/sched/fair.c", 320, 4};
//     Frame frame(kUpdateCurr);     // CALL, pushes; at the end pops, RET
//     run(12);                      // twelve instructions that touch nothing modelled by name
#pragma once

#include "kernel/base/registry.h"
#include "model/core/this_hw_thread.h"

namespace linefill::kernel {

struct KernelFunction {
    /// `code_bytes` of machine code (from the compiled object, or 4.2 bytes per instruction);
    /// `saved` callee-saved registers pushed at entry and popped at exit.
    KernelFunction(const char* symbol, const char* source, unsigned code_bytes, unsigned saved)
        : id(FunctionRegistry::instance().add(symbol, source, code_bytes)),
          saved(saved),
          code_bytes(code_bytes),
          address(FunctionRegistry::instance().info(id).address) {}
    model::FunctionId id;
    unsigned saved;
    unsigned code_bytes;
    model::Addr address;
};

/// `n` straight-line instructions of the current function besides the accesses it names.
inline void run(unsigned n) { model::this_hw_thread().execute(n); }

/// Scope of one call. Counts, per call: CALL + RET + 2 x saved instructions; saved + 1 loads (pops,
/// RET), saved + 1 stores.
class Frame {
public:
    explicit Frame(const KernelFunction& f) : saved_(f.saved) {
        // Fetching the code may have let an interrupt in, and the task may have moved.
        model::this_hw_thread().enter_function(f.id, f.address, f.code_bytes);
        model::this_hw_thread().stack_accesses(0, saved_ + 1);
    }
    // A fiber may be unwound while it is suspended in here (an interrupt, a turn of others).
    ~Frame() noexcept(false) {
        // A fiber that is unwound at the end of a run has no hardware thread any more.
        if (model::Scheduler::running_agent() == nullptr) return;
        // The hardware thread at exit may be another one: the task may have migrated in between.
        model::HwThread& hw = model::this_hw_thread();
        hw.stack_accesses(saved_ + 1, 0);
        hw.leave_function();
    }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

private:
    unsigned saved_;
};

/// An inlined function: attributed under its own name, but no CALL, pushes or code of its own.
class InlineFrame {
public:
    explicit InlineFrame(const KernelFunction& f) { model::this_hw_thread().enter_inlined(f.id); }
    ~InlineFrame() {
        if (model::Scheduler::running_agent() != nullptr) model::this_hw_thread().leave_inlined();
    }
    InlineFrame(const InlineFrame&) = delete;
    InlineFrame& operator=(const InlineFrame&) = delete;
};

}  // namespace linefill::kernel
