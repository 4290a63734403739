// SPDX-License-Identifier: Apache-2.0
// RCU read side of kernels without PREEMPT: a compiler barrier, no instruction. Named so that kernel
// code shows where it relies on it.
#pragma once

namespace linefill::kernel {

inline void rcu_read_lock() {}
inline void rcu_read_unlock() {}

class RcuReadGuard {
public:
    RcuReadGuard() { rcu_read_lock(); }
    ~RcuReadGuard() { rcu_read_unlock(); }
    RcuReadGuard(const RcuReadGuard&) = delete;
    RcuReadGuard& operator=(const RcuReadGuard&) = delete;
};

}  // namespace linefill::kernel
