// SPDX-License-Identifier: Apache-2.0
// Who waited how long for which lock: the hook through which reports see every acquisition.
#pragma once

#include <cstdint>

#include "model/core/access.h"
#include "model/sim/time.h"

namespace linefill::kernel {

struct LockAcquisition {
    model::FieldId field = model::kNoField;  ///< the class: "task_struct.pi_lock"
    std::uint32_t instance = 0;              ///< which of the class: pid, CPU
    model::Addr addr = 0;
    unsigned cpu = 0;
    model::FunctionId function = model::kNoFunction;  ///< that took it
    bool contended = false;                           ///< the first attempt failed
    model::Tick wait = 0;  ///< first attempt to ownership: the transfer of the line, and queueing
};

class LockObserver {
public:
    virtual ~LockObserver() = default;
    virtual void on_acquire(const LockAcquisition& a) = 0;
    /// `held` from ownership to the issue of the release (its drain follows).
    virtual void on_release(model::FieldId field, std::uint32_t instance, unsigned cpu,
                            model::Tick held) = 0;
};

}  // namespace linefill::kernel
