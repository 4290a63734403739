// SPDX-License-Identifier: Apache-2.0
// A stack of its own that runs until it switches to another one (Boost.Context), symmetric: any
// fiber may switch to any other. Switches are announced to AddressSanitizer.
#pragma once

#include <cstddef>
#include <functional>

#include <boost/context/fiber.hpp>

namespace linefill::model {

class Fiber {
public:
    /// 64 KiB with a guard page; sanitizers' frames need more.
#if defined(__SANITIZE_ADDRESS__)
    static constexpr std::size_t kStackBytes = 256 * 1024;
#else
    static constexpr std::size_t kStackBytes = 64 * 1024;
#endif

    /// A fiber for a context that exists already (the SystemC process that drives the scheduler).
    Fiber() = default;
    /// A new fiber; `entry` must never return and never let an exception escape: it ends by
    /// switching away for good.
    explicit Fiber(std::function<void()> entry);
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    /// Leaves `from` (the running fiber) and goes on with `to`; returns when something switches back.
    static void switch_to(Fiber& from, Fiber& to);

    /// Unwinds a fiber that will not run again (its stack objects are destroyed).
    void unwind();

private:
    boost::context::fiber context_;
    const void* stack_bottom_ = nullptr;  ///< for AddressSanitizer
    std::size_t stack_size_ = 0;
    void* fake_stack_ = nullptr;
};

}  // namespace linefill::model
