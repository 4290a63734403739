// SPDX-License-Identifier: Apache-2.0
// raw_spinlock_t of the kernel that runs: 2-byte ticket lock or 4-byte queued lock. Takes no part in
// preemption (kernels without PREEMPT) and leaves interrupts to the caller, except for the irqsave
// forms; interrupts that are off stay off while waiting.
#pragma once

#include "kernel/base/field.h"
#include "kernel/lock/irq_flags.h"
#include "kernel/lock/lock_system.h"

namespace linefill::kernel {

class RawSpinlock {
public:
    /// `field` of the structure at `at` in the layout ("lock", "pi_lock"); `instance` tells locks of
    /// one class apart in reports: a CPU, a pid.
    RawSpinlock(const Place& at, const char* field, u32 instance = 0);
    /// A lock outside any structure (jiffies_lock).
    RawSpinlock(Addr addr, FieldId id, u32 instance = 0)
        : addr_(addr), id_(id), instance_(instance) {}
    RawSpinlock(const RawSpinlock&) = delete;
    RawSpinlock& operator=(const RawSpinlock&) = delete;

    void lock();
    [[nodiscard]] bool trylock();
    /// A plain store; others see it when it drains.
    void unlock();

    /// pushf, cli, lock; returns what was saved.
    [[nodiscard]] IrqFlags lock_irqsave();
    void unlock_irqrestore(IrqFlags flags);
    void lock_irq();
    void unlock_irq() {
        unlock();
        local_irq_enable();
    }

    // Host view, charged to nobody: reports of deadlocks, tests.
    [[nodiscard]] bool is_locked() const;
    [[nodiscard]] int holder_cpu() const { return holder_cpu_; }  ///< -1: nobody
    [[nodiscard]] u32 word() const { return word_; }
    [[nodiscard]] Addr addr() const { return addr_; }
    [[nodiscard]] FieldId id() const { return id_; }
    [[nodiscard]] u32 instance() const { return instance_; }
    void set_instance(u32 instance) { instance_ = instance; }

private:
    void take(model::FunctionId caller, Token dep);
    bool ticket_lock(Token dep);
    void ticket_unlock();
    bool queued_lock(Token dep);
    void queued_lock_slow(u32 seen);
    void wait_in_queue();
    void claim_and_hand_on(McsNode& node, u32 tail);
    void test_and_set_slow();
    void acquired(model::Tick since, bool contended, model::FunctionId caller);

    Addr addr_;
    FieldId id_;
    u32 instance_;
    /// Ticket: owner in the low byte, next in the high byte. Queued: locked byte, pending byte, 16-bit
    /// tail. Changes when a store drains or a locked operation holds the line.
    u32 word_ = 0;
    int holder_cpu_ = -1;
    model::Tick held_since_ = 0;
};

/// Scope of a held lock; interrupts as they are.
class SpinGuard {
public:
    explicit SpinGuard(RawSpinlock& lock) : lock_(lock) { lock_.lock(); }
    ~SpinGuard() noexcept(false) {
        if (model::Scheduler::running_agent() != nullptr) lock_.unlock();
    }
    SpinGuard(const SpinGuard&) = delete;
    SpinGuard& operator=(const SpinGuard&) = delete;

private:
    RawSpinlock& lock_;
};

/// The same with interrupts off.
class SpinIrqGuard {
public:
    explicit SpinIrqGuard(RawSpinlock& lock) : lock_(lock), flags_(lock.lock_irqsave()) {}
    ~SpinIrqGuard() noexcept(false) {
        if (model::Scheduler::running_agent() != nullptr) lock_.unlock_irqrestore(flags_);
    }
    SpinIrqGuard(const SpinIrqGuard&) = delete;
    SpinIrqGuard& operator=(const SpinIrqGuard&) = delete;

private:
    RawSpinlock& lock_;
    IrqFlags flags_;
};

}  // namespace linefill::kernel
