// SPDX-License-Identifier: Apache-2.0
// Speed of whole runs: poundtime on the two-socket Sandy Bridge with its 32 CPUs, every access of a
// reduced number of calls in detail, start-up of machine and threads included; with attribution off
// and on. The targets: 10 million accesses a second at 128 threads, at most twice the cost per access
// that 2 threads have; attribution costs under a fifth.
#include <string>

#include <benchmark/benchmark.h>

#include "measure/run_once.h"
#include "measure/run_spec.h"
#include "tests/bench/child.h"

namespace linefill::measure {
namespace {

bench::Measured run(unsigned threads, unsigned calls, bool attribution) {
    return bench::in_child([&] {
        RunSpec spec;
        spec.platform = "xeon-snb-2s";
        spec.kernel = "v4.7-rc7";
        spec.workload = {"pound_clock_gettime", "--threads", std::to_string(threads), "--calls",
                         std::to_string(calls)};
        spec.events = {"cycles", "L1-dcache-load-misses"};
        spec.sampling = Sampling::kFull;
        spec.attribution.accesses = attribution;
        bench::Measured m;
        const double start = bench::cpu_seconds();
        m.accesses = static_cast<double>(
            run_once(spec, DataDirs{{LINEFILL_SOURCE_DIR "/platforms"}, {}}).accesses);
        m.seconds = bench::cpu_seconds() - start;
        return m;
    });
}

/// range(0) threads make range(1) calls in all; range(2): with attribution.
void poundtime(benchmark::State& state) {
    const auto threads = static_cast<unsigned>(state.range(0));
    const auto calls = static_cast<unsigned>(state.range(1));
    double accesses = 0;
    for (auto _ : state) {
        const bench::Measured m = run(threads, calls, state.range(2) != 0);
        if (m.seconds < 0) {
            state.SkipWithError("the child failed");
            return;
        }
        state.SetIterationTime(m.seconds);
        accesses += m.accesses;
    }
    state.counters["accesses/s"] = benchmark::Counter(accesses, benchmark::Counter::kIsRate);
}

BENCHMARK(poundtime)
    ->ArgNames({"threads", "calls", "attribution"})
    ->Args({2, 30000, 0})
    ->Args({2, 30000, 1})
    ->Args({128, 6000, 0})
    ->Args({128, 6000, 1})
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime();

}  // namespace
}  // namespace linefill::measure
