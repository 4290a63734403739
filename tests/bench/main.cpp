// SPDX-License-Identifier: Apache-2.0
// main() of the benchmarks; an object of ours for the same reason as that of the tests.
#include <benchmark/benchmark.h>

BENCHMARK_MAIN();
