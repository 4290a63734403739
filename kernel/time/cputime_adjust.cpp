// SPDX-License-Identifier: Apache-2.0
// Splits the precise run time into user and system time in the ratio that the tick has sampled.
#include <algorithm>
#include <utility>

#include "kernel/base/function.h"
#include "kernel/sched/task.h"
#include "kernel/time/clock.h"
#include "kernel/time/cost.h"
#include "kernel/time/cputime.h"

namespace linefill::kernel {

namespace {

const KernelFunction kAdjust{"cputime_adjust", "kernel/sched/cputime.c (v3.18, v4.7)", 340, 5};

constexpr u64 kUserHz = 100;
constexpr u64 kNsPerSecond = 1'000'000'000;

struct Split {
    u64 utime, stime;
};

/// The two times that add up to `rtime`.
Split split(const TaskCputime& sampled, u64 rtime) {
    // A process that the tick has never seen in one of the two modes has spent all its time in the
    // other.
    if (sampled.stime == 0) return {rtime, 0};
    if (sampled.utime == 0) return {0, rtime};
    const u64 stime = scale_stime(sampled.stime, rtime, sampled.stime + sampled.utime);
    return {rtime - stime, stime};
}

/// v3.18: raises a value unless somebody has raised it further.
void advance(Field<u64>& value, u64 to) {
    for (;;) {
        const u64 seen = value.load();
        run(3);
        if (to <= seen || value.cmpxchg(seen, to)) return;
    }
}

void store_monotonic(PrevCputime& prev, Split s, u64 rtime) {
    const u64 before_s = prev.stime.load();
    if (s.stime < before_s) {
        s.stime = before_s;
        s.utime = rtime - s.stime;
    }
    const u64 before_u = prev.utime.load();
    if (s.utime < before_u) {
        s.utime = before_u;
        s.stime = rtime - s.utime;
    }
    run(10);
    prev.stime = s.stime;
    prev.utime = s.utime;
}

}  // namespace

u64 scale_stime(u64 stime, u64 rtime, u64 total) {
    constexpr u64 kHigh = ~u64{0xffffffff};
    u64 small = std::min(stime, rtime), big = std::max(stime, rtime);
    // The product of two 32-bit values fits, and a 32-bit divisor makes the division cheap. A factor
    // of two moves from the larger value to the smaller as long as that has room; then both the
    // product and the divisor lose a bit.
    unsigned steps = 0;
    while ((total & kHigh) != 0 || (big & kHigh) != 0) {
        ++steps;
        const bool movable = (total & kHigh) == 0 && (small >> 31) == 0;
        big >>= 1;
        if (movable) {
            small <<= 1;
        } else {
            total >>= 1;
        }
        if (small > big) std::swap(small, big);
    }
    if (model::Scheduler::running_agent() != nullptr) {
        run(12 + 7 * steps);
        model::this_hw_thread().charge(divide_cost(), model::CpiComponent::kBase);
    }
    return small * big / total;
}

void cputime_adjust(const TaskCputime& curr, PrevCputime& prev, u64* utime, u64* stime) {
    const Frame frame(kAdjust);
    const Token dep = take_dep();
    const bool locked = prev.lock != nullptr;
    IrqFlags flags = false;
    if (locked) {
        g_next_dep = dep;
        flags = prev.lock->lock_irqsave();
    }
    const u64 rtime = nsecs_to_cputime(curr.sum_exec_runtime);
    run(8);
    g_next_dep = dep;
    const u64 before = prev.stime.load() + prev.utime.load();
    if (before < rtime) {
        const Split s = split(curr, rtime);
        if (locked) {
            store_monotonic(prev, s, rtime);
        } else {
            advance(prev.stime, s.stime);
            advance(prev.utime, s.utime);
        }
    }
    *utime = prev.utime.load();
    *stime = prev.stime.load();
    run(4);
    if (locked) prev.lock->unlock_irqrestore(flags);
}

u64 nsecs_to_cputime(u64 ns) { return ns / clock_data().tick_ns; }

u64 cputime_to_clock_t(u64 ticks) {
    return ticks * clock_data().tick_ns / (kNsPerSecond / kUserHz);
}

}  // namespace linefill::kernel
