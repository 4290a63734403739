// SPDX-License-Identifier: Apache-2.0
// One direction of the links between two sockets: latency, bandwidth, queueing.
#pragma once

#include <cstdint>

#include "model/fabric/bandwidth.h"
#include "model/fabric/spread.h"
#include "model/sim/time.h"

namespace linefill::model {

class Link {
public:
    static constexpr unsigned kHeaderBytes = 16;  ///< a message without data
    static constexpr unsigned kDataBytes = 80;    ///< a line and its header

    /// `latency` one way, unloaded; `bandwidth_gbs` in GB/s, 0: unlimited; `spread` around `latency`.
    Link(Tick latency, double bandwidth_gbs, Spread spread = {})
        : latency_(latency), bandwidth_(bandwidth_gbs), spread_(spread) {}

    /// A message of `bytes` leaves at `at` or when the link has room; returns its arrival.
    Tick send(Tick at, unsigned bytes) {
        ++messages_;
        return bandwidth_.reserve(at, bytes) + spread_.around(latency_);
    }
    Tick latency() const { return latency_; }
    std::uint64_t messages() const { return messages_; }
    Tick queued() const { return bandwidth_.queued(); }

private:
    Tick latency_;
    BandwidthMeter bandwidth_;
    Spread spread_;
    std::uint64_t messages_ = 0;
};

}  // namespace linefill::model
