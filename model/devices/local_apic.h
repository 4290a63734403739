// SPDX-License-Identifier: Apache-2.0
// The local interrupt controller of one CPU as the layers above use it: a one-shot timer and IPIs.
// Register writes go through a TLM-2.0 socket (devices/apic_registers.h).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/sim/scheduler.h"
#include "model/sim/time.h"

namespace linefill::model {

class Machine;
class HwThread;

/// Raises a vector at a CPU at a point in time.
class InterruptEvent final : public Schedulable {
public:
    InterruptEvent(HwThread& target, unsigned vector, std::uint32_t rank)
        : Schedulable(rank), target_(target), vector_(vector) {}

protected:
    void fire(Tick now) override;

private:
    HwThread& target_;
    unsigned vector_;
};

/// Where the registers are written (the TLM side).
struct ApicRegisters {
    virtual ~ApicRegisters() = default;
    virtual void write(unsigned offset, std::uint64_t value) = 0;
};

class LocalApic {
public:
    static constexpr unsigned kDeadlineRegister = 0x00;  ///< absolute time in fs; kNever: off
    static constexpr unsigned kIcrRegister = 0x08;       ///< target << 8 | vector

    LocalApic(Machine& machine, HwThread& cpu);

    /// Programs the one-shot timer (kTimerVector at `at`; kNever cancels). Charges the write.
    void set_deadline(Tick at);
    /// Sends `vector` to another CPU. Charges the write.
    void send_ipi(unsigned target_cpu, unsigned vector);

    void connect(ApicRegisters& registers) { registers_ = &registers; }
    /// What a register write does (called by the TLM target).
    void on_write(unsigned offset, std::uint64_t value);
    std::uint64_t ipis_sent() const { return ipis_; }

private:
    Machine& machine_;
    HwThread& cpu_;
    ApicRegisters* registers_ = nullptr;
    InterruptEvent timer_;
    std::vector<std::unique_ptr<InterruptEvent>> ipi_;  // to this CPU, by vector
    std::uint64_t ipis_ = 0;
};

}  // namespace linefill::model
