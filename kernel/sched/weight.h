// SPDX-License-Identifier: Apache-2.0
// Weights of nice levels and the fixed-point division by a weight.
#pragma once

#include "kernel/sched/entity.h"

namespace linefill::kernel {

inline constexpr u32 kWeightIdle = 3;
inline constexpr u32 kInverseIdle = 1431655765;

/// Weight of a nice level, -20..19, before scaling; nice 0 is 1024, each level a quarter more or less.
u32 nice_weight(int nice);
/// 2^32 / nice_weight(nice).
u32 nice_inverse(int nice);

/// 2^32 / weight as the kernel computes it when the table's value is not at hand.
u32 inverse_of(u64 unscaled_weight);
/// delta * weight / lw, with `inverse` = 2^32 / lw; exact to the bit as the kernel's fixed point.
u64 scale_delta(u64 delta, u64 unscaled_weight, u32 inverse);

/// The same on a load_weight in memory: refreshes its inverse if it was voided.
u64 calc_delta(u64 delta, u64 weight, KPtr<SchedEntity> owner, LoadWeight& lw);
/// delta in virtual time of `se`: skipped when its weight is nice 0's.
u64 calc_delta_fair(u64 delta, KPtr<SchedEntity> se);

// load_weight updates void the inverse.
void update_load_add(LoadWeight& lw, u64 weight);
void update_load_sub(LoadWeight& lw, u64 weight);
void update_load_set(LoadWeight& lw, u64 weight);

/// What load tracking and balancing see of a weight: without the 64-bit scaling.
u64 scale_load_down(u64 weight);
u64 scale_load(u64 weight);

}  // namespace linefill::kernel
