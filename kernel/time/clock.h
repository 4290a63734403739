// SPDX-License-Identifier: Apache-2.0
// The kernel's clocks on a stable TSC: sched_clock in ns, jiffies.
#pragma once

#include <memory>
#include <vector>

#include "kernel/base/field.h"
#include "kernel/base/sections.h"
#include "kernel/lock/seqcount.h"

namespace linefill::kernel {

/// ns since boot from this CPU's TSC. 18 instructions: RDTSC, five loads of the per-CPU cyc2ns line.
[[nodiscard]] u64 sched_clock();
/// The same for `cpu`: with a stable TSC no other CPU's data is touched.
[[nodiscard]] u64 sched_clock_cpu(unsigned cpu);
/// The same without any cost, for bookkeeping of the simulation.
[[nodiscard]] u64 peek_sched_clock();

/// ktime_get: monotonic ns, reading tk_core under its sequence counter.
[[nodiscard]] u64 ktime_get();

/// To be called once by the kernel at boot: places cyc2ns, jiffies, tk_core. `tsc_hz` of the machine.
void clock_init(unsigned cpus, double tsc_hz, int hz, const Layout& layout, Sections& sections);

/// The data that clock_init placed.
struct ClockData {
    struct PerCpu {
        explicit PerCpu(Addr line);
        Field<u64> offset, head, tail;
        Field<u32> mul, shift;
    };
    struct Timekeeper {
        Timekeeper(const Layout& layout, Addr base);
        Addr base;
        unsigned bytes;
        Seqcount seq;  ///< before the structure
        Field<u64> clock, cycle_last, xtime_nsec, base_mono;
        Field<u32> mult, shift;
    };
    std::vector<std::unique_ptr<PerCpu>> cyc2ns;
    u64 ns_factor = 0;  ///< ns per TSC tick, 48 fractional bits
    u64 tick_ns = 4'000'000;
    std::unique_ptr<Field<u64>> jiffies;  ///< jiffies_64
    std::unique_ptr<Seqlock> jiffies_lock;
    std::unique_ptr<Field<u64>> last_jiffies_update;  ///< ns
    std::unique_ptr<Field<int>> tick_do_timer_cpu;    ///< -1: nobody
    std::unique_ptr<Timekeeper> timekeeper;           ///< tk_core
    std::unique_ptr<Timekeeper> shadow;               ///< its copy, as update_wall_time works on it
    Addr vvar = 0;                                    ///< the page that user space reads time from
};
[[nodiscard]] ClockData& clock_data();

/// HZ-rate counter, read from its line.
[[nodiscard]] inline u64 jiffies() { return clock_data().jiffies->load(); }

/// The do_timer CPU's part of the tick: jiffies_64 and the wall clock go on by what has passed.
void tick_do_update_jiffies64(u64 now_ns);

}  // namespace linefill::kernel
