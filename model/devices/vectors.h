// SPDX-License-Identifier: Apache-2.0
// Interrupt vectors of the modelled machine; lower ones are taken first.
#pragma once

namespace linefill::model {

inline constexpr unsigned kTimerVector = 0;
inline constexpr unsigned kRescheduleVector = 1;
inline constexpr unsigned kCallFunctionVector = 2;

}  // namespace linefill::model
