// SPDX-License-Identifier: Apache-2.0
// The random coherence tester: all hardware threads load, store, lock and prefetch at random, with
// much false sharing. Every write gives its line a new token, which fills, snoops and write-backs
// carry along; a copy that is read must hold the token of the last write. The states of all caches
// are compared with each other from time to time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/model/test_machine.h"

namespace linefill::model {

struct MemoryBinder;

struct TesterOptions {
    std::uint64_t seed = 1;
    std::uint64_t operations = 100000;  ///< over all CPUs
    unsigned hot_lines = 24;            ///< fought over by all
    unsigned warm_lines = 512;
    unsigned cold_lines = 1 << 16;
    Tick quantum = kMicrosecond;
    bool observe = true;                ///< check accesses as they are performed, pending ones too
    std::uint64_t sweep_every = 50000;  ///< operations between two comparisons of all caches
    MemoryBinder* memory = nullptr;     ///< memory from outside
};

/// What a tester run found.
struct TesterReport {
    std::uint64_t operations = 0;
    std::uint64_t checked_reads = 0;  ///< copies compared with the token of the last write
    std::uint64_t sweeps = 0;
    std::uint64_t stale_reads = 0;  ///< copies that were not what was written last
    std::uint64_t broken_invariants = 0;
    std::vector<std::string>
        messages;    ///< the first few, with address, time, expected, found, seed
    Counters total;  ///< of all CPUs, and what snoops did to cores
    std::uint64_t back_invalidations = 0;
    std::string identities;              ///< what check_identities() complained about
    std::int64_t locked_increments = 0;  ///< done
    std::int64_t counted = 0;            ///< value of the counters that they incremented

    std::string text() const;
};

/// `factory`, if given, makes LLCs with a transition that is broken on purpose.
TesterReport run_tester(const Platform& platform, const TesterOptions& options,
                        LlcFactory* factory = nullptr);

/// Overrides that make every cache so small that evictions, write-backs and back-invalidations are
/// frequent.
std::vector<std::string> small_caches();

}  // namespace linefill::model
