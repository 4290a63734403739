// SPDX-License-Identifier: Apache-2.0
// Softirqs: work that interrupts leave for their end, when interrupts are on again.
#pragma once

namespace linefill::kernel {

enum Softirq : unsigned { kTimerSoftirq = 1, kSchedSoftirq = 7 };

/// Marks it pending on this CPU; runs when the interrupt ends. In task context the caller must be in
/// an interrupt or about to be: there is no ksoftirqd.
void raise_softirq(Softirq number);
/// Is one pending on this CPU? (a load)
bool softirq_pending();

}  // namespace linefill::kernel
