// SPDX-License-Identifier: Apache-2.0
// Places the queue nodes of queued spinlocks in the per-CPU areas.
#include "kernel/lock/lock_system.h"

namespace linefill::kernel {

void LockSystem::configure(LockKind kind, bool mcs_queueing, unsigned cpus, Sections& sections) {
    kind_ = kind;
    mcs_queueing_ = mcs_queueing;
    nodes_.assign(std::size_t{cpus} * kNesting, McsNode{});
    if (kind == LockKind::kTicket) return;
    FieldRegistry& fields = FieldRegistry::instance();
    next_id = fields.id("mcs_spinlock", "next", McsNode::kNextOffset, 8);
    locked_id = fields.id("mcs_spinlock", "locked", McsNode::kLockedOffset, 4);
    count_id = fields.id("mcs_spinlock", "count", McsNode::kCountOffset, 4);
    for (unsigned cpu = 0; cpu < cpus; ++cpu) {
        const Addr base = sections.per_cpu("mcs_nodes", cpu, McsNode::kBytes * kNesting, 64);
        for (unsigned i = 0; i < kNesting; ++i)
            node(cpu, i).base = base + Addr{McsNode::kBytes} * i;
    }
}

}  // namespace linefill::kernel
