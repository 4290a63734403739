// SPDX-License-Identifier: Apache-2.0
// The comparison table of MMTests, column for column.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "measure/statistics.h"

namespace linefill::measure {

/// One column of the table: samples per operation, in the order of the table's operations.
struct MmtestsSeries {
    /// "KERNEL-VARIANT"; the heading breaks it at the first dash that ends no "-rcN".
    std::string name;
    std::vector<std::vector<double>> samples;
};

/// The table: Min, Amean (Hmean where higher is better), the spreads, Max and the mean of the best
/// 95 %, for each operation. Percentages are gains over the first series, positive for better; the
/// mean of a series whose band, mean +- 1.96 deviations, does not meet the baseline's has stars.
/// Where neither side has any spread there is no star, unlike in MMTests, whose quotient would then
/// depend on the unit. Better::kNeither counts as lower. An operation without samples in a series
/// prints as zero.
[[nodiscard]] std::string mmtests_table(const std::vector<std::string>& operations,
                                        const std::vector<MmtestsSeries>& series, Better better,
                                        int decimals = 2);

/// A name that the heading breaks between kernel and variant: "v4.7-rc7+a+b" gives
/// "v4.7-rc7-a+b", one without a patch "v4.7-rc7-vanilla".
[[nodiscard]] std::string mmtests_series_name(std::string_view kernel_spec);

}  // namespace linefill::measure
