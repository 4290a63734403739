// SPDX-License-Identifier: Apache-2.0
// Sums that several reports make of what was recorded.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "measure/report/attribution.h"

namespace linefill::measure {

/// Accesses to one field, or of one function, put together as reports show them.
struct Demand {
    AccessStats reads;     ///< loads and polls
    AccessStats writes;    ///< stores and locked operations
    AccessStats prefetch;  ///< software prefetches; not part of the sums below

    void add(std::size_t kind, const AccessStats& stats);
    [[nodiscard]] AccessStats all() const;
    /// CPUs that wrote.
    [[nodiscard]] unsigned writers() const;
};

[[nodiscard]] std::map<std::string, Demand> demand_by_field(const AttributionResult& r);
[[nodiscard]] Demand demand_of(const std::array<AccessStats, kAccessKinds>& kinds);

/// True for time spent waiting for data, for ownership or for a lock; false for issuing, mispredicts,
/// code fetch, locked operations themselves, and entry and exit of system calls and interrupts.
[[nodiscard]] bool is_wait(std::string_view component);

/// Cycles in which something waited for an access to the field ("": to no field in particular).
[[nodiscard]] std::map<std::string, double> wait_by_field(const AttributionResult& r);

/// All time seen, in cycles: what is to be the same as AttributionResult::cycles.
[[nodiscard]] double attributed_cycles(const AttributionResult& r);

/// "task_struct" of "task_struct.se.exec_start".
[[nodiscard]] std::string structure_of(const std::string& field);

/// The field's cache line in its structure, or -1 if its place is not known.
[[nodiscard]] long line_in_structure(const AttributionResult& r, const std::string& field);

/// "3 runs, 15000 units of work, 1200 of them observed, 812.5 cycles per unit".
[[nodiscard]] std::string scope_text(const AttributionResult& r);

}  // namespace linefill::measure
