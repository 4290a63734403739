// SPDX-License-Identifier: Apache-2.0
// Records one call of a kernel function as an ordered list of accesses, to be held beside a
// disassembly: field, line of the structure, kind, what its address depends on, what drains.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/core/access.h"

namespace linefill::kernel {

struct PathStep {
    unsigned depth = 0;                               ///< of calls, from the recorded function
    model::FunctionId function = model::kNoFunction;  ///< that made the access
    model::FieldId field = model::kNoField;
    model::AccessKind kind = model::AccessKind::kLoad;
    std::uint64_t offset = 0;    ///< of the access in its structure, bytes
    int depends_on = -1;         ///< index of the step whose value its address needs; -1: none
    bool drains = false;         ///< store buffer and loads drain here
    std::uint64_t instructions = 0;  ///< executed since the call began, this one included
};

}  // namespace linefill::kernel
