// SPDX-License-Identifier: Apache-2.0
#include "model/sim/fiber.h"

#include <exception>
#include <utility>

#include <boost/context/protected_fixedsize_stack.hpp>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace linefill::model {

namespace {

// The fiber that is being left, for the first entry of a new fiber, which has no frame of
// switch_to() to find it in.
Fiber* g_leaving = nullptr;

}  // namespace

Fiber::Fiber(std::function<void()> entry) {
    namespace ctx = boost::context;
    ctx::protected_fixedsize_stack allocator(kStackBytes);
    ctx::stack_context stack = allocator.allocate();
    stack_bottom_ = static_cast<const char*>(stack.sp) - stack.size;
    stack_size_ = stack.size;
    ctx::preallocated where(stack.sp, stack.size, stack);
    context_ = ctx::fiber(std::allocator_arg, where, allocator,
                          [this, body = std::move(entry)](ctx::fiber&& caller) mutable {
                              g_leaving->context_ = std::move(caller);
#if defined(__SANITIZE_ADDRESS__)
                              __sanitizer_finish_switch_fiber(nullptr, &g_leaving->stack_bottom_,
                                                              &g_leaving->stack_size_);
#endif
                              body();
                              std::terminate();  // `entry` promised not to return
                              return ctx::fiber{};
                          });
}

Fiber::~Fiber() { unwind(); }

void Fiber::switch_to(Fiber& from, Fiber& to) {
    g_leaving = &from;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&from.fake_stack_, to.stack_bottom_, to.stack_size_);
#endif
    boost::context::fiber previous = std::move(to.context_).resume();
    // Back on `from`: whoever resumed us is suspended in `previous` and is named by g_leaving.
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(from.fake_stack_, &g_leaving->stack_bottom_,
                                    &g_leaving->stack_size_);
#endif
    g_leaving->context_ = std::move(previous);
}

void Fiber::unwind() {
    if (!context_) return;
#if defined(__SANITIZE_ADDRESS__)
    // The stack is unwound by a switch that is not ours to announce: both bounds are set from here.
    const void* bottom = nullptr;
    std::size_t size = 0;
    void* fake = nullptr;
    __sanitizer_start_switch_fiber(&fake, stack_bottom_, stack_size_);
    __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
#endif
    context_ = boost::context::fiber{};
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(nullptr, bottom, size);
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
}

}  // namespace linefill::model
