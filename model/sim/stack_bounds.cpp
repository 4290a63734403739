// SPDX-License-Identifier: Apache-2.0
#include "model/sim/stack_bounds.h"

#if defined(__SANITIZE_ADDRESS__)
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace linefill::model {

#if defined(__SANITIZE_ADDRESS__)

StackBounds StackBounds::of_host_thread() {
    pthread_attr_t attributes;
    void* bottom = nullptr;
    std::size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &bottom, &size);
        pthread_attr_destroy(&attributes);
    }
    return {static_cast<const char*>(bottom), size};
}

__attribute__((noinline)) StackBounds StackBounds::from_here(std::size_t bytes) {
    // The caller's frame lies above this one; what is above it has no instrumented frames.
    constexpr std::size_t kCallersFrame = 1024;
    const auto* here = static_cast<const char*>(__builtin_frame_address(0));
    return {here - bytes, bytes + kCallersFrame};
}

void StackBounds::announce() const {
    if (bottom_ == nullptr) return;
    void* fake = nullptr;
    __sanitizer_start_switch_fiber(&fake, bottom_, size_);
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
}

#else

StackBounds StackBounds::of_host_thread() { return {nullptr, 0}; }
StackBounds StackBounds::from_here(std::size_t) { return {nullptr, 0}; }
void StackBounds::announce() const {}

#endif

}  // namespace linefill::model
