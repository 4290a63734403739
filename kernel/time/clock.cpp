// SPDX-License-Identifier: Apache-2.0
// sched_clock, ktime_get and jiffies on a machine with a stable TSC.
#include "kernel/time/clock.h"

#include "kernel/base/function.h"

namespace linefill::kernel {

namespace {

const KernelFunction kSchedClock{"native_sched_clock", "arch/x86/kernel/tsc.c (v4.7)", 96, 0};
const KernelFunction kKtimeGet{"ktime_get", "kernel/time/timekeeping.c (v4.7)", 128, 2};
const KernelFunction kUpdateJiffies{"tick_do_update_jiffies64", "kernel/time/tick-sched.c (v4.7)",
                                    208, 3};
const KernelFunction kUpdateWallTime{"update_wall_time", "kernel/time/timekeeping.c (v4.7)", 1200,
                                     6};

u64 ns_of(u64 tsc) {
    return static_cast<u64>(static_cast<unsigned __int128>(tsc) * clock_data().ns_factor >> 48);
}

}  // namespace

ClockData& clock_data() {
    static ClockData data;
    return data;
}

// Two sets of factors, of which one is in use, then the pointers to them: one line.
ClockData::PerCpu::PerCpu(Addr line)
    : offset(line + 8, 8, FieldRegistry::instance().id("cyc2ns", "data.cyc2ns_offset", 8, 8)),
      head(line + 48, 8, FieldRegistry::instance().id("cyc2ns", "head", 48, 8)),
      tail(line + 56, 8, FieldRegistry::instance().id("cyc2ns", "tail", 56, 8)),
      mul(line, 4, FieldRegistry::instance().id("cyc2ns", "data.cyc2ns_mul", 0, 4)),
      shift(line + 4, 4, FieldRegistry::instance().id("cyc2ns", "data.cyc2ns_shift", 4, 4)) {}

namespace {

Place timekeeper_place(const Layout& layout, Addr base) {
    // The member of the monotonic clock was renamed between the two kernels.
    const bool two = layout.has("timekeeper", "tkr_mono");
    return Place{&layout, "timekeeper", two ? "tkr_mono." : "tkr.", base};
}

}  // namespace

ClockData::Timekeeper::Timekeeper(const Layout& layout, Addr at)
    : base(at),
      bytes(layout.size_of("timekeeper")),
      seq(at - 8, FieldRegistry::instance().id("tk_core", "seq", 0, 4)),
      clock(timekeeper_place(layout, at), "clock"),
      cycle_last(timekeeper_place(layout, at), "cycle_last"),
      xtime_nsec(timekeeper_place(layout, at), "xtime_nsec"),
      base_mono(timekeeper_place(layout, at),
                layout.has("timekeeper", "tkr.base_mono") ? "base_mono" : "base"),
      mult(timekeeper_place(layout, at), "mult"),
      shift(timekeeper_place(layout, at), "shift") {}

void clock_init(unsigned cpus, double tsc_hz, int hz, const Layout& layout, Sections& sections) {
    ClockData& d = clock_data();
    FieldRegistry& fields = FieldRegistry::instance();
    d.ns_factor = static_cast<u64>(1e9 / tsc_hz * 0x1p48 + 0.5);
    d.tick_ns = 1'000'000'000ULL / static_cast<u64>(hz);
    d.cyc2ns.clear();
    for (unsigned cpu = 0; cpu < cpus; ++cpu) {
        d.cyc2ns.push_back(
            std::make_unique<ClockData::PerCpu>(sections.per_cpu("cyc2ns", cpu, 64, 64)));
    }
    d.jiffies = std::make_unique<Field<u64>>(sections.data("jiffies_64", 64, 64), 8,
                                             fields.id("jiffies_64", "value", 0, 8),
                                             static_cast<u32>(-300 * hz));  // wraps after 5 minutes
    d.jiffies_lock = std::make_unique<Seqlock>(sections.data("jiffies_lock", 64, 64),
                                               fields.id("jiffies_lock", "seqlock", 0, 8));
    d.last_jiffies_update =
        std::make_unique<Field<u64>>(sections.data("last_jiffies_update", 8, 8), 8,
                                     fields.id("last_jiffies_update", "value", 0, 8));
    d.tick_do_timer_cpu =
        std::make_unique<Field<int>>(sections.data("tick_do_timer_cpu", 4, 4), 4,
                                     fields.id("tick_do_timer_cpu", "value", 0, 4), 0);
    const unsigned bytes = layout.size_of("timekeeper") + 8;
    d.timekeeper =
        std::make_unique<ClockData::Timekeeper>(layout, sections.data("tk_core", bytes, 64) + 8);
    d.shadow = std::make_unique<ClockData::Timekeeper>(
        layout, sections.data("shadow_timekeeper", bytes, 64) + 8);
    d.vvar = sections.data("vvar_page", 128, 128);
}

u64 sched_clock() {
    const Frame frame(kSchedClock);
    model::HwThread& hw = model::this_hw_thread();
    ClockData::PerCpu& line = *clock_data().cyc2ns[hw.cpu()];
    const u64 tsc = hw.rdtsc();
    const Loaded<u64> data = line.head.load();
    const Loaded<u64> tail = line.tail.load();
    (void)tail;
    // The factors lie where `head` points.
    g_next_dep = data.token;
    (void)line.mul.load();
    g_next_dep = data.token;
    (void)line.shift.load();
    g_next_dep = data.token;
    (void)line.offset.load();
    run(10);  // join EDX and EAX, compare head and tail, multiply, shift, add
    return ns_of(tsc);
}

u64 sched_clock_cpu(unsigned cpu) {
    (void)cpu;
    run(2);  // the branch on a stable clock is patched to fall through into a jump to sched_clock
    return sched_clock();
}

u64 peek_sched_clock() { return ns_of(model::this_hw_thread().peek_tsc()); }

u64 ktime_get() {
    const Frame frame(kKtimeGet);
    ClockData::Timekeeper& tk = *clock_data().timekeeper;
    u64 ns = 0;
    u32 seq = 0;
    do {
        seq = tk.seq.read_begin();
        (void)tk.base_mono.load();
        const Loaded<u64> source = tk.clock.load();
        ns = ns_of(model::this_hw_thread().rdtsc());  // through the clock source's function pointer
        (void)source;
        (void)tk.cycle_last.load();
        (void)tk.mult.load();
        (void)tk.xtime_nsec.load();
        (void)tk.shift.load();
        run(14);
    } while (tk.seq.read_retry(seq));
    return ns;
}

namespace {

/// Stores to every word of `bytes` bytes at `base`, as a structure's copy does.
void write_all(Addr base, unsigned bytes, FieldId field) {
    model::HwThread& hw = model::this_hw_thread();
    for (unsigned at = 0; at < bytes; at += 8) hw.store(base + at, 8, field);
}

void update_wall_time() {
    const Frame frame(kUpdateWallTime);
    ClockData& d = clock_data();
    static const FieldId kTkId = FieldRegistry::instance().id("timekeeper", "(copy)", 0, 264);
    static const FieldId kVvarId =
        FieldRegistry::instance().id("vsyscall_gtod_data", "(all)", 0, 128);
    (void)d.timekeeper->clock.load();
    (void)d.timekeeper->cycle_last.load();
    (void)model::this_hw_thread().rdtsc();
    // The new state is worked out in the shadow, then copied under the counter.
    d.shadow->cycle_last = 0;
    d.shadow->xtime_nsec = 0;
    run(220);
    d.timekeeper->seq.write_begin();
    write_all(d.vvar, 128, kVvarId);
    write_all(d.timekeeper->base, d.timekeeper->bytes, kTkId);
    run(40);
    d.timekeeper->seq.write_end();
}

}  // namespace

void tick_do_update_jiffies64(u64 now_ns) {
    const Frame frame(kUpdateJiffies);
    ClockData& d = clock_data();
    run(6);
    // A look without the lock: another CPU may have done it.
    if (now_ns < d.last_jiffies_update->load() + d.tick_ns) return;
    d.jiffies_lock->write_lock();
    u64 ticks = 0;
    const u64 last = d.last_jiffies_update->load();
    if (now_ns >= last + d.tick_ns) {
        ticks = (now_ns - last) / d.tick_ns;  // more than one after a long idle time
        *d.last_jiffies_update = last + ticks * d.tick_ns;
        *d.jiffies += ticks;
        run(20);
    }
    d.jiffies_lock->write_unlock();
    if (ticks != 0) update_wall_time();
}

}  // namespace linefill::kernel
