// SPDX-License-Identifier: Apache-2.0
// Tells AddressSanitizer which stack is in use: SystemC switches between the stacks of its threads
// without saying so, and an exception on a stack that is taken for another one looks like an error.
// Does nothing in other builds.
#pragma once

#include <cstddef>

namespace linefill::model {

class StackBounds {
public:
    /// The stack that the host thread was started on.
    static StackBounds of_host_thread();
    /// The stack in use: the caller's frame and `bytes` below it.
    static StackBounds from_here(std::size_t bytes);

    /// This stack is in use now, whatever was announced before.
    void announce() const;

private:
    StackBounds(const char* bottom, std::size_t size) : bottom_(bottom), size_(size) {}
    const char* bottom_;
    std::size_t size_;
};

}  // namespace linefill::model
