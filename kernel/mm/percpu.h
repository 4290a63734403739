// SPDX-License-Identifier: Apache-2.0
// Per-CPU units: one area per CPU on its node, at a distance of a whole number of pages, so that the
// same variable of all CPUs falls into the same cache set.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/mm/page_frames.h"

namespace linefill::kernel {

class PercpuUnits {
public:
    /// Bytes of a unit: static, reserved and dynamic part of a distribution-like kernel fit, and 16
    /// units fill a 2 MiB page, as the embedding first-chunk allocator likes it.
    static constexpr model::Addr kUnitSize = 128 * 1024;

    /// `node_of_cpu[cpu]`. `page_aligned` off: each next unit lies 67 lines further than its place.
    PercpuUnits(PageFrames& frames, const std::vector<unsigned>& node_of_cpu, bool page_aligned);

    [[nodiscard]] model::Addr unit(unsigned cpu) const { return units_[cpu]; }
    /// The variable's address in `cpu`'s unit; the first call places it.
    model::Addr variable(std::string_view symbol, unsigned cpu, unsigned size, unsigned align);

private:
    std::vector<model::Addr> units_;
    std::map<std::string, model::Addr, std::less<>> offsets_;
    model::Addr next_ = 0;
};

}  // namespace linefill::kernel
