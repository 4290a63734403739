// SPDX-License-Identifier: Apache-2.0
// Replacement policies: which way of a set gives way. A policy is one file that registers itself under
// the name platform files use.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace linefill::model {

/// Replacement state of all sets of one array. `invalid_ways` tells whether the set still has a way
/// without a line (some policies behave differently until it is full).
class ReplacementPolicy {
public:
    virtual ~ReplacementPolicy() = default;
    virtual void on_hit(std::size_t set, unsigned way, bool invalid_ways) = 0;
    virtual void on_fill(std::size_t set, unsigned way, bool invalid_ways) = 0;
    /// Victim among all ways of a full set.
    virtual unsigned victim(std::size_t set) = 0;
    /// The bits of a tree-PLRU, one word per set, for the array's inline fast path; null otherwise.
    virtual std::uint64_t* plru_bits() { return nullptr; }
};

struct PolicyArguments {
    std::size_t sets;
    unsigned ways;
    std::uint64_t seed;
};
using PolicyFactory = std::function<std::unique_ptr<ReplacementPolicy>(const PolicyArguments&)>;

/// Registers a policy; a static object of this type in the policy's file.
struct RegisterPolicy {
    RegisterPolicy(const char* name, PolicyFactory factory);
};

/// Throws UserError if there is no policy of that name.
std::unique_ptr<ReplacementPolicy> make_policy(const std::string& name,
                                               const PolicyArguments& args);
std::vector<std::string> policy_names();

}  // namespace linefill::model
