// SPDX-License-Identifier: Apache-2.0
// A measurement in a process of its own, because a process has one machine.
#pragma once

#include <functional>

namespace linefill::bench {

struct Measured {
    double seconds = -1;  ///< of a host core; negative: it failed
    double accesses = 0;  ///< modelled one by one, spin loops not among them
    double switches = 0;  ///< between fibers
};

/// Of this process: other load on the host does not count.
double cpu_seconds();

/// What `body` returns in a forked child.
Measured in_child(const std::function<Measured()>& body);

}  // namespace linefill::bench
