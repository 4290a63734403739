// SPDX-License-Identifier: Apache-2.0
// Speed of the model by itself: private hits, misses in private caches, contended lines, locked
// hand-over. A process has one machine, so each measurement runs in a child.
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include "model/core/execution_context.h"
#include "model/core/hw_thread.h"
#include "model/machine.h"
#include "model/platform/load.h"
#include "model/sim/random.h"
#include "tests/bench/child.h"

namespace linefill::model {
namespace {

/// What one CPU does; returns the number of accesses that it made.
using Program = std::function<double(HwThread&)>;

/// Runs `program` on CPUs 0 to `cpus` - 1 of a new machine, in a child process.
bench::Measured measure(unsigned cpus, const Program& program) {
    return bench::in_child([&] {
        bench::Measured m;
        Machine machine(load_platform("xeon-snb-2s", {LINEFILL_SOURCE_DIR "/platforms"}), 1);
        unsigned left = cpus;
        std::vector<std::unique_ptr<ExecutionContext>> contexts;
        for (unsigned cpu = 0; cpu < cpus; ++cpu) {
            contexts.push_back(std::make_unique<ExecutionContext>([&, cpu] {
                HwThread& hw = machine.hw(cpu);
                m.accesses += program(hw);
                if (--left == 0) machine.scheduler().stop();
                for (;;) hw.halt(0, 0);
            }));
            machine.start(cpu, *contexts.back());
        }
        const double start = bench::cpu_seconds();
        machine.run();
        m.seconds = bench::cpu_seconds() - start;
        m.switches = static_cast<double>(machine.scheduler().switches());
        return m;
    });
}

void report(benchmark::State& state, unsigned cpus, const Program& program) {
    double accesses = 0;
    double switches = 0;
    for (auto _ : state) {
        const bench::Measured m = measure(cpus, program);
        if (m.seconds < 0) {
            state.SkipWithError("the child failed");
            return;
        }
        state.SetIterationTime(m.seconds);
        accesses += m.accesses;
        switches += m.switches;
    }
    state.counters["accesses/s"] = benchmark::Counter(accesses, benchmark::Counter::kIsRate);
    state.counters["switches/access"] = switches / accesses;
}

constexpr Addr kBase = 2 * Machine::kReservedBytes;

/// The target is 80 million a second.
void private_hits(benchmark::State& state) {
    report(state, 1, [](HwThread& hw) {
        constexpr int kAccesses = 40000000;
        for (int i = 0; i < kAccesses; ++i)
            hw.load(kBase + static_cast<Addr>(i % 64) * 8, 8, kNoField);
        return double{kAccesses};
    });
}

/// Half loads, half stores, over half of L1D.
void private_hits_and_stores(benchmark::State& state) {
    report(state, 1, [](HwThread& hw) {
        constexpr int kPairs = 5000000;
        for (int i = 0; i < kPairs; ++i) {
            const Addr addr = kBase + static_cast<Addr>(i % 256) * kLineBytes;
            hw.load(addr, 8, kNoField);
            hw.store(addr, 8, kNoField);
        }
        return 2.0 * kPairs;
    });
}

/// A walk over `range(0)` KiB: L2, LLC, memory.
void walk(benchmark::State& state) {
    const Addr lines = static_cast<Addr>(state.range(0)) * 1024 / kLineBytes;
    report(state, 1, [lines](HwThread& hw) {
        constexpr int kAccesses = 2000000;
        Token t;
        for (int i = 0; i < kAccesses; ++i) {
            t = hw.load(kBase + static_cast<Addr>(i) * 7 % lines * kLineBytes, 8, kNoField, t);
        }
        hw.use(t);
        return double{kAccesses};
    });
}

/// All on 16 lines, a quarter of the accesses are stores, with private hits between.
void contended_lines(benchmark::State& state) {
    const auto cpus = static_cast<unsigned>(state.range(0));
    report(state, cpus, [cpus](HwThread& hw) {
        Random random(hw.cpu() + 1, "contended lines");
        const Addr own = kBase + Addr{1} * (hw.cpu() + 1) * 65536;
        const unsigned rounds = 1600000 / cpus;
        for (unsigned i = 0; i < rounds; ++i) {
            const Addr shared = kBase + random.below(16) * kLineBytes;
            if (random.below(4) == 0) {
                hw.store(shared, 8, kNoField);
            } else {
                hw.use(hw.load(shared, 8, kNoField));
            }
            for (unsigned n = 0; n < 3; ++n) hw.load(own + n * 64, 8, kNoField);
            hw.execute(20);
        }
        return 4.0 * rounds;
    });
}

/// One counter, incremented by locked instructions.
void locked_ping_pong(benchmark::State& state) {
    const auto cpus = static_cast<unsigned>(state.range(0));
    report(state, cpus, [cpus](HwThread& hw) {
        const unsigned rounds = 800000 / cpus;
        std::uint64_t counter = 0;
        for (unsigned i = 0; i < rounds; ++i) {
            hw.locked(kBase, 8, kNoField, [&] { ++counter; });
            hw.execute(10);
        }
        benchmark::DoNotOptimize(counter);
        return double{1} * rounds;
    });
}

BENCHMARK(private_hits)->Unit(benchmark::kMillisecond)->UseManualTime();
BENCHMARK(private_hits_and_stores)->Unit(benchmark::kMillisecond)->UseManualTime();
BENCHMARK(walk)->Arg(128)->Arg(4096)->Arg(65536)->Unit(benchmark::kMillisecond)->UseManualTime();
BENCHMARK(contended_lines)->Arg(2)->Arg(8)->Arg(32)->Unit(benchmark::kMillisecond)->UseManualTime();
BENCHMARK(locked_ping_pong)
    ->Arg(2)
    ->Arg(8)
    ->Arg(32)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime();

}  // namespace
}  // namespace linefill::model
