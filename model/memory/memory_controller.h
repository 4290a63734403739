// SPDX-License-Identifier: Apache-2.0
// The memory of one node: average row-buffer latency, bandwidth. Served through a TLM-2.0
// base-protocol socket (memory/memory_target.h).
#pragma once

#include <cstdint>

#include "model/fabric/bandwidth.h"
#include "model/sim/time.h"

namespace linefill::model {

class MemoryController {
public:
    MemoryController(Tick latency, double bandwidth_gbs)
        : latency_(latency), bandwidth_(bandwidth_gbs) {}

    /// Delay from arrival to data of one line read at `at`.
    Tick read(Tick at, unsigned bytes) {
        ++reads_;
        return bandwidth_.reserve(at, bytes) + latency_ - at;
    }
    /// A write-back is posted: it takes bandwidth, nobody waits.
    void write(Tick at, unsigned bytes) {
        ++writes_;
        (void)bandwidth_.reserve(at, bytes);
    }
    std::uint64_t reads() const { return reads_; }
    std::uint64_t writes() const { return writes_; }

private:
    Tick latency_;
    BandwidthMeter bandwidth_;
    std::uint64_t reads_ = 0, writes_ = 0;
};

}  // namespace linefill::model
