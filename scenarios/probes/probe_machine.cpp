// SPDX-License-Identifier: Apache-2.0
#include "scenarios/probes/probe_machine.h"

#include <algorithm>

namespace linefill::scenarios {

using model::Addr;
using model::HwThread;
using model::Tick;

void ProbeMachine::add(unsigned cpu, std::function<void(HwThread&)> program) {
    ++running_;
    contexts_.push_back(
        std::make_unique<model::ExecutionContext>([this, cpu, program = std::move(program)] {
            HwThread& hw = machine_.hw(cpu);
            program(hw);
            hw.synchronise();
            if (--running_ == 0) machine_.scheduler().stop();
            for (;;) hw.halt(0, 0);
        }));
    machine_.start(cpu, *contexts_.back());
}

void ProbeMachine::run() { machine_.run(); }

unsigned ProbeMachine::same_socket() const {
    for (unsigned cpu = 1; cpu < machine_.cpus(); ++cpu) {
        if (machine_.socket_of(cpu) == machine_.socket_of(0) &&
            machine_.core_of(cpu) != machine_.core_of(0)) {
            return cpu;
        }
    }
    return 0;
}

unsigned ProbeMachine::other_socket() const {
    for (unsigned cpu = 1; cpu < machine_.cpus(); ++cpu) {
        if (machine_.socket_of(cpu) != machine_.socket_of(0)) return cpu;
    }
    return 0;
}

void wait_until(HwThread& hw, Tick at) {
    if (at > hw.now()) hw.advance(at - hw.now());
}

Tick chase(HwThread& hw, const std::vector<Addr>& chain) {
    hw.fence();
    const Tick start = hw.now();
    model::Token previous;
    for (const Addr a : chain) previous = hw.load(a, 8, model::kNoField, previous);
    hw.use(previous);
    return (hw.now() - start) / static_cast<Tick>(chain.size());
}

}  // namespace linefill::scenarios
