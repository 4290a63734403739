// SPDX-License-Identifier: Apache-2.0
#include "model/core/timing.h"

#include <algorithm>

namespace linefill::model {

CoreTiming::CoreTiming(const Platform& p, double ghz) {
    const auto ticks = [ghz](const Latency& l) { return ticks_from_ns(l.to_ns(ghz)); };
    period = period_from_hz(ghz * 1e9);
    l1 = ticks(p.l1d.latency);
    l2 = ticks(p.l2.latency);
    instruction_kernel = static_cast<Tick>(p.core.cpi_kernel * static_cast<double>(period));
    instruction_user = static_cast<Tick>(p.core.cpi_user * static_cast<double>(period));
    // Behind a load in flight, dispatch goes on no faster than the width allows.
    shadow_rate = std::max(1.0 - p.core.dependent_share, 1.0 / (p.core.width * p.core.cpi_kernel));
    if (!p.mechanisms.finite_window || shadow_rate > 1) shadow_rate = 1;
    smt_extra = 1.0 / p.core.smt_issue_share - 1.0;
    mispredict = ticks(p.core.mispredict);
    store_forward = ticks(p.core.store_forward);
    lock_rmw = ticks(p.core.lock_rmw);
    mfence = ticks(p.core.mfence);
    pause = ticks(p.core.pause);
    rdtsc = ticks(p.core.rdtsc);
    irq_on = ticks(p.core.irq_flags_on);
    irq_off = ticks(p.core.irq_flags_off);
    interrupt_entry = ticks(p.core.interrupt_entry);
    interrupt_exit = ticks(p.core.interrupt_exit);
    stlb_hit = ticks(p.tlb.stlb_hit);
    walk = ticks(p.tlb.walk);
    for (unsigned n = 0; n < kIssues; ++n) {
        issue_kernel[n] = issue(instruction_kernel * n);
        issue_user[n] = issue(instruction_user * n);
    }
}

CoreTiming::Issue CoreTiming::issue(Tick base) const {
    const auto share = [](Tick t, double part) {
        return static_cast<Tick>(static_cast<double>(t) * part);
    };
    Issue i;
    i.base = base;
    i.base_lost = share(base, smt_extra);
    i.behind = share(base, shadow_rate);
    i.behind_lost = share(i.behind, smt_extra);
    i.deferred = base - i.behind;
    return i;
}

}  // namespace linefill::model
