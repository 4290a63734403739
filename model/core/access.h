// SPDX-License-Identifier: Apache-2.0
// What one modelled memory access is, and the interface through which reports see them.
#pragma once

#include <cstdint>

#include "model/sim/time.h"

namespace linefill::model {

/// Byte address in the modelled machine's physical memory (the kernel's linear map is physical
/// memory plus a constant, so one number serves for both).
using Addr = std::uint64_t;

inline constexpr unsigned kLineBits = 6;
inline constexpr Addr kLineBytes = Addr{1} << kLineBits;
constexpr Addr line_of(Addr a) { return a >> kLineBits; }

/// Index into the field registry of the layer above: which structure.field an access touches.
using FieldId = std::uint32_t;
inline constexpr FieldId kNoField = 0;

/// Index into the function registry of the layer above.
using FunctionId = std::uint16_t;
inline constexpr FunctionId kNoFunction = 0;

enum class AccessKind : std::uint8_t { kLoad, kStore, kRmw, kPrefetch, kSpin };

/// Which level or agent supplied the line.
enum class DataSource : std::uint8_t {
    kL1,
    kFillBuffer,  ///< merged into a fill in flight
    kForward,     ///< own store buffer
    kL2,
    kLlc,
    kSameSocketClean,
    kSameSocketDirty,
    kOtherSocketClean,
    kOtherSocketDirty,
    kDramLocal,
    kDramRemote,
    kUpgrade,        ///< ownership only, inside the socket
    kUpgradeRemote,  ///< ownership only, other socket's copy invalidated
    kCount
};

enum class MissClass : std::uint8_t {
    kHit,
    kCold,
    kCapacity,
    kConflict,
    kTrueSharing,
    kFalseSharing,
    kUpgrade,
    kCount
};

/// Result of a load, to be named as a dependence by what uses it: the time its value is there, or
/// the pending access that will know.
struct Token {
    Tick ready = 0;
    std::int32_t pending = -1;  ///< slot of the hardware thread's pending loads; -1: `ready` holds
    std::uint32_t generation = 0;  ///< of that slot; without one, a number of its own if observed
};

/// One access as reports see it.
struct AccessRecord {
    unsigned cpu = 0;
    FunctionId function = kNoFunction;
    FunctionId caller = kNoFunction;
    FieldId field = kNoField;
    AccessKind kind = AccessKind::kLoad;
    DataSource source = DataSource::kL1;
    MissClass miss = MissClass::kHit;
    Addr addr = 0;
    Tick at = 0;       ///< when it was issued
    Tick latency = 0;  ///< from issue to data or ownership
};

/// One memory instruction in program order, before anything of it has happened.
struct IssueRecord {
    unsigned cpu = 0;
    unsigned size = 0;
    FieldId field = kNoField;
    AccessKind kind = AccessKind::kLoad;
    Addr addr = 0;
    Token dep;     ///< what its address needs
    Token result;  ///< of a load: what others name as their `dep`; unique while attribution is on
};

class BatchObserver;

/// Sees every access and every stalled cycle while attribution is on.
class AccessObserver {
public:
    virtual ~AccessObserver() = default;
    virtual void on_access(const AccessRecord& r) = 0;
    /// Loads, stores, locked operations and prefetches as the instruction stream names them.
    virtual void on_issue(const IssueRecord& r) { (void)r; }
    /// Of an observer that takes accesses and time in batches: itself (access_batch.h).
    virtual BatchObserver* batch() { return nullptr; }
    /// False: on_issue is not called.
    [[nodiscard]] virtual bool wants_issues() const { return false; }
    /// `count` more L1 hits of the same kind that were accounted in bulk (spin loops, POPs).
    virtual void on_bulk_hits(unsigned cpu, FunctionId function, FieldId field, AccessKind kind,
                              std::uint64_t count) = 0;
    /// Unhalted time spent in `function`, by CPI component; `field` names the access that was waited
    /// for, if one was.
    virtual void on_time(unsigned cpu, FunctionId function, FunctionId caller, FieldId field,
                         unsigned component, Tick fs) = 0;
    /// The core lost the line to a snoop (coherence log): who took it and with which access.
    virtual void on_snoop(Addr line, unsigned from_core, unsigned to_core, bool invalidate,
                          bool was_dirty, FieldId by_field) = 0;
};

}  // namespace linefill::model
