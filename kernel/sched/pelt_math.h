// SPDX-License-Identifier: Apache-2.0
// The arithmetic of per-entity load tracking: geometric series in fixed point, y^32 = 1/2, over
// periods of 1024 units of 1024 ns.
#pragma once

#include <cstdint>

namespace linefill::kernel {

inline constexpr unsigned kPeltPeriod = 1024;        ///< units of 1024 ns
inline constexpr unsigned kLoadAvgPeriod = 32;       ///< periods to half
inline constexpr std::uint64_t kLoadAvgMax = 47742;  ///< what the series saturates at
inline constexpr unsigned kLoadAvgMaxN = 345;        ///< periods to get there

/// value * y^periods.
std::uint64_t decay_load(std::uint64_t value, std::uint64_t periods);
/// 1024 * (y + y^2 + .. + y^periods).
std::uint32_t pelt_contribution(std::uint64_t periods);
/// Instructions that the two execute, about.
unsigned decay_load_cost(std::uint64_t periods);

/// The sums of one sched_avg, as a value.
struct PeltSums {
    std::uint64_t last_update_time = 0;
    std::uint64_t load_sum = 0;
    std::uint64_t runnable_load_sum = 0;
    std::uint32_t util_sum = 0;
    std::uint32_t period_contrib = 0;
};

/// What an update did.
enum class PeltUpdate : std::uint8_t {
    kNothing,  ///< less than a unit has passed: nothing is written
    kResync,   ///< the clock went back: only last_update_time is written
    kPartial,  ///< within the period: sums are written
    kDecayed,  ///< a period has ended: averages change too
};

/// Brings `s` up to `now` (ns). `weight`: load while runnable, 0 if it was not; `running`: it had the
/// CPU.
PeltUpdate pelt_accumulate(PeltSums& s, std::uint64_t now, std::uint64_t weight, bool running);

}  // namespace linefill::kernel
