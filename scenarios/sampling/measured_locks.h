// SPDX-License-Identifier: Apache-2.0
// The observer of locks sees what is counted, and only that: waits of threads whose units are
// measured.
#pragma once

#include "kernel/lock/lock_observer.h"
#include "scenarios/sampling/conductor.h"

namespace linefill::scenarios {

class MeasuredLocks final : public kernel::LockObserver {
public:
    MeasuredLocks(const Conductor& conductor, kernel::LockObserver& locks)
        : conductor_(conductor), locks_(locks) {}

    void on_acquire(const kernel::LockAcquisition& a) override {
        if (conductor_.is_measured(a.cpu)) locks_.on_acquire(a);
    }
    void on_release(model::FieldId field, std::uint32_t instance, unsigned cpu,
                    model::Tick held) override {
        if (conductor_.is_measured(cpu)) locks_.on_release(field, instance, cpu, held);
    }

private:
    const Conductor& conductor_;
    kernel::LockObserver& locks_;
};

}  // namespace linefill::scenarios
