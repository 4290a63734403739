// SPDX-License-Identifier: Apache-2.0
// The table of keys, put together.
#include "model/platform/schema_build.h"

namespace linefill::model {

using schema_build::flag;
using schema_build::latency;
using schema_build::Schema;

const std::vector<KeySpec>& platform_schema() {
    static const Schema kSchema = [] {
        Schema out;
        schema_build::add_core_keys(out);
        schema_build::add_uncore_keys(out);
        schema_build::add_measure_keys(out);
        return out;
    }();
    return kSchema;
}

std::vector<KeySpec> idle_state_schema(const Platform& platform, std::size_t index) {
    const std::string prefix = "idle_state." + platform.idle_states[index].name + ".";
    Schema out;
    out.push_back(latency(
        prefix + "exit", [index](Platform& p) { return &p.idle_states[index].exit; },
        "from the wake-up to the first instruction"));
    out.push_back(latency(
        prefix + "residency", [index](Platform& p) { return &p.idle_states[index].residency; },
        "shortest stay for which it is chosen"));
    out.push_back(flag(
        prefix + "flushes_private_caches",
        [index](Platform& p) { return &p.idle_states[index].flushes_private_caches; },
        "whether L1 and L2 are empty afterwards"));
    return out;
}

}  // namespace linefill::model
