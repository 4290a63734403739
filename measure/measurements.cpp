// SPDX-License-Identifier: Apache-2.0
// Checks every field of a measurement file.
#include "measure/measurements.h"

#include <array>
#include <cctype>
#include <cmath>

#include "measure/csv_reader.h"
#include "measure/text_format.h"
#include "model/sim/error.h"

namespace linefill::measure {
namespace {

using model::UserError;

constexpr std::array<std::string_view, 14> kColumns = {
    "group",    "role",   "platform", "kernel", "apply", "config",  "boot",
    "workload", "metric", "unit",     "better", "value", "err_pct", "source"};

enum Column {
    kGroup,
    kRole,
    kPlatform,
    kKernel,
    kApply,
    kConfig,
    kBoot,
    kWorkload,
    kMetric,
    kUnit,
    kBetter,
    kValue,
    kErrPct,
    kSource
};

std::string column_list() {
    std::string list;
    for (const std::string_view column : kColumns) {
        list.append(list.empty() ? "" : ",").append(column);
    }
    return list;
}

class Parser {
public:
    explicit Parser(std::string file) : file_(std::move(file)) {}

    Measurements parse(std::string_view text) {
        const std::vector<CsvRecord> records = read_csv(text, file_);
        if (records.empty()) {
            throw UserError("the file is empty").file(file_).expected(column_list());
        }
        check_header(records.front());
        for (std::size_t i = 1; i < records.size(); ++i) {
            add(records[i]);
        }
        if (result_.rows.empty()) {
            throw UserError("no measurements after the line of columns").file(file_);
        }
        return std::move(result_);
    }

private:
    void check_header(const CsvRecord& record) const {
        const std::vector<std::string> known(kColumns.begin(), kColumns.end());
        for (std::size_t i = 0; i < kColumns.size(); ++i) {
            if (i >= record.fields.size()) {
                throw UserError("missing column")
                    .file(file_)
                    .line(record.line)
                    .key(std::string(kColumns[i]))
                    .expected(column_list());
            }
            if (record.fields[i] != kColumns[i]) {
                throw UserError("wrong column")
                    .file(file_)
                    .line(record.line)
                    .key("column " + std::to_string(i + 1))
                    .value(record.fields[i])
                    .expected(std::string(kColumns[i]));
            }
        }
        if (record.fields.size() > kColumns.size()) {
            throw UserError("unknown column")
                .file(file_)
                .line(record.line)
                .key("column " + std::to_string(kColumns.size() + 1))
                .value(record.fields[kColumns.size()])
                .expected(column_list());
        }
    }

    void add(const CsvRecord& record) {
        if (record.fields.size() != kColumns.size()) {
            throw UserError("wrong number of fields")
                .file(file_)
                .line(record.line)
                .value(std::to_string(record.fields.size()))
                .expected(std::to_string(kColumns.size()) + ": " + column_list());
        }
        record_ = &record;
        Measurement row;
        row.line = record.line;
        row.group = required(kGroup);
        row.role = role();
        row.platform = required(kPlatform);
        row.kernel = required(kKernel);
        row.apply = apply();
        row.config = words(kConfig);
        row.boot = words(kBoot);
        row.workload = required(kWorkload);
        row.metric = required(kMetric);
        row.unit = field(kUnit);
        const std::optional<Better> better = better_from_string(field(kBetter));
        if (!better) {
            throw error("unknown direction", kBetter).expected("lower, higher or neither");
        }
        row.better = *better;
        row.value = number(kValue, "a number");
        row.rounding = half_of_last_digit(field(kValue));
        if (!field(kErrPct).empty()) {
            row.err_pct = number(kErrPct, "a percentage from 0 on, or nothing");
            if (*row.err_pct < 0) {
                throw error("negative error", kErrPct).expected("a percentage from 0 on");
            }
        }
        row.source = field(kSource);
        place(std::move(row));
    }

    void place(Measurement row) {
        MeasurementGroup* group = nullptr;
        for (MeasurementGroup& known : result_.groups) {
            if (known.name == row.group) {
                group = &known;
            }
        }
        if (group == nullptr) {
            result_.groups.push_back({row.group, std::nullopt, std::nullopt});
            group = &result_.groups.back();
        }
        const bool is_baseline = row.role == Measurement::Role::kBaseline;
        std::optional<std::size_t>& own = is_baseline ? group->baseline : group->patched;
        const std::optional<std::size_t> other = is_baseline ? group->patched : group->baseline;
        if (own) {
            throw error("second row of this role in group " + row.group, kRole)
                .expected("one; the first is on line " + std::to_string(result_.rows[*own].line));
        }
        if (other) {
            check_partner(result_.rows[*other]);
        }
        own = result_.rows.size();
        result_.rows.push_back(std::move(row));
    }

    void check_partner(const Measurement& partner) const {
        const auto check = [&](Column column, std::string_view expected) {
            if (field(column) != expected) {
                throw error("differs from the other row of the group", column)
                    .expected(std::string(expected) + ", as on line " +
                              std::to_string(partner.line));
            }
        };
        check(kWorkload, partner.workload);
        check(kMetric, partner.metric);
        check(kUnit, partner.unit);
        check(kBetter, to_string(partner.better));
    }

    [[nodiscard]] const std::string& field(Column column) const {
        return record_->fields[static_cast<std::size_t>(column)];
    }

    [[nodiscard]] const std::string& required(Column column) const {
        if (field(column).empty()) {
            throw error("empty field", column).expected("a name");
        }
        return field(column);
    }

    [[nodiscard]] Measurement::Role role() const {
        if (field(kRole) == "baseline") {
            return Measurement::Role::kBaseline;
        }
        if (field(kRole) == "patched") {
            return Measurement::Role::kPatched;
        }
        throw error("unknown role", kRole)
            .expected("baseline or patched")
            .nearest(field(kRole), {"baseline", "patched"});
    }

    [[nodiscard]] std::vector<std::string> apply() const {
        if (field(kApply).empty()) {
            return {};
        }
        std::vector<std::string> patches = split(field(kApply), '+');
        for (const std::string& patch : patches) {
            if (patch.empty()) {
                throw error("empty name of a patch", kApply).expected("names with a + between");
            }
        }
        return patches;
    }

    [[nodiscard]] std::vector<std::string> words(Column column) const {
        std::vector<std::string> found;
        for (std::string& word : split(field(column), ' ')) {
            if (!word.empty()) {
                found.push_back(std::move(word));
            }
        }
        return found;
    }

    [[nodiscard]] double number(Column column, const std::string& expected) const {
        const std::optional<double> value = parse_number(field(column));
        if (!value) {
            throw error("not a number", column).expected(expected);
        }
        return *value;
    }

    // "3.48" is known to 0.005, "15860" to 0.5. Digits with an exponent count as exact.
    static double half_of_last_digit(const std::string& text) {
        constexpr double kTen = 10;
        if (text.find_first_of("eE") != std::string::npos) {
            return 0;
        }
        const std::size_t point = text.find('.');
        const auto decimals =
            static_cast<double>(point == std::string::npos ? 0 : text.size() - point - 1);
        return std::pow(kTen, -decimals) / 2;
    }

    [[nodiscard]] UserError error(const std::string& what, Column column) const {
        UserError wrong(what);
        wrong.file(file_).line(record_->line);
        wrong.key(std::string(kColumns[static_cast<std::size_t>(column)])).value(field(column));
        return wrong;
    }

    std::string file_;
    const CsvRecord* record_ = nullptr;
    Measurements result_;
};

}  // namespace

double Measurement::relative_error() const {
    constexpr double kPercent = 100;
    if (err_pct) {
        return *err_pct / kPercent;
    }
    return value == 0 ? 0 : rounding / std::fabs(value);
}

Measurements parse_measurements(std::string_view text, const std::string& file) {
    return Parser(file).parse(text);
}

}  // namespace linefill::measure
