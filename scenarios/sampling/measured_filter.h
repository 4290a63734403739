// SPDX-License-Identifier: Apache-2.0
// Observers see what is counted, and only that: accesses, time and lock waits of threads whose units
// are measured.
#pragma once

#include <functional>

#include "kernel/lock/lock_observer.h"
#include "model/core/access.h"

namespace linefill::scenarios {

class MeasuredFilter final : public model::AccessObserver, public kernel::LockObserver {
public:
    /// `measured` tells whether what the CPU does now is measured. Either observer may be null.
    MeasuredFilter(model::AccessObserver* accesses, kernel::LockObserver* locks,
                   std::function<bool(unsigned cpu)> measured)
        : accesses_(accesses), locks_(locks), measured_(std::move(measured)) {}

    bool wants_accesses() const { return accesses_ != nullptr; }
    bool wants_locks() const { return locks_ != nullptr; }

    void on_access(const model::AccessRecord& r) override {
        if (measured_(r.cpu)) accesses_->on_access(r);
    }
    void on_bulk_hits(unsigned cpu, model::FunctionId function, model::FieldId field,
                      model::AccessKind kind, std::uint64_t count) override {
        if (measured_(cpu)) accesses_->on_bulk_hits(cpu, function, field, kind, count);
    }
    void on_time(unsigned cpu, model::FunctionId function, model::FunctionId caller,
                 model::FieldId field, unsigned component, model::Tick fs) override {
        if (measured_(cpu)) accesses_->on_time(cpu, function, caller, field, component, fs);
    }
    void on_snoop(model::Addr line, unsigned from_core, unsigned to_core, bool invalidate,
                  bool was_dirty, model::FieldId by_field) override {
        accesses_->on_snoop(line, from_core, to_core, invalidate, was_dirty, by_field);
    }
    void on_acquire(const kernel::LockAcquisition& a) override {
        if (measured_(a.cpu)) locks_->on_acquire(a);
    }
    void on_release(model::FieldId field, std::uint32_t instance, unsigned cpu,
                    model::Tick held) override {
        if (measured_(cpu)) locks_->on_release(field, instance, cpu, held);
    }

private:
    model::AccessObserver* accesses_;
    kernel::LockObserver* locks_;
    std::function<bool(unsigned)> measured_;
};

}  // namespace linefill::scenarios
