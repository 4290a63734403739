// SPDX-License-Identifier: Apache-2.0
// The queued spinlock of x86 from v4.2 on: a second contender waits on the pending bit, later ones
// in a queue of per-CPU nodes, each spinning on its own line (kernel-paths k).
#include "kernel/base/function.h"
#include "kernel/lock/lock_words.h"
#include "kernel/lock/spinlock.h"

namespace linefill::kernel {

namespace {

using words::kLocked;
using words::kLockedMask;
using words::kLockedPendingMask;
using words::kPending;
using words::kTailMask;

const KernelFunction kSlowPath{"queued_spin_lock_slowpath", "kernel/locking/qspinlock.c (v4.7)",
                               560, 4};

// Load, test, PAUSE, branch.
constexpr model::SpinLoop kLoop{.instructions = 4, .loads = 1, .pause = true};

/// `next` is a tail: CPU and nesting of the waiter's node.
void store_next(void* node, u64 next) {
    const auto tail = static_cast<u32>(next);
    static_cast<McsNode*>(node)->next =
        &lock_system().node(words::tail_cpu(tail), words::tail_nesting(tail));
}
void store_node_locked(void* node, u64 value) {
    static_cast<McsNode*>(node)->locked = static_cast<u32>(value);
}

}  // namespace

bool RawSpinlock::queued_lock(Token dep) {
    model::HwThread& hw = model::this_hw_thread();
    u32 seen = 0;
    const bool taken = hw.locked(
        addr_, 4, id_,
        [&] {
            seen = word_;
            if (word_ != 0) return false;
            word_ = kLocked;
            return true;
        },
        dep);
    hw.execute(3);  // operands of the cmpxchg, test, branch
    if (taken) return false;
    hw.mispredict();
    const Frame frame(kSlowPath);
    if (lock_system().mcs_queueing()) {
        queued_lock_slow(seen);
    } else {
        test_and_set_slow();
    }
    return true;
}

void RawSpinlock::queued_lock_slow(u32 seen) {
    model::HwThread& hw = model::this_hw_thread();
    hw.execute(4);
    // The pending waiter is taking over from the owner that left: let it.
    if (seen == kPending) {
        hw.spin_until(addr_, 4, id_, kLoop, [&] { return word_ != kPending; });
        seen = word_;
    }
    while ((seen & ~kLockedMask) == 0) {
        const u32 wanted = seen == 0 ? kLocked : kLocked | kPending;
        const u32 old = hw.locked(addr_, 4, id_, [&] {
            const u32 before = word_;
            if (before == seen) word_ = wanted;
            return before;
        });
        hw.execute(6);
        if (old != seen) {
            seen = old;
            continue;
        }
        if (wanted == kLocked) return;
        hw.spin_until(addr_, 4, id_, kLoop, [&] { return (word_ & kLockedMask) == 0; });
        hw.store(addr_, 2, id_, {}, {&words::store_low_half, &word_, kLocked});
        return;
    }
    wait_in_queue();
}

void RawSpinlock::wait_in_queue() {
    model::HwThread& hw = model::this_hw_thread();
    LockSystem& system = lock_system();
    const unsigned cpu = hw.cpu();
    McsNode& first = system.node(cpu, 0);
    // this node = first + count++ : the count lies in the first node.
    hw.load(first.base + McsNode::kCountOffset, 4, system.count_id);
    const auto nesting = static_cast<unsigned>(first.count++);
    hw.store(first.base + McsNode::kCountOffset, 4, system.count_id);
    McsNode& node = system.node(cpu, nesting);
    const u32 tail = words::tail_of(cpu, nesting);
    hw.execute(14);  // CPU number, tail, address of the node
    node.locked = 0;
    hw.store(node.base + McsNode::kLockedOffset, 4, system.locked_id);
    node.next = nullptr;
    hw.store(node.base + McsNode::kNextOffset, 8, system.next_id);

    // The count and the node took time: the lock may be free by now.
    hw.load(addr_, 4, id_);
    hw.execute(3);
    const bool taken = word_ == 0 && hw.locked(addr_, 4, id_, [&] {
        if (word_ != 0) return false;
        word_ = kLocked;
        return true;
    });
    if (!taken) {
        const u32 old = hw.locked(addr_ + 2, 2, id_, [&] {
            return std::exchange(word_, (word_ & kLockedPendingMask) | tail);
        });
        hw.execute(4);
        if ((old & kTailMask) != 0) {
            McsNode& before = system.node(words::tail_cpu(old), words::tail_nesting(old));
            hw.execute(8);  // decode CPU and index, its per-CPU base
            hw.store(before.base + McsNode::kNextOffset, 8, system.next_id, {},
                     {&store_next, &before, tail});
            hw.spin_until(node.base + McsNode::kLockedOffset, 4, system.locked_id, kLoop,
                          [&] { return node.locked != 0; });
            // prefetchw of the next waiter's node: PREFETCHT0 on CPUs without PREFETCHW.
            hw.load(node.base + McsNode::kNextOffset, 8, system.next_id);
            hw.execute(2);
            if (node.next != nullptr) {
                hw.prefetch(node.next->base, system.next_id, model::PrefetchKind::kT0);
            }
        }
        claim_and_hand_on(node, tail);
    }
    hw.load(first.base + McsNode::kCountOffset, 4, system.count_id);
    first.count--;
    hw.store(first.base + McsNode::kCountOffset, 4, system.count_id);
}

void RawSpinlock::claim_and_hand_on(McsNode& node, u32 tail) {
    model::HwThread& hw = model::this_hw_thread();
    LockSystem& system = lock_system();
    u32 seen = 0;
    hw.spin_until(addr_, 4, id_, kLoop, [&] {
        seen = word_;
        return (word_ & kLockedPendingMask) == 0;
    });
    hw.execute(4);
    if ((seen & kTailMask) == tail) {
        // Last in the queue: clear the tail with the claim, unless somebody queues meanwhile.
        const bool alone = hw.locked(addr_, 4, id_, [&] {
            if (word_ != seen) return false;
            word_ = kLocked;
            return true;
        });
        hw.execute(3);
        if (alone) return;
    }
    hw.store(addr_, 1, id_, {}, {&words::store_byte<0>, &word_, kLocked});
    hw.load(node.base + McsNode::kNextOffset, 8, system.next_id);
    hw.execute(2);
    if (node.next == nullptr) {
        // The successor has set the tail and is about to link itself.
        hw.spin_until(node.base + McsNode::kNextOffset, 8, system.next_id, kLoop,
                      [&] { return node.next != nullptr; });
    }
    hw.store(node.next->base + McsNode::kLockedOffset, 4, system.locked_id, {},
             {&store_node_locked, node.next, 1});
}

void RawSpinlock::test_and_set_slow() {
    model::HwThread& hw = model::this_hw_thread();
    for (;;) {
        hw.spin_until(addr_, 4, id_, kLoop, [&] { return word_ == 0; });
        const bool taken = hw.locked(addr_, 4, id_, [&] {
            if (word_ != 0) return false;
            word_ = kLocked;
            return true;
        });
        hw.execute(3);
        if (taken) return;
    }
}

}  // namespace linefill::kernel
