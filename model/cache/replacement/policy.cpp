// SPDX-License-Identifier: Apache-2.0
#include "model/cache/replacement/policy.h"

#include <map>

#include "model/sim/error.h"

namespace linefill::model {

namespace {

std::map<std::string, PolicyFactory>& factories() {
    static std::map<std::string, PolicyFactory> map;
    return map;
}

}  // namespace

RegisterPolicy::RegisterPolicy(const char* name, PolicyFactory factory) {
    factories()[name] = std::move(factory);
}

std::unique_ptr<ReplacementPolicy> make_policy(const std::string& name,
                                               const PolicyArguments& args) {
    const auto found = factories().find(name);
    if (found == factories().end()) {
        throw UserError("unknown replacement policy").value(name).nearest(name, policy_names());
    }
    return found->second(args);
}

std::vector<std::string> policy_names() {
    std::vector<std::string> names;
    for (const auto& [name, factory] : factories()) names.push_back(name);
    return names;
}

}  // namespace linefill::model
