// SPDX-License-Identifier: Apache-2.0
// Where static kernel data lies. The kernel implements this over its modelled memory; subsystems
// with variables of their own (locks, time keeping) ask for addresses at boot, by symbol.
#pragma once

#include <string_view>

#include "model/core/access.h"

namespace linefill::kernel {

class Sections {
public:
    virtual ~Sections() = default;
    /// Address of `cpu`'s copy of the per-CPU variable `symbol`. Every CPU's copy has the same offset
    /// in its per-CPU unit; the first call fixes size and alignment (bytes).
    virtual model::Addr per_cpu(std::string_view symbol, unsigned cpu, unsigned size,
                                unsigned align) = 0;
    /// Address of the global variable `symbol`.
    virtual model::Addr data(std::string_view symbol, unsigned size, unsigned align) = 0;
};

}  // namespace linefill::kernel
