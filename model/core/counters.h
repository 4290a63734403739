// SPDX-License-Identifier: Apache-2.0
// The model events a hardware thread counts. Platform files map perf event names to sums of these.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace linefill::model {

enum class Event : std::uint8_t {
    kCycles,        ///< unhalted core clock cycles (brought up to date by HwThread::settle)
    kUnhaltedFs,    ///< unhalted time, femtoseconds (likewise)
    kInstructions,  ///< retired, spin loops included
    kLoads,     ///< retired load uops: spin-loop loads, load part of locked ops, POP and RET too
    kStores,    ///< retired store uops
    kL1dHit,    ///< L1D lookups by loads and stores that hit
    kL1dMiss,   ///< ... that missed
    kL1dMerge,  ///< ... that found their line's fill in flight
    kL1dFill,   ///< lines installed in L1D, whatever asked for them
    kL1dFillIntoInvalid,  ///< of those, into a way that a snoop or nothing had left empty
    kL1dUpgrade,          ///< S to M upgrades: ownership without data
    kL1dEvict,            ///< lines evicted from L1D to make room
    kL1dSnoopInvalidate,  ///< lines that a snoop took from L1D
    kL1dBackInvalidate,   ///< lines that an inclusive LLC's eviction took from L1D
    kL2Hit,
    kL2Miss,
    kLlcDataRead,      ///< demand data reads and data prefetches that reached the LLC (no RFO)
    kLlcDataReadMiss,  ///< of those, served by DRAM or by another socket
    kLlcRfo,
    kLlcRfoMiss,
    kHitmLocal,      ///< served by a modified line of another core of the socket
    kHitmRemote,     ///< served by a modified line of another socket
    kRemoteForward,  ///< served by a clean line of another socket
    kDramLocal,
    kDramRemote,
    kInflightConflict,  ///< requests that found their line in flight and queued
    kSoftwarePrefetch,
    kL1iMiss,
    kDtlbWalkLoad,
    kDtlbWalkStore,
    kItlbStlbHit,
    kItlbWalk,
    kLockedOps,
    kSpinIterations,
    kInterrupts,
    kContextSwitches,  ///< counted by the kernel: software events follow tasks too
    kCpuMigrations,
    kPageFaults,
    kCount
};

inline constexpr std::size_t kEventCount = static_cast<std::size_t>(Event::kCount);

/// Where a cycle went (report cpi). Sums to unhalted time.
enum class CpiComponent : std::uint8_t {
    kBase,    ///< issue at the base CPI, and long-latency instructions (rdtsc, pause, popf)
    kSmt,     ///< issue slots lost to the sibling
    kBranch,  ///< mispredicts
    kL1i,
    kL2,          ///< waiting for data from L2
    kLlc,         ///< from the LLC, no snoop
    kSameSocket,  ///< from another core of the socket
    kOtherSocket,
    kDram,
    kTlb,
    kStoreBuffer,  ///< drains: locked instructions, barriers, a full store buffer
    kLockedOp,     ///< the locked instruction itself
    kLockWait,     ///< spinning on a lock
    kSyscall,      ///< entry and exit
    kIrq,          ///< interrupt entry and exit (handlers are attributed to their functions)
    kIdle,         ///< halted; not part of `cycles`
    kCount
};

inline constexpr std::size_t kCpiCount = static_cast<std::size_t>(CpiComponent::kCount);

/// One bank of counters. The PMU adds to the bank that the current task selected.
struct Counters {
    std::array<std::int64_t, kEventCount> event{};
    std::array<std::int64_t, kCpiCount> cpi_fs{};

    std::int64_t& operator[](Event e) { return event[static_cast<std::size_t>(e)]; }
    std::int64_t operator[](Event e) const { return event[static_cast<std::size_t>(e)]; }
    std::int64_t& operator[](CpiComponent c) { return cpi_fs[static_cast<std::size_t>(c)]; }
    std::int64_t operator[](CpiComponent c) const { return cpi_fs[static_cast<std::size_t>(c)]; }

    Counters& operator+=(const Counters& o) {
        for (std::size_t i = 0; i < kEventCount; ++i) event[i] += o.event[i];
        for (std::size_t i = 0; i < kCpiCount; ++i) cpi_fs[i] += o.cpi_fs[i];
        return *this;
    }
    Counters& operator-=(const Counters& o) {
        for (std::size_t i = 0; i < kEventCount; ++i) event[i] -= o.event[i];
        for (std::size_t i = 0; i < kCpiCount; ++i) cpi_fs[i] -= o.cpi_fs[i];
        return *this;
    }
};

/// Stable snake_case name of an event ("l1d_fill"), as platform files use it.
const char* event_name(Event e);
const char* cpi_name(CpiComponent c);

}  // namespace linefill::model
