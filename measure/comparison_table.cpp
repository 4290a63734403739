// SPDX-License-Identifier: Apache-2.0
// The table for a commit message: a block per metric, a line per value of the swept argument.
#include <cmath>
#include <deque>
#include <set>
#include <utility>

#include "measure/comparison.h"
#include "measure/perf_text.h"
#include "measure/text_format.h"

namespace linefill::measure {
namespace {

constexpr int kParameterWidth = 7;
constexpr int kNumberWidth = 12;
constexpr int kErrorWidth = 9;
constexpr int kGainWidth = 8;
constexpr int kVerdictWidth = 13;
constexpr int kDigits = 5;

std::string value_cell(const Side* side) {
    if (side == nullptr) {
        return right_aligned("n/a", kNumberWidth) + std::string(kErrorWidth, ' ');
    }
    std::string error;
    if (side->error != Side::Error::kUnknown) {
        constexpr int kPercentWidth = 5;
        error = " +-" + right_aligned(fixed(side->err_pct, 2), kPercentWidth) + '%';
    }
    return right_aligned(plain_digits(side->mean, kDigits), kNumberWidth) +
           left_aligned(error, kErrorWidth);
}

std::string gain_cell(const std::optional<PatchedSide>& patched) {
    if (!patched || std::isnan(patched->gain.pct)) {
        return right_aligned("n/a", kGainWidth);
    }
    return right_aligned(fixed(patched->gain.pct, 2) + '%', kGainWidth);
}

std::string without_trailing_blanks(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

class TableWriter : public ComparisonWriter {
public:
    explicit TableWriter(ComparisonTitle title) : title_(std::move(title)) {}

    std::string begin() override { return comment_block(title_.header); }

    // Rows of the first block go out as they come; those of the others wait for the end, because
    // all metrics of one setting are ready together.
    std::string row(const ComparisonRow& row) override {
        note(row);
        const Key key(row.workload, row.metric.name);
        if (blocks_.empty() || blocks_.front().first == key) {
            std::string text = blocks_.empty() ? heading(row) : "";
            if (blocks_.empty()) {
                blocks_.emplace_back(key, "");
            }
            return text + line(row);
        }
        for (auto& [known, text] : blocks_) {
            if (known == key) {
                text += line(row);
                return "";
            }
        }
        blocks_.emplace_back(key, heading(row) + line(row));
        return "";
    }

    std::string end(const std::string& explanation) override {
        std::string text;
        for (const auto& [key, block] : blocks_) {
            text += block.empty() ? "" : '\n' + block;
        }
        if (!blocks_.empty()) {
            text += '\n' + footnotes();
        }
        return explanation.empty() ? text : text + '\n' + explanation;
    }

private:
    using Key = std::pair<std::string, std::string>;

    void note(const ComparisonRow& row) {
        const auto note_side = [this](const Side& side) {
            runs_.insert(side.samples.size());
            of_sampling_ = of_sampling_ || side.error == Side::Error::kOfSampling;
            unknown_ = unknown_ || side.error == Side::Error::kUnknown;
        };
        if (row.baseline) {
            note_side(*row.baseline);
        }
        for (const auto& patched : row.patched) {
            if (patched) {
                note_side(patched->side);
            }
        }
    }

    std::string heading(const ComparisonRow& row) const {
        std::string text = row.workload + ": " + row.metric.name + " [" + row.metric.unit + "], ";
        text += row.metric.better == Better::kNeither
                    ? "neither direction is better"
                    : std::string(to_string(row.metric.better)) + " is better";
        const bool several = title_.patched.size() > 1;
        text += "\n  before: " + title_.baseline + '\n';
        for (std::size_t i = 0; i < title_.patched.size(); ++i) {
            text += "  " + after_name(i) + (several ? ": " : ":  ") + title_.patched[i] + '\n';
        }
        std::string columns = "  " + parameter_cell(title_.parameter_name) + "  " +
                              right_aligned("before", kNumberWidth) + std::string(kErrorWidth, ' ');
        for (std::size_t i = 0; i < title_.patched.size(); ++i) {
            columns += "  " + right_aligned(after_name(i), kNumberWidth) +
                       std::string(kErrorWidth, ' ') + "  " + right_aligned("gain", kGainWidth) +
                       "  " + left_aligned("verdict", kVerdictWidth);
        }
        return text + '\n' + without_trailing_blanks(columns) + '\n';
    }

    std::string line(const ComparisonRow& row) const {
        std::string text = "  " + parameter_cell(row.parameter) + "  " +
                           value_cell(row.baseline ? &*row.baseline : nullptr);
        for (const auto& patched : row.patched) {
            text += "  " + value_cell(patched ? &patched->side : nullptr) + "  " +
                    gain_cell(patched) + "  " + left_aligned(verdict_text(patched), kVerdictWidth);
        }
        return without_trailing_blanks(text) + '\n';
    }

    [[nodiscard]] std::string after_name(std::size_t i) const {
        return title_.patched.size() > 1 ? "after" + std::to_string(i + 1) : "after";
    }

    [[nodiscard]] std::string parameter_cell(const std::string& text) const {
        const int width = static_cast<int>(title_.parameter_name.size());
        return right_aligned(text, width > kParameterWidth ? width : kParameterWidth);
    }

    [[nodiscard]] std::string footnotes() const {
        std::string text = "Gain: positive is better (where neither direction is, a rise).";
        const std::size_t most = runs_.empty() ? 0 : *runs_.rbegin();
        if (most > 1) {
            text += "\n+-: standard error of the mean over " + std::to_string(most) +
                    " runs; verdict: paired by seed, Student's t at 95 %.";
        }
        if (of_sampling_) {
            text += "\n+-: error of sampling within the only run; verdict from it, at 95 %.";
        }
        if (unknown_) {
            text += "\nA single run has no spread: no difference can be told from noise.";
        }
        return text + '\n';
    }

    ComparisonTitle title_;
    std::deque<std::pair<Key, std::string>> blocks_;
    std::set<std::size_t> runs_;
    bool of_sampling_ = false;
    bool unknown_ = false;
};

const ComparisonFormat kFormat(
    "table", "a block per metric with before, after and gain, for a commit message",
    [](ComparisonTitle title) -> std::unique_ptr<ComparisonWriter> {
        return std::make_unique<TableWriter>(std::move(title));
    });

}  // namespace
}  // namespace linefill::measure
