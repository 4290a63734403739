// SPDX-License-Identifier: Apache-2.0
// High-resolution timers of one CPU: queue, interrupt, programming of the local timer.
#include <algorithm>
#include <limits>

#include "kernel/base/function.h"
#include "kernel/sched/sched.h"
#include "kernel/time/clock.h"
#include "kernel/time/cost.h"
#include "kernel/time/tick_data.h"
#include "model/machine.h"

namespace linefill::kernel {

namespace {

constexpr const char* kSource = "kernel/time/hrtimer.c (v4.7)";
const KernelFunction kInterrupt{"hrtimer_interrupt", kSource, 420, 6};
const KernelFunction kRunQueues{"__hrtimer_run_queues", kSource, 460, 6};
const KernelFunction kEnqueue{"enqueue_hrtimer", kSource, 90, 3};
const KernelFunction kRemove{"__remove_hrtimer", kSource, 130, 3};
const KernelFunction kProgram{"clockevents_program_event", "kernel/time/clockevents.c (v4.7)", 230,
                              3};
const KernelFunction kStart{"hrtimer_start_range_ns", kSource, 760, 6};
const KernelFunction kCancel{"hrtimer_try_to_cancel", kSource, 180, 4};
const KernelFunction kNanosleep{"hrtimer_nanosleep", kSource, 330, 4};

constexpr u64 kNoEvent = std::numeric_limits<u64>::max();
constexpr u64 kTimerSlackNs = 50'000;  // of a task that has not asked for another

struct TimerIds {
    FieldId node = FieldRegistry::instance().id("hrtimer", "node.node", 0, 24);
    FieldId expires = FieldRegistry::instance().id("hrtimer", "node.expires", 24, 8);
    FieldId soft = FieldRegistry::instance().id("hrtimer", "_softexpires", 32, 8);
    FieldId state = FieldRegistry::instance().id("hrtimer", "state", 56, 1);
};

const TimerIds& ids() {
    static const TimerIds kAll;
    return kAll;
}

bool earlier(const Hrtimer* a, const Hrtimer* b) { return a->expires < b->expires; }

/// Steps that a balanced tree of `n` takes from its root to a leaf.
unsigned depth_of(std::size_t n) {
    unsigned depth = 0;
    while ((std::size_t{1} << depth) <= n) ++depth;
    return depth;
}

}  // namespace

void enqueue_hrtimer(HrtimerBase& base, Hrtimer& timer) {
    const Frame frame(kEnqueue);
    model::HwThread& hw = model::this_hw_thread();
    (void)base.root.load();
    // The timers that the search passes; the tree is a vector here, its nodes' lines are real.
    for (unsigned i = 0, n = depth_of(base.queue.size()); i < n && i < base.queue.size(); ++i) {
        hw.load(base.queue[base.queue.size() >> (i + 1)]->base + 24, 8, ids().expires);
        run(5);
    }
    base.queue.insert(std::upper_bound(base.queue.begin(), base.queue.end(), &timer, earlier),
                      &timer);
    timer.queued = true;
    hw.store(timer.base, 8, ids().node);
    hw.store(timer.base + 56, 1, ids().state);
    base.root = 0;
    if (base.queue.front() == &timer) base.first = timer.base;
    run(24);
}

void remove_hrtimer(HrtimerBase& base, Hrtimer& timer) {
    const Frame frame(kRemove);
    model::HwThread& hw = model::this_hw_thread();
    const bool was_first = base.queue.front() == &timer;
    base.queue.erase(std::find(base.queue.begin(), base.queue.end(), &timer));
    timer.queued = false;
    hw.load(timer.base, 8, ids().node);
    hw.store(timer.base, 8, ids().node);
    hw.store(timer.base + 56, 1, ids().state);
    base.root = 0;
    if (was_first) base.first = base.queue.empty() ? 0 : base.queue.front()->base;
    run(30);
}

void tick_program_event(u64 expires) {
    const Frame frame(kProgram);
    model::HwThread& hw = model::this_hw_thread();
    model::LocalApic& apic = hw.machine().apic(hw.cpu());
    if (expires == kNoEvent) {
        run(8);
        hw.serialise(timer_program_cost(), model::CpiComponent::kIrq);
        apic.set_deadline(model::kNever);
        return;
    }
    (void)ktime_get();
    run(16);
    (void)hw.rdtsc();
    hw.serialise(timer_program_cost(), model::CpiComponent::kIrq);
    // One ns later, since both the TSC and ktime round down.
    apic.set_deadline(
        std::max(static_cast<model::Tick>(expires + 1) * model::kNanosecond, hw.now()));
}

void reprogram_first(HrtimerBase& base) {
    const u64 first = base.queue.empty() ? kNoEvent : base.queue.front()->expires;
    run(6);
    if (first == base.expires_next.load()) return;
    base.expires_next = first;
    tick_program_event(first);
}

namespace {

/// Runs what has expired; the queue is ordered by hard expiry, and a timer behind one whose soft
/// time lies ahead waits with it, as in the kernel.
void run_queues(HrtimerBase& base, u64 now) {
    const Frame frame(kRunQueues);
    model::HwThread& hw = model::this_hw_thread();
    (void)base.active_bases.load();
    for (;;) {
        const Loaded<u64> first = base.first.load();
        run(8);
        if (base.queue.empty()) return;
        Hrtimer& timer = *base.queue.front();
        hw.load(timer.base + 32, 8, ids().soft, first.token);
        if (timer.softexpires > now) return;
        remove_hrtimer(base, timer);
        base.lock.unlock();
        const bool again = timer.function(timer);
        base.lock.lock();
        run(14);
        if (again && !timer.queued) enqueue_hrtimer(base, timer);
    }
}

}  // namespace

void hrtimer_run_expired() {
    const Frame frame(kInterrupt);
    HrtimerBase& base = this_tick_cpu().base;
    ++base.nr_events;
    base.lock.lock();
    u64 now = ktime_get();
    base.in_interrupt = true;
    base.expires_next = kNoEvent;
    run(12);
    for (;;) {
        run_queues(base, now);
        const u64 next = base.queue.empty() ? kNoEvent : base.queue.front()->expires;
        base.expires_next = next;
        run(16);
        if (next > ktime_get()) {
            base.in_interrupt = false;
            base.lock.unlock();
            tick_program_event(next);
            return;
        }
        now = ktime_get();  // it took so long that the next has expired too
    }
}

void hrtimer_start(Hrtimer& timer, u64 expires, u64 slack) {
    const Frame frame(kStart);
    HrtimerBase& base = this_tick_cpu().base;
    model::HwThread& hw = model::this_hw_thread();
    const IrqFlags flags = base.lock.lock_irqsave();
    if (timer.queued) remove_hrtimer(base, timer);
    timer.softexpires = expires;
    timer.expires = expires + slack;
    hw.store(timer.base + 32, 8, ids().soft);
    hw.store(timer.base + 24, 8, ids().expires);
    run(30);
    enqueue_hrtimer(base, timer);
    // Inside the interrupt the end of hrtimer_interrupt programs for whatever is first then.
    if (!base.in_interrupt) reprogram_first(base);
    base.lock.unlock_irqrestore(flags);
}

bool hrtimer_cancel(Hrtimer& timer) {
    const Frame frame(kCancel);
    HrtimerBase& base = this_tick_cpu().base;
    model::this_hw_thread().load(timer.base + 56, 1, ids().state);
    run(10);
    if (!timer.queued) return false;
    const IrqFlags flags = base.lock.lock_irqsave();
    remove_hrtimer(base, timer);
    if (!base.in_interrupt) reprogram_first(base);
    base.lock.unlock_irqrestore(flags);
    return true;
}

void hrtimer_nanosleep(u64 ns) {
    const Frame frame(kNanosleep);
    TaskStruct& sleeper = current();
    Hrtimer timer;
    timer.base = sleeper.sp0.peek() - 512;  // on the sleeper's stack
    timer.function = [&sleeper](Hrtimer&) {
        wake_up_process(sleeper);
        return false;
    };
    run(40);
    bool expired = false;
    const u64 until = ktime_get() + ns;
    while (!expired) {
        set_current_state(kTaskInterruptible);
        if (!timer.queued) hrtimer_start(timer, until, kTimerSlackNs);
        schedule();
        // The timer is on the CPU that queued it and has run when it woke us.
        expired = !timer.queued;
        run(12);
    }
    __set_current_state(kTaskRunning);
}

}  // namespace linefill::kernel
