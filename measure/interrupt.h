// SPDX-License-Identifier: Apache-2.0
// ^C during long work: the work stops between two results instead of losing those it has.
#pragma once

namespace linefill::measure {

/// While an object lives, the first SIGINT or SIGTERM is noted instead of ending the process; the
/// second one ends it as always, unless it comes at once: then it is the first, sent twice. One object
/// at a time.
class InterruptGuard {
public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    [[nodiscard]] bool requested() const;
    /// Becomes readable with the first signal and stays so; for poll().
    [[nodiscard]] int descriptor() const;

    /// In a forked child: ^C is the parent's business, SIGTERM ends the child.
    static void reset_in_child();
};

}  // namespace linefill::measure
