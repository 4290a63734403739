// SPDX-License-Identifier: Apache-2.0
// The platform's core costs in ticks at one clock of a core.
#pragma once

#include <array>

#include "model/platform/platform.h"
#include "model/sim/time.h"

namespace linefill::model {

struct CoreTiming {
    Tick period = 0;
    Tick l1 = 0, l2 = 0;                                ///< load-to-use
    Tick instruction_kernel = 0, instruction_user = 0;  ///< base CPI
    double shadow_rate =
        1;  ///< share of the base time that instructions behind a load in flight take
    double smt_extra = 0;  ///< extra time per instruction while the sibling issues, relative
    Tick mispredict = 0, store_forward = 0, lock_rmw = 0, mfence = 0, pause = 0, rdtsc = 0;
    Tick irq_on = 0, irq_off = 0, interrupt_entry = 0, interrupt_exit = 0;
    Tick stlb_hit = 0, walk = 0;

    CoreTiming() = default;
    CoreTiming(const Platform& p, double ghz);

    /// How instructions issue that take `base` by themselves.
    struct Issue {
        Tick base = 0;
        Tick base_lost = 0;    ///< what the sibling adds
        Tick behind = 0;       ///< of base, what passes at once behind a load in flight
        Tick behind_lost = 0;  ///< what the sibling adds to that
        Tick deferred = 0;     ///< the rest of base
    };
    Issue issue(Tick base) const;
    /// That of some instructions, worked out once: every access asks.
    static constexpr unsigned kIssues = 16;  ///< fewer instructions than that
    using Issues = std::array<Issue, kIssues>;
    Issues issue_kernel, issue_user;
};

}  // namespace linefill::model
