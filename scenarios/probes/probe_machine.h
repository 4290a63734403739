// SPDX-License-Identifier: Apache-2.0
// Small programs on a bare machine: one function per CPU, no kernel, no interrupts.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "model/core/execution_context.h"
#include "model/machine.h"

namespace linefill::scenarios {

class ProbeMachine {
public:
    ProbeMachine(const model::Platform& platform, std::uint64_t seed) : machine_(platform, seed) {}

    model::Machine& machine() { return machine_; }
    /// `program` will run on `cpu` from time 0 on; one per CPU.
    void add(unsigned cpu, std::function<void(model::HwThread&)> program);
    /// Runs until all programs have returned.
    void run();

    /// An address of `node`'s memory, `offset` bytes behind what is reserved.
    model::Addr memory(unsigned node, model::Addr offset) const {
        return machine_.node_base(node) + model::Machine::kReservedBytes + offset;
    }
    /// A CPU related to CPU 0 in the given way; CPU 0 itself if there is none.
    unsigned same_core() const { return machine_.sibling(0); }
    unsigned same_socket() const;
    unsigned other_socket() const;

private:
    model::Machine machine_;
    std::vector<std::unique_ptr<model::ExecutionContext>> contexts_;
    unsigned running_ = 0;
};

/// Lets time pass until `at`.
void wait_until(model::HwThread& hw, model::Tick at);

/// Time per load of a chain in which each load's address is the one before's value.
model::Tick chase(model::HwThread& hw, const std::vector<model::Addr>& chain);

}  // namespace linefill::scenarios
