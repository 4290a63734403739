// SPDX-License-Identifier: Apache-2.0
// Probes run in processes of their own, and their tables as text.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "measure/interrupt.h"
#include "model/platform/platform.h"
#include "scenarios/probes/probe.h"

namespace linefill::measure {

enum class ProbeFormat { kText, kCsv };

/// Each target's key and source follow in text; CSV has a header line and one line per row.
[[nodiscard]] std::string print_probe(const scenarios::ProbeTable& table,
                                      const model::Platform& platform, ProbeFormat format);

/// Runs the probe on each platform and passes the tables on in order. Throws what the probe threw.
/// Returns false if the interrupt cut it short; tables that were complete have been passed on.
bool run_probes(const std::string& name, const std::vector<model::Platform>& platforms,
                const scenarios::ProbeOptions& options, ProbeFormat format, unsigned jobs,
                const InterruptGuard* interrupt,
                const std::function<void(const std::string&)>& on_table);

}  // namespace linefill::measure
