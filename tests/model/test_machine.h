// SPDX-License-Identifier: Apache-2.0
// A machine with programs on its CPUs, for tests of the model. One per process, as CTest runs each
// case in a process of its own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/core/counters.h"
#include "model/core/execution_context.h"
#include "model/core/hw_thread.h"
#include "model/machine.h"
#include "model/platform/load.h"

namespace linefill::model {

/// Overrides that make arithmetic easy: 2 GHz throughout (a cycle is 500,000 fs), one cycle per
/// instruction, and nothing behind a load in flight needs its value.
std::vector<Override> round_figures();

/// `xeon-snb-2s` with overrides "KEY=VALUE" on top of `base`; times of transfers are their means unless
/// an override spreads them.
Platform test_platform(const std::vector<std::string>& overrides = {},
                       std::vector<Override> base = {});

class TestMachine {
public:
    using Body = std::function<void(HwThread&)>;

    explicit TestMachine(const Platform& platform, const MachineOptions& options = {});
    ~TestMachine();

    Machine& machine() { return *machine_; }
    /// `cpu` runs `body` from time 0 on; when it returns the CPU halts for good.
    void on(unsigned cpu, Body body);
    /// The same, but nobody waits for it to return.
    void background(unsigned cpu, Body body);
    /// Until every body of on() has returned. What a body throws is thrown here.
    void run();
    /// Counts of one CPU, user and kernel together.
    Counters counters(unsigned cpu);
    /// Sum over all CPUs.
    Counters total();
    /// A line-aligned address on `node` that no two different numbers share a line or an L1D set
    /// with (up to 64 of them); beyond that only the line differs.
    Addr line_on(unsigned node, unsigned number) const;
    /// Cycles of the clock that `cpu` has now, as ticks.
    Tick cycles(unsigned cpu, double n);

private:
    void add(unsigned cpu, Body body, bool awaited);
    std::unique_ptr<Machine> machine_;
    std::vector<std::unique_ptr<ExecutionContext>> contexts_;
    struct Banks {
        Counters user, kernel;
    };
    std::vector<std::unique_ptr<Banks>> banks_;
    unsigned awaited_ = 0;
};

/// Runs `body` in a forked child and returns the numbers that it returns, so that one test can build
/// several machines. A child that fails ends the test with its message.
std::vector<double> in_child(const std::function<std::vector<double>()>& body);

}  // namespace linefill::model
