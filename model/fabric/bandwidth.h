// SPDX-License-Identifier: Apache-2.0
// Occupancy of something with a bandwidth, in time slots. Transactions are computed whole when they
// start, so reservations come in no order of time; a single "free at" would make an early message wait
// for one that leaves much later. Slots do not: each takes as many bytes as fit.
#pragma once

#include <array>
#include <cstdint>

#include "model/sim/time.h"

namespace linefill::model {

class BandwidthMeter {
public:
    /// GB/s; 0: unlimited.
    explicit BandwidthMeter(double gbs)
        : bytes_per_slot_(gbs > 0 ? static_cast<std::uint64_t>(gbs * kSlotNs) : 0) {}

    /// Earliest time at or after `at` at which `bytes` fit; takes them.
    Tick reserve(Tick at, unsigned bytes) {
        if (bytes_per_slot_ == 0 || bytes == 0) return at;
        const std::int64_t first = at / kSlot;
        for (std::int64_t slot = first;; ++slot) {
            Slot& s = slots_[static_cast<std::size_t>(slot) % kSlots];
            if (s.index != slot) {
                // A slot of the past is reused; one of the far future (never nearer than kSlots) is not.
                if (s.index > slot) continue;
                s = Slot{slot, 0};
            }
            if (s.used + bytes <= bytes_per_slot_) {
                s.used += bytes;
                const Tick when = slot == first ? at : slot * kSlot;
                queued_ += when - at;
                return when;
            }
        }
    }
    Tick queued() const { return queued_; }

private:
    static constexpr int kSlotNs = 64;
    static constexpr Tick kSlot = kSlotNs * kNanosecond;
    static constexpr std::size_t kSlots = 256;
    struct Slot {
        std::int64_t index = -1;
        std::uint64_t used = 0;
    };
    std::uint64_t bytes_per_slot_;
    std::array<Slot, kSlots> slots_{};
    Tick queued_ = 0;
};

}  // namespace linefill::model
