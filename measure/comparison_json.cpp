// SPDX-License-Identifier: Apache-2.0
// A comparison as one JSON object, a row a line, numbers in full.
#include <cmath>
#include <utility>

#include "measure/comparison.h"
#include "measure/text_format.h"

namespace linefill::measure {
namespace {

std::string number(double value) { return std::isfinite(value) ? shortest(value) : "null"; }

std::string member(const char* key, const std::string& json) {
    return '"' + std::string(key) + "\": " + json;
}

std::string side_object(const Side& side, const std::string& more) {
    std::string samples;
    for (const double sample : side.samples) {
        samples += (samples.empty() ? "" : ", ") + number(sample);
    }
    const bool known = side.error != Side::Error::kUnknown;
    return '{' + member("mean", number(side.mean)) + ", " +
           member("err_pct", known ? number(side.err_pct) : "null") + ", " +
           member("samples", '[' + samples + ']') + more + '}';
}

std::string patched_object(const std::optional<PatchedSide>& patched) {
    if (!patched) {
        return "null";
    }
    const Gain& gain = patched->gain;
    return side_object(patched->side, ", " + member("gain_pct", number(gain.pct)) + ", " +
                                          member("gain_lo_pct", number(gain.lo_pct)) + ", " +
                                          member("gain_hi_pct", number(gain.hi_pct)) + ", " +
                                          member("verdict", json_string(to_string(gain.verdict))));
}

std::string string_array(const std::vector<std::string>& strings) {
    std::string text;
    for (const std::string& string : strings) {
        text += (text.empty() ? "" : ", ") + json_string(string);
    }
    return '[' + text + ']';
}

class JsonWriter : public ComparisonWriter {
public:
    explicit JsonWriter(ComparisonTitle title) : title_(std::move(title)) {}

    std::string begin() override {
        return '{' + member("simulated", string_array(title_.header)) + ",\n " +
               member("parameter_name", json_string(title_.parameter_name)) + ",\n " +
               member("baseline", json_string(title_.baseline)) + ",\n " +
               member("patched", string_array(title_.patched)) + ",\n " + member("rows", "[");
    }

    std::string row(const ComparisonRow& row) override {
        std::string patched;
        for (const auto& side : row.patched) {
            patched += (patched.empty() ? "" : ", ") + patched_object(side);
        }
        std::string text =
            (first_ ? "\n  {" : ",\n  {") + member("workload", json_string(row.workload)) + ", " +
            member("parameter", json_string(row.parameter)) + ", " +
            member("metric", json_string(row.metric.name)) + ", " +
            member("unit", json_string(row.metric.unit)) + ", " +
            member("better", json_string(to_string(row.metric.better))) + ", " +
            member("baseline", row.baseline ? side_object(*row.baseline, "") : "null") + ", " +
            member("patched", '[' + patched + ']') + '}';
        first_ = false;
        return text;
    }

    std::string end(const std::string& explanation) override {
        if (explanation.empty()) return "\n ]}\n";
        return "\n ],\n " + member("explanation", "[\n" + explanation + "\n ]}\n");
    }

private:
    ComparisonTitle title_;
    bool first_ = true;
};

const ComparisonFormat kFormat("json", "one object with all rows and every run's value",
                               [](ComparisonTitle title) -> std::unique_ptr<ComparisonWriter> {
                                   return std::make_unique<JsonWriter>(std::move(title));
                               });

}  // namespace
}  // namespace linefill::measure
