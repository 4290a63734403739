// SPDX-License-Identifier: Apache-2.0
// What a task is to the machine: a stack of its own (a fiber) and the functions that are active on it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "model/core/access.h"
#include "model/sim/fiber.h"

namespace linefill::model {

class ExecutionContext {
public:
    static constexpr unsigned kMaxDepth = 64;

    /// A context that will start in `entry` (which must not return) when it is first switched to.
    explicit ExecutionContext(std::function<void()> entry) : fiber_(std::move(entry)) {}

    Fiber& fiber() { return fiber_; }

    void push(FunctionId f) {
        ++depth_;
        if (depth_ < kMaxDepth) functions_[depth_] = f;
    }
    void pop() { --depth_; }
    unsigned depth() const { return depth_; }
    FunctionId top() const { return functions_[depth_ < kMaxDepth ? depth_ : kMaxDepth - 1]; }
    FunctionId caller() const { return depth_ == 0 ? kNoFunction : at(depth_ - 1); }
    FunctionId at(unsigned i) const { return functions_[i < kMaxDepth ? i : kMaxDepth - 1]; }

private:
    Fiber fiber_;
    std::array<FunctionId, kMaxDepth> functions_{};
    unsigned depth_ = 0;
};

}  // namespace linefill::model
