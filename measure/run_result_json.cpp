// SPDX-License-Identifier: Apache-2.0
// The only file of measure/ that sees nlohmann's headers.
#include "measure/run_result_json.h"

#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "measure/text_format.h"

namespace linefill::measure {
namespace {

using Json = nlohmann::json;

// JSON has no infinity and no not-a-number, and nlohmann would write null: they go as strings.
Json number(double value) {
    if (std::isfinite(value)) {
        return value;
    }
    return fixed(value, 0);
}

const Json& member(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) {
        throw std::runtime_error(std::string("run result: missing key \"") + key + '"');
    }
    return *found;
}

double to_double(const Json& json, const std::string& key) {
    if (json.is_number()) {
        return json.get<double>();
    }
    if (json.is_string()) {
        const auto text = json.get<std::string>();
        if (text == "nan") {
            return std::numeric_limits<double>::quiet_NaN();
        }
        if (text == "inf" || text == "-inf") {
            const double infinity = std::numeric_limits<double>::infinity();
            return text == "inf" ? infinity : -infinity;
        }
    }
    throw std::runtime_error("run result: \"" + key + "\" is not a number");
}

double double_member(const Json& object, const char* key) {
    return to_double(member(object, key), key);
}

const Json& object_member(const Json& object, const char* key) {
    const Json& found = member(object, key);
    if (!found.is_object()) {
        throw std::runtime_error(std::string("run result: \"") + key + "\" is not an object");
    }
    return found;
}

Json from_map(const std::map<std::string, double>& values) {
    Json json = Json::object();
    for (const auto& [name, value] : values) {
        json[name] = number(value);
    }
    return json;
}

std::map<std::string, double> to_map(const Json& json) {
    std::map<std::string, double> values;
    for (const auto& [name, value] : json.items()) {
        values[name] = to_double(value, name);
    }
    return values;
}

EventCount to_count(const Json& json, const std::string& name) {
    if (!json.is_object()) {
        throw std::runtime_error("run result: event \"" + name + "\" is not an object");
    }
    EventCount count;
    count.value = double_member(json, "value");
    const Json& supported = member(json, "supported");
    if (!supported.is_boolean()) {
        throw std::runtime_error("run result: \"supported\" is not a boolean");
    }
    count.supported = supported.get<bool>();
    count.running_pct = double_member(json, "running_pct");
    count.running_ns = double_member(json, "running_ns");
    return count;
}

/// Parts are many: their members stand in arrays, events by name.
Json from_part(const RunPart& part) {
    Json events = Json::object();
    for (const auto& [name, count] : part.events) {
        events[name] = {number(count.value), count.supported, number(count.running_pct),
                        number(count.running_ns)};
    }
    return Json::array({part.interval, number(part.end_s), number(part.length_s), part.id,
                        part.name, part.cpus, std::move(events)});
}

RunPart to_part(const Json& json) {
    try {
        RunPart part;
        part.interval = json.at(0).get<unsigned>();
        part.end_s = to_double(json.at(1), "parts");
        part.length_s = to_double(json.at(2), "parts");
        part.id = json.at(3).get<int>();
        part.name = json.at(4).get<std::string>();
        part.cpus = json.at(5).get<int>();
        for (const auto& [name, count] : json.at(6).items()) {
            part.events[name] = {to_double(count.at(0), name), count.at(1).get<bool>(),
                                 to_double(count.at(2), name), to_double(count.at(3), name)};
        }
        return part;
    } catch (const Json::exception&) {
        throw std::runtime_error("run result: \"parts\" holds what is no part");
    }
}

}  // namespace

std::string to_json(const RunResult& run) {
    Json events = Json::object();
    for (const auto& [name, count] : run.events) {
        events[name] = {{"value", number(count.value)},
                        {"supported", count.supported},
                        {"running_pct", number(count.running_pct)},
                        {"running_ns", number(count.running_ns)}};
    }
    Json json = {{"seed", run.seed},
                 {"events", std::move(events)},
                 {"elapsed_s", number(run.elapsed_s)},
                 {"user_s", number(run.user_s)},
                 {"sys_s", number(run.sys_s)},
                 {"metrics", from_map(run.metrics)},
                 {"sampling_rel_err", from_map(run.sampling_rel_err)}};
    if (!run.parts.empty()) {
        Json& parts = json["parts"] = Json::array();
        for (const RunPart& part : run.parts) parts.push_back(from_part(part));
    }
    return json.dump();
}

RunResult run_result_from_json(std::string_view text) {
    const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) {
        throw std::runtime_error("run result: not a JSON object (" + std::to_string(text.size()) +
                                 " bytes)");
    }
    RunResult run;
    const Json& seed = member(json, "seed");
    if (!seed.is_number_unsigned()) {
        throw std::runtime_error("run result: \"seed\" is not an unsigned number");
    }
    run.seed = seed.get<std::uint64_t>();
    for (const auto& [name, count] : object_member(json, "events").items()) {
        run.events[name] = to_count(count, name);
    }
    run.elapsed_s = double_member(json, "elapsed_s");
    run.user_s = double_member(json, "user_s");
    run.sys_s = double_member(json, "sys_s");
    run.metrics = to_map(object_member(json, "metrics"));
    run.sampling_rel_err = to_map(object_member(json, "sampling_rel_err"));
    if (json.contains("parts")) {
        for (const Json& part : json.at("parts")) run.parts.push_back(to_part(part));
    }
    return run;
}

}  // namespace linefill::measure
