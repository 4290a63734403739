// SPDX-License-Identifier: Apache-2.0
// Modelled time. One unit everywhere: femtoseconds, SystemC's resolution, because a 2.8 GHz cycle is
// no whole number of picoseconds. 63 bits hold 2.5 hours.
#pragma once

#include <cstdint>
#include <limits>

namespace linefill::model {

/// A point in modelled time or a duration, in femtoseconds.
using Tick = std::int64_t;

inline constexpr Tick kFemtosecond = 1;
inline constexpr Tick kPicosecond = 1000;
inline constexpr Tick kNanosecond = 1000 * kPicosecond;
inline constexpr Tick kMicrosecond = 1000 * kNanosecond;
inline constexpr Tick kMillisecond = 1000 * kMicrosecond;
inline constexpr Tick kSecond = 1000 * kMillisecond;

/// "Not known yet": later than every real time.
inline constexpr Tick kNever = std::numeric_limits<Tick>::max();

/// Ticks of a duration given in nanoseconds, rounded to the nearest femtosecond.
constexpr Tick ticks_from_ns(double ns) {
    return static_cast<Tick>(ns * 1e6 + (ns < 0 ? -0.5 : 0.5));
}
constexpr double ns_from_ticks(Tick t) { return static_cast<double>(t) / 1e6; }
constexpr double seconds_from_ticks(Tick t) { return static_cast<double>(t) / 1e15; }

/// Clock period in femtoseconds, rounded to the nearest one (2.8 GHz: 357143 fs, 4e-7 off).
constexpr Tick period_from_hz(double hz) { return static_cast<Tick>(1e15 / hz + 0.5); }

}  // namespace linefill::model
