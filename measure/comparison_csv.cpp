// SPDX-License-Identifier: Apache-2.0
// Comparison rows as CSV, one line each as soon as it is there.
#include <cmath>
#include <utility>

#include "measure/comparison.h"
#include "measure/text_format.h"

namespace linefill::measure {
namespace {

constexpr int kDigits = 6;

// Not-a-number is an empty field.
std::string number(double value) { return std::isfinite(value) ? significant(value, kDigits) : ""; }

std::string side_fields(const Side* side) {
    if (side == nullptr) {
        return ",";
    }
    return number(side->mean) + ',' +
           (side->error == Side::Error::kUnknown ? "" : number(side->err_pct));
}

class CsvWriter : public ComparisonWriter {
public:
    explicit CsvWriter(ComparisonTitle title) : title_(std::move(title)) {}

    std::string begin() override {
        std::string text =
            "workload,parameter,metric,unit,better,baseline,baseline_err_pct,patched,"
            "patched_err_pct,gain_pct,gain_lo_pct,gain_hi_pct,verdict";
        return text + (several() ? ",patched_name\n" : "\n");
    }

    std::string row(const ComparisonRow& row) override {
        std::string text;
        for (std::size_t i = 0; i < row.patched.size(); ++i) {
            const auto& patched = row.patched[i];
            text += csv_field(row.workload) + ',' + csv_field(row.parameter) + ',' +
                    csv_field(row.metric.name) + ',' + csv_field(row.metric.unit) + ',' +
                    std::string(to_string(row.metric.better)) + ',' +
                    side_fields(row.baseline ? &*row.baseline : nullptr) + ',' +
                    side_fields(patched ? &patched->side : nullptr) + ',';
            text += patched ? number(patched->gain.pct) + ',' + number(patched->gain.lo_pct) + ',' +
                                  number(patched->gain.hi_pct)
                            : ",,";
            text += ',' + verdict_text(patched);
            text += several() ? ',' + csv_field(title_.patched.at(i)) + '\n' : "\n";
        }
        return text;
    }

    /// A second table, behind an empty line.
    std::string end(const std::string& explanation) override {
        return explanation.empty() ? "" : "\n" + explanation;
    }

private:
    // Rows of several patched variants are told apart by a column that is not there otherwise.
    [[nodiscard]] bool several() const { return title_.patched.size() > 1; }

    ComparisonTitle title_;
};

const ComparisonFormat kFormat("csv", "one line per row and patched variant, 6 significant digits",
                               [](ComparisonTitle title) -> std::unique_ptr<ComparisonWriter> {
                                   return std::make_unique<CsvWriter>(std::move(title));
                               });

}  // namespace
}  // namespace linefill::measure
