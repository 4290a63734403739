// SPDX-License-Identifier: Apache-2.0
// A latency that differs from one message to the next: ring stops passed, arbitration lost. Threads
// that contend would otherwise lock into one order for good, as no machine does; to draw a little of
// every memory latency is the remedy of Alameldeen and Wood, "Variability in architectural simulations
// of multi-threaded workloads", HPCA 2003.
#pragma once

#include "model/sim/random.h"
#include "model/sim/time.h"

namespace linefill::model {

class Spread {
public:
    /// Always the mean.
    Spread() = default;
    /// Even over `width` ticks around the mean; `random` outlives this.
    Spread(Tick width, Random& random) : width_(width), random_(&random) {}

    void set_width(Tick width) { width_ = width; }
    /// A draw around `mean`, which is at least half the width.
    [[nodiscard]] Tick around(Tick mean) {
        if (width_ == 0 || random_ == nullptr) return mean;
        return mean - width_ / 2 +
               static_cast<Tick>(random_->below(static_cast<std::uint64_t>(width_)));
    }

private:
    Tick width_ = 0;
    Random* random_ = nullptr;
};

}  // namespace linefill::model
