// SPDX-License-Identifier: Apache-2.0
// clock_nanosleep on the process CPU clock (kernel-paths a.5): arming a timer and waiting for it.
#include <algorithm>
#include <map>
#include <memory>

#include "kernel/base/function.h"
#include "kernel/base/place.h"
#include "kernel/kernel.h"
#include "kernel/sched/sched.h"
#include "kernel/time/cpu_timer_list.h"

namespace linefill::kernel {

namespace {

constexpr const char* kSource = "kernel/time/posix-cpu-timers.c (v3.18, v4.7)";
const KernelFunction kNsleep{"do_cpu_nanosleep", kSource, 520, 6};
const KernelFunction kTimerSet{"posix_cpu_timer_set", kSource, 560, 6};
const KernelFunction kSample{"cpu_timer_sample_group", kSource, 150, 2};
const KernelFunction kArm{"arm_timer", kSource, 290, 3};

// Places in k_itimer that a sleeper uses.
constexpr u32 kItLock = 24, kItExpires = 104, kItEntry = 120, kItFiring = 144;
constexpr Addr kBelowStackTop = 768;

FieldId itimer_field(const char* name, u32 offset, u32 size) {
    return FieldRegistry::instance().id("k_itimer", name, offset, size);
}

/// What an armed timer is set against: the group's kept sum. Kernels before
/// update-curr-on-clock-read add what one task, the one that asks, has pending; the others' is left
/// out, or was counted when the sums were started and will be counted again.
u64 sample_for_timer(KPtr<TaskStruct> tsk) {
    const Frame frame(kSample);
    TaskCputime times;
    thread_group_cputimer(tsk, &times);
    run(6);
    if (kernel().sw().update_curr_on_clock_read) return times.sum_exec_runtime;
    return times.sum_exec_runtime + task_delta_exec(tsk);
}

void arm(CpuTimer& timer, SignalStruct& sig) {
    const Frame frame(kArm);
    CpuTimerList& list = cpu_timers_of(sig);
    (void)list.head.load();
    const u64 expires = timer.expires.load();
    auto at = list.timers.begin();
    for (; at != list.timers.end(); ++at) {
        run(4);
        if (expires < (*at)->expires.load()) break;
    }
    const bool first = at == list.timers.begin();
    list.timers.insert(at, &timer);
    timer.armed = true;
    timer.entry = 1;
    list.head = timer.base;
    run(16);
    if (!first) return;
    Field<u64>& earliest = sig.cputime_expires.sum_exec_runtime;
    const u64 before = earliest.load();
    if (before == 0 || expires < before) earliest = expires;
}

void set_timer(CpuTimer& timer, KPtr<TaskStruct> tsk, bool absolute, u64 ns) {
    const Frame frame(kTimerSet);
    const KPtr<SighandStruct> sighand = tsk->sighand.get();
    const IrqFlags flags = sighand->siglock.lock_irqsave();
    run(24);
    const u64 now = sample_for_timer(tsk);
    const u64 expires = absolute ? ns : now + ns;
    timer.expires = expires;
    const KPtr<SignalStruct> sig = tsk->signal.get();
    const bool ahead = now < expires;
    if (ahead) arm(timer, *sig.get());
    sighand->siglock.unlock_irqrestore(flags);
    run(12);
    if (!ahead) {
        timer.fired_at = now;
        cpu_timer_fire(timer);
    }
}

}  // namespace

CpuTimer::CpuTimer(TaskStruct& who, Addr at)
    : sleeper(who),
      base(at),
      it_lock(at + kItLock, itimer_field("it_lock", kItLock, 4), static_cast<u32>(who.host_pid)),
      expires(at + kItExpires, 8, itimer_field("it.cpu.expires", kItExpires, 8)),
      entry(at + kItEntry, 8, itimer_field("it.cpu.entry", kItEntry, 16)),
      firing(at + kItFiring, 4, itimer_field("it.cpu.firing", kItFiring, 4)) {}

CpuTimerList::CpuTimerList(SignalStruct& sig) : head(word_of<u64>(sig.place, "cpu_timers", 32)) {}

CpuTimerList& cpu_timers_of(SignalStruct& sig) {
    static std::map<const SignalStruct*, std::unique_ptr<CpuTimerList>> lists;  // never iterated
    std::unique_ptr<CpuTimerList>& list = lists[&sig];
    if (list == nullptr) list = std::make_unique<CpuTimerList>(sig);
    return *list;
}

void posix_cpu_nsleep(bool absolute, u64 ns) {
    const Frame frame(kNsleep);
    TaskStruct& self = current();
    const KPtr<TaskStruct> tsk = get_current();
    CpuTimer timer(self, self.sp0.peek() - kBelowStackTop);
    run(60);  // clears the timer, looks the clock up
    const KPtr<TaskStruct> leader = tsk->group_leader.get();
    leader->usage.fetch_add(1);
    timer.it_lock.lock_irq();
    set_timer(timer, leader, absolute, ns);
    while (timer.expires.load() != 0) {
        __set_current_state(kTaskInterruptible);
        timer.it_lock.unlock_irq();
        schedule();
        timer.it_lock.lock_irq();
        run(8);
    }
    timer.it_lock.unlock_irq();
    __set_current_state(kTaskRunning);
    leader->usage.fetch_add(-1);
}

}  // namespace linefill::kernel
