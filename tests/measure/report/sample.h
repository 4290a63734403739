// SPDX-License-Identifier: Apache-2.0
// Invented recordings with sums that are easy to check.
#pragma once

#include <string>

#include "measure/report/attribution.h"
#include "measure/report/report.h"

namespace linefill::measure {

/// `count` accesses, of them `misses` from `source` of class `miss` at `ns` each, by CPUs 0 to
/// `cpus` - 1.
AccessStats accesses(std::uint64_t count, std::uint64_t misses = 0,
                     model::DataSource source = model::DataSource::kLlc,
                     model::MissClass miss = model::MissClass::kCapacity, double ns = 10,
                     unsigned cpus = 1);

/// Two runs, 1000 units together, 2,000,000 cycles; time_cycles sums to exactly those. A run-queue
/// lock, a task with its scheduling entity, a queue node without a layout.
AttributionResult sample_result();

/// The same after a patch: 1,500,000 cycles, of which 20,000 are attributed to nothing.
AttributionResult sample_patched();

/// Compares with a file of the folder `golden`; with LINEFILL_UPDATE_GOLDEN set, writes it.
void expect_golden(const std::string& name, const std::string& text);

}  // namespace linefill::measure
