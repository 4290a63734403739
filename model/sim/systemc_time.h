// SPDX-License-Identifier: Apache-2.0
// SystemC's time, whose resolution is set to 1 fs, and ticks.
#pragma once

#include <systemc>

#include "model/sim/time.h"

namespace linefill::model {

inline sc_core::sc_time time_of(Tick t) {
    return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(t));
}
inline Tick tick_of(const sc_core::sc_time& t) { return static_cast<Tick>(t.value()); }
inline Tick systemc_now() { return tick_of(sc_core::sc_time_stamp()); }

}  // namespace linefill::model
