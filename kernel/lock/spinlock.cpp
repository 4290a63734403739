// SPDX-License-Identifier: Apache-2.0
// What is common to both kinds of spinlock, and the ticket lock of x86 up to v4.1.
#include "kernel/lock/spinlock.h"

#include "kernel/base/function.h"
#include "kernel/lock/lock_words.h"

namespace linefill::kernel {

namespace {

struct LockField : FieldBase {
    LockField(const Place& at, const char* field) : FieldBase(at, field) {}
};

// Out of line on kernels without PREEMPT, except for the plain unlock, which is one inlined store.
constexpr const char* kSource = "kernel/locking/spinlock.c (v3.18, v4.7)";
const KernelFunction kLock{"_raw_spin_lock", kSource, 28, 0};
const KernelFunction kLockIrqsave{"_raw_spin_lock_irqsave", kSource, 44, 1};
const KernelFunction kLockIrq{"_raw_spin_lock_irq", kSource, 30, 0};
const KernelFunction kUnlockIrqrestore{"_raw_spin_unlock_irqrestore", kSource, 12, 0};

// Load, compare, PAUSE, branch.
constexpr model::SpinLoop kTicketLoop{.instructions = 4, .loads = 1, .pause = true};

}  // namespace

RawSpinlock::RawSpinlock(const Place& at, const char* field, u32 instance)
    : addr_(0), id_(model::kNoField), instance_(instance) {
    const LockField f(at, field);
    addr_ = f.addr();
    id_ = f.id();
}

void RawSpinlock::take(model::FunctionId caller, Token dep) {
    const model::Tick since = model::this_hw_thread().now();
    const bool contended =
        lock_system().kind() == LockKind::kTicket ? ticket_lock(dep) : queued_lock(dep);
    acquired(since, contended, caller);
}

void RawSpinlock::lock() {
    const Token dep = take_dep();
    const model::FunctionId caller = model::this_hw_thread().function();
    const Frame frame(kLock);
    take(caller, dep);
}

IrqFlags RawSpinlock::lock_irqsave() {
    const Token dep = take_dep();
    const model::FunctionId caller = model::this_hw_thread().function();
    const Frame frame(kLockIrqsave);
    const IrqFlags flags = local_irq_save();
    take(caller, dep);
    return flags;
}

void RawSpinlock::lock_irq() {
    const Token dep = take_dep();
    const model::FunctionId caller = model::this_hw_thread().function();
    const Frame frame(kLockIrq);
    local_irq_disable();
    take(caller, dep);
}

void RawSpinlock::unlock_irqrestore(IrqFlags flags) {
    const Frame frame(kUnlockIrqrestore);
    unlock();
    local_irq_restore(flags);
}

bool RawSpinlock::trylock() {
    const Token dep = take_dep();
    model::HwThread& hw = model::this_hw_thread();
    const model::Tick since = hw.now();
    const bool ticket = lock_system().kind() == LockKind::kTicket;
    // Both kinds look first, and try the locked operation only on a free word.
    hw.load(addr_, lock_system().size(), id_, dep);
    hw.execute(3);
    const bool looks_free = ticket ? words::ticket_is_free(word_) : word_ == 0;
    if (!looks_free) return false;
    const bool taken = hw.locked(addr_, lock_system().size(), id_, [&] {
        if (ticket ? !words::ticket_is_free(word_) : word_ != 0) return false;
        word_ = ticket ? words::ticket_taken(word_) : words::kLocked;
        return true;
    });
    if (taken) acquired(since, false, hw.function());
    return taken;
}

void RawSpinlock::unlock() {
    model::HwThread& hw = model::this_hw_thread();
    if (LockObserver* o = lock_system().observer(); o != nullptr) {
        o->on_release(id_, instance_, hw.cpu(), hw.now() - held_since_);
    }
    holder_cpu_ = -1;
    if (lock_system().kind() == LockKind::kTicket) {
        ticket_unlock();
        return;
    }
    hw.store(addr_, 1, id_, {}, {&words::store_byte<0>, &word_, 0});
}

bool RawSpinlock::is_locked() const {
    return lock_system().kind() == LockKind::kTicket ? !words::ticket_is_free(word_)
                                                     : (word_ & words::kLockedMask) != 0;
}

void RawSpinlock::acquired(model::Tick since, bool contended, model::FunctionId caller) {
    model::HwThread& hw = model::this_hw_thread();
    holder_cpu_ = static_cast<int>(hw.cpu());
    held_since_ = hw.now();
    if (LockObserver* o = lock_system().observer(); o != nullptr) {
        o->on_acquire({.field = id_,
                       .instance = instance_,
                       .addr = addr_,
                       .cpu = hw.cpu(),
                       .function = caller,
                       .contended = contended,
                       .wait = held_since_ - since});
    }
}

bool RawSpinlock::ticket_lock(Token dep) {
    model::HwThread& hw = model::this_hw_thread();
    const u32 before = hw.locked(
        addr_, 2, id_, [&] { return std::exchange(word_, words::ticket_taken(word_)); }, dep);
    const u32 mine = words::ticket_next(before);
    hw.execute(5);  // prepare the increment, split the two halves, compare, branch
    if (words::ticket_owner(before) == mine) return false;
    hw.spin_until(addr_, 1, id_, kTicketLoop, [&] { return words::ticket_owner(word_) == mine; });
    return true;
}

void RawSpinlock::ticket_unlock() {
    // One INCB on memory: not locked, since only the holder writes that byte.
    model::HwThread& hw = model::this_hw_thread();
    const Token old = hw.load(addr_, 1, id_);
    const u32 next_owner = (words::ticket_owner(word_) + 1) & 0xffU;
    hw.store(addr_, 1, id_, old, {&words::store_byte<0>, &word_, next_owner});
}

}  // namespace linefill::kernel
