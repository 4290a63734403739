// SPDX-License-Identifier: Apache-2.0
// What all spinlocks of the kernel share: their kind, the queue nodes of each CPU, the observer.
#pragma once

#include <vector>

#include "kernel/base/field.h"
#include "kernel/base/sections.h"
#include "kernel/lock/lock_observer.h"
#include "kernel/version.h"

namespace linefill::kernel {

/// A waiter's place in the queue of a queued spinlock, in its CPU's per-CPU area. 16 bytes.
struct McsNode {
    static constexpr unsigned kBytes = 16, kNextOffset = 0, kLockedOffset = 8, kCountOffset = 12;
    Addr base = 0;
    McsNode* next = nullptr;  ///< host values; they change when the stores to them drain
    u32 locked = 0;
    int count = 0;  ///< of node 0: nesting depth in use on this CPU
};

class LockSystem {
public:
    static constexpr unsigned kNesting = 4;  ///< task, softirq, hardirq, nmi

    /// To be called once by the kernel before its first lock is built. `mcs_queueing` off makes a
    /// contended queued lock spin on the word and retry, as the fallback under a hypervisor does.
    void configure(LockKind kind, bool mcs_queueing, unsigned cpus, Sections& sections);

    [[nodiscard]] LockKind kind() const { return kind_; }
    [[nodiscard]] bool mcs_queueing() const { return mcs_queueing_; }
    /// Bytes that a spinlock of this kind has.
    [[nodiscard]] unsigned size() const { return kind_ == LockKind::kTicket ? 2 : 4; }
    McsNode& node(unsigned cpu, unsigned nesting) { return nodes_[cpu * kNesting + nesting]; }

    void set_observer(LockObserver* o) { observer_ = o; }
    [[nodiscard]] LockObserver* observer() const { return observer_; }

    FieldId next_id = 0, locked_id = 0, count_id = 0;  ///< of mcs_spinlock's fields

private:
    LockKind kind_ = LockKind::kQueued;
    bool mcs_queueing_ = true;
    std::vector<McsNode> nodes_;
    LockObserver* observer_ = nullptr;
};

/// The one instance: one process simulates one machine.
inline LockSystem& lock_system() {
    static LockSystem system;
    return system;
}

}  // namespace linefill::kernel
