// SPDX-License-Identifier: Apache-2.0
// Files of measured values, which predictions are held against.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/statistics.h"

namespace linefill::measure {

/// One row: what was measured, and on what.
struct Measurement {
    enum class Role { kBaseline, kPatched };

    int line = 0;
    std::string group;
    Role role = Role::kBaseline;
    std::string platform;
    std::string kernel;
    /// Patches on top of the kernel.
    std::vector<std::string> apply;
    std::vector<std::string> config;
    std::vector<std::string> boot;
    /// The command line.
    std::string workload;
    std::string metric;
    std::string unit;
    Better better = Better::kLower;
    double value = 0;
    /// Published error, percent of the value (one standard error); empty if none was published.
    std::optional<double> err_pct;
    /// Half a unit of the last digit given: what rounding alone leaves open.
    double rounding = 0;
    std::string source;

    /// The error to judge by, as a share of the value: the published one, or else that of rounding.
    [[nodiscard]] double relative_error() const;
};

/// Rows of one group: indices into Measurements::rows, paired by role.
struct MeasurementGroup {
    std::string name;
    std::optional<std::size_t> baseline;
    std::optional<std::size_t> patched;
};

struct Measurements {
    std::vector<Measurement> rows;
    /// In the order of their first rows.
    std::vector<MeasurementGroup> groups;
};

/// Reads a measurement file's text. Columns are
/// group,role,platform,kernel,apply,config,boot,workload,metric,unit,better,value,err_pct,source
/// in this order; `apply` joins by +, `config` and `boot` by blanks. Throws UserError with file,
/// line, column, value and what was expected. Whether platforms, kernels and workloads exist is not
/// checked here.
[[nodiscard]] Measurements parse_measurements(std::string_view text, const std::string& file);

}  // namespace linefill::measure
