// SPDX-License-Identifier: Apache-2.0
#include "model/devices/local_apic.h"

#include "model/core/hw_thread.h"
#include "model/devices/vectors.h"
#include "model/machine.h"

namespace linefill::model {

namespace {
constexpr unsigned kVectors = 8;
constexpr std::uint32_t kTimerRank = 200;
constexpr std::uint32_t kIpiRank = 201;
}  // namespace

void InterruptEvent::fire(Tick) { target_.raise(vector_); }

LocalApic::LocalApic(Machine& machine, HwThread& cpu)
    : machine_(machine), cpu_(cpu), timer_(cpu, kTimerVector, cpu.cpu() * 256 + kTimerRank) {
    for (unsigned v = 0; v < kVectors; ++v) {
        ipi_.push_back(std::make_unique<InterruptEvent>(cpu, v, cpu.cpu() * 256 + kIpiRank + v));
    }
}

void LocalApic::set_deadline(Tick at) {
    const double ghz = 1e6 / static_cast<double>(cpu_.period());
    cpu_.serialise(ticks_from_ns(machine_.platform().core.wrmsr.to_ns(ghz)), CpiComponent::kIrq);
    registers_->write(kDeadlineRegister, static_cast<std::uint64_t>(at));
}

void LocalApic::send_ipi(unsigned target_cpu, unsigned vector) {
    ++ipis_;
    cpu_.fence();
    cpu_.synchronise();
    registers_->write(kIcrRegister, std::uint64_t{target_cpu} << 8 | vector);
}

void LocalApic::on_write(unsigned offset, std::uint64_t value) {
    Scheduler& scheduler = machine_.scheduler();
    if (offset == kDeadlineRegister) {
        const Tick at = static_cast<Tick>(value);
        if (at == kNever) {
            scheduler.cancel(timer_);
        } else {
            scheduler.schedule(timer_, at);
        }
        return;
    }
    const auto target = static_cast<unsigned>(value >> 8);
    const auto vector = static_cast<unsigned>(value & 0xff);
    const IrqConfig& irq = machine_.platform().irq;
    const bool near = machine_.socket_of(target) == machine_.socket_of(cpu_.cpu());
    const double ghz = 1e6 / static_cast<double>(cpu_.period());
    const Tick latency =
        ticks_from_ns((near ? irq.ipi_same_socket : irq.ipi_other_socket).to_ns(ghz));
    InterruptEvent& event = *machine_.apic(target).ipi_[vector];
    // One of the same vector that is under way already is merged with, as the IRR bit does.
    if (!event.scheduled()) scheduler.schedule(event, cpu_.now() + latency);
}

}  // namespace linefill::model
