// SPDX-License-Identifier: Apache-2.0
// A comparison as one Markdown table, a row a line as soon as it is there.
#include <cmath>
#include <utility>

#include "measure/comparison.h"
#include "measure/text_format.h"

namespace linefill::measure {
namespace {

constexpr int kDigits = 5;

// A bar would end the cell.
std::string cell(const std::string& text) {
    std::string escaped;
    for (const char letter : text) {
        if (letter == '|') {
            escaped += '\\';
        }
        escaped += letter == '\n' ? ' ' : letter;
    }
    return escaped;
}

std::string value(const Side* side) {
    if (side == nullptr) {
        return "n/a";
    }
    const std::string mean = plain_digits(side->mean, kDigits);
    return side->error == Side::Error::kUnknown ? mean
                                                : mean + " ± " + fixed(side->err_pct, 2) + " %";
}

std::string percent(double pct) { return std::isfinite(pct) ? fixed(pct, 2) + " %" : "n/a"; }

class MarkdownWriter : public ComparisonWriter {
public:
    explicit MarkdownWriter(ComparisonTitle title) : title_(std::move(title)) {}

    std::string begin() override {
        std::string text;
        for (const std::string& line : title_.header) {
            text += "> " + line + "  \n";
        }
        text += text.empty() ? "" : "\n";
        const std::string parameter =
            title_.parameter_name.empty() ? "parameter" : cell(title_.parameter_name);
        std::string columns = "| workload | " + parameter + " | metric | " + cell(title_.baseline);
        std::string rule = "|---|--:|---|--:";
        for (const std::string& name : title_.patched) {
            columns += " | " + cell(name) + " | gain | 95 % interval | verdict";
            rule += "|--:|--:|--:|---";
        }
        return text + columns + " |\n" + rule + "|\n";
    }

    std::string row(const ComparisonRow& row) override {
        std::string text = "| " + cell(row.workload) + " | " + cell(row.parameter) + " | " +
                           cell(row.metric.name) + " [" + cell(row.metric.unit) + "] | " +
                           value(row.baseline ? &*row.baseline : nullptr);
        for (const auto& patched : row.patched) {
            text += " | " + value(patched ? &patched->side : nullptr) + " | ";
            if (!patched) {
                text += "n/a | n/a";
            } else if (std::isfinite(patched->gain.lo_pct)) {
                text += percent(patched->gain.pct) + " | " + fixed(patched->gain.lo_pct, 2) +
                        " … " + percent(patched->gain.hi_pct);
            } else {
                text += percent(patched->gain.pct) + " | n/a";
            }
            text += " | " + verdict_text(patched);
        }
        return text + " |\n";
    }

    std::string end(const std::string& explanation) override {
        return "\nA positive gain is better (where neither direction is, a rise).\n" +
               (explanation.empty() ? "" : "\n" + explanation);
    }

private:
    ComparisonTitle title_;
};

const ComparisonFormat kFormat("markdown", "one table with gain, its interval and verdict",
                               [](ComparisonTitle title) -> std::unique_ptr<ComparisonWriter> {
                                   return std::make_unique<MarkdownWriter>(std::move(title));
                               });

}  // namespace
}  // namespace linefill::measure
