// SPDX-License-Identifier: Apache-2.0
// A comparison as MMTests tables, one per workload and metric; its order of rows allows no streaming.
#include <cmath>
#include <deque>
#include <utility>

#include "measure/comparison.h"
#include "measure/mmtests.h"
#include "measure/perf_text.h"

namespace linefill::measure {
namespace {

std::string operation_name(const ComparisonRow& row) {
    const std::string name = row.metric.name == "elapsed" ? "Elapsed" : row.metric.name;
    return row.parameter.empty() ? name : name + '-' + row.parameter;
}

class MmtestsWriter : public ComparisonWriter {
public:
    explicit MmtestsWriter(ComparisonTitle title) : title_(std::move(title)) {}

    std::string begin() override { return comment_block(title_.header); }

    std::string row(const ComparisonRow& row) override {
        Table& table = table_of(row);
        // MMTests prints a missing entry as 0; something that is not modelled is not 0.
        if (!row.baseline) {
            table.missing += (table.missing.empty() ? "" : ", ") + operation_name(row);
            return "";
        }
        note_decimals(table, *row.baseline);
        table.operations.push_back(operation_name(row));
        table.series.front().samples.push_back(row.baseline->samples);
        for (std::size_t i = 0; i < row.patched.size(); ++i) {
            const auto& patched = row.patched[i];
            table.series.at(i + 1).samples.push_back(patched ? patched->side.samples
                                                             : std::vector<double>());
            no_spread_ = no_spread_ || (patched && patched->gain.pairs > 1 &&
                                        patched->side.err_pct == 0 && row.baseline->err_pct == 0);
        }
        return "";
    }

    std::string end(const std::string& explanation) override {
        std::string text;
        for (const Table& table : tables_) {
            text += table.title + '\n';
            if (!table.operations.empty()) {
                text += mmtests_table(table.operations, table.series, table.better, table.decimals);
            }
            text += table.missing.empty() ? "\n" : "Not available: " + table.missing + "\n\n";
        }
        text +=
            "Percentages are gains over the first series; positive is better.\n"
            "Stars are MMTests' own rule, not a test of significance: the bands mean +- 1.96 x\n"
            "Stddev of the two series do not meet.\n";
        if (no_spread_) {
            text += "Series without any spread have no stars: their runs are identical.\n";
        }
        return explanation.empty() ? text : text + '\n' + explanation;
    }

private:
    struct Table {
        std::pair<std::string, std::string> key;
        std::string title;
        Better better = Better::kLower;
        int decimals = 2;
        std::string missing;
        std::vector<std::string> operations;
        std::vector<MmtestsSeries> series;
    };

    // MMTests has two decimals unless a benchmark asks for more, as those with small values do.
    static void note_decimals(Table& table, const Side& side) {
        constexpr int kForSmallValues = 4;
        if (side.mean != 0 && std::fabs(side.mean) < 1) {
            table.decimals = kForSmallValues;
        }
    }

    Table& table_of(const ComparisonRow& row) {
        std::pair<std::string, std::string> key(row.workload, row.metric.name);
        for (Table& table : tables_) {
            if (table.key == key) {
                return table;
            }
        }
        Table table;
        table.title = row.workload + ": " + row.metric.name + " [" + row.metric.unit + ']';
        if (row.metric.better == Better::kNeither) {
            table.title += ", neither direction is better: signs as where lower is";
        }
        table.key = std::move(key);
        table.better = row.metric.better;
        table.series.push_back({mmtests_series_name(title_.baseline), {}});
        for (const std::string& name : title_.patched) {
            table.series.push_back({mmtests_series_name(name), {}});
        }
        tables_.push_back(std::move(table));
        return tables_.back();
    }

    ComparisonTitle title_;
    std::deque<Table> tables_;
    bool no_spread_ = false;
};

const ComparisonFormat kFormat("mmtests", "the comparison table of MMTests, a table per metric",
                               [](ComparisonTitle title) -> std::unique_ptr<ComparisonWriter> {
                                   return std::make_unique<MmtestsWriter>(std::move(title));
                               });

}  // namespace
}  // namespace linefill::measure
