// SPDX-License-Identifier: Apache-2.0
// Reading scenario files.
#include "scenarios/scenario_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include "model/sim/error.h"
#include "scenarios/workload.h"

namespace linefill::scenarios {
namespace {

using model::UserError;

const std::vector<std::string>& known_keys() {
    static const std::vector<std::string> kKeys{"title",   "platform", "workload", "parameter",
                                                "values",  "baseline", "patched",  "repeats",
                                                "metrics", "set",      "config",   "boot"};
    return kKeys;
}

/// Reads one scenario's keys, with file and line in every complaint.
class Reader {
public:
    Reader(const toml::table& table, const std::string& path) : table_(table), path_(path) {
        for (const auto& [key, value] : table_) {
            const std::string name(key.str());
            const auto& keys = known_keys();
            if (std::find(keys.begin(), keys.end(), name) != keys.end()) continue;
            UserError error("unknown key in a scenario");
            error.key(name).nearest(name, keys);
            throw at(error, key.source());
        }
    }

    UserError at(UserError error, const toml::source_region& where) const {
        error.file(path_).line(static_cast<int>(where.begin.line));
        return error;
    }
    UserError wrong(const std::string& key, const std::string& expected) const {
        UserError error("wrong value in a scenario");
        error.key(key).expected(expected);
        return at(error, table_.get(key)->source());
    }

    bool has(const std::string& key) const { return table_.contains(key); }
    void require(const std::string& key) const {
        if (has(key)) return;
        UserError error("missing key in a scenario");
        error.file(path_).key(key);
        throw error;
    }
    std::string text(const std::string& key) const {
        if (!has(key)) return {};
        const auto value = table_.get(key)->value_exact<std::string>();
        if (!value || value->empty()) throw wrong(key, "a text that is not empty");
        return *value;
    }
    /// A text, or a list of texts.
    std::vector<std::string> texts(const std::string& key) const {
        if (!has(key)) return {};
        const toml::node& node = *table_.get(key);
        if (node.is_string()) return {text(key)};
        const std::string expected = "a text or a list of texts, none empty, none twice";
        const toml::array* list = node.as_array();
        if (list == nullptr || list->empty()) throw wrong(key, expected);
        std::vector<std::string> all;
        for (const toml::node& one : *list) {
            const auto value = one.value_exact<std::string>();
            if (!value || value->empty() ||
                std::find(all.begin(), all.end(), *value) != all.end()) {
                throw wrong(key, expected);
            }
            all.push_back(*value);
        }
        return all;
    }
    std::vector<std::uint64_t> counts(const std::string& key) const {
        if (!has(key)) return {};
        const std::string expected = "a list of whole numbers from 1 on, none twice";
        const toml::array* list = table_.get(key)->as_array();
        if (list == nullptr || list->empty()) throw wrong(key, expected);
        std::vector<std::uint64_t> all;
        for (const toml::node& one : *list) {
            const auto value = one.value_exact<std::int64_t>();
            if (!value || *value < 1) throw wrong(key, expected);
            const auto count = static_cast<std::uint64_t>(*value);
            if (std::find(all.begin(), all.end(), count) != all.end()) throw wrong(key, expected);
            all.push_back(count);
        }
        return all;
    }

private:
    const toml::table& table_;
    const std::string& path_;
};

std::string name_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

}  // namespace

Scenario parse_scenario(const std::string& text, const std::string& path) {
    toml::table table;
    try {
        table = toml::parse(text, path);
    } catch (const toml::parse_error& e) {
        UserError error("not a TOML file: " + std::string(e.description()));
        error.file(path).line(static_cast<int>(e.source().begin.line));
        throw error;
    }
    const Reader in(table, path);
    for (const char* key : {"platform", "workload", "baseline", "patched"}) in.require(key);

    Scenario s;
    s.name = name_of(path);
    s.path = path;
    s.title = in.text("title");
    s.platforms = in.texts("platform");
    s.workloads = in.texts("workload");
    s.parameter = in.text("parameter");
    s.values = in.counts("values");
    if (!s.parameter.empty()) in.require("values");
    if (!s.values.empty()) in.require("parameter");
    s.baseline = in.text("baseline");
    s.patched = in.texts("patched");
    for (std::string& spec : s.patched) {
        if (spec[0] == '+' || spec[0] == '~') spec = s.baseline + spec;
    }
    if (in.has("repeats")) {
        const auto value = table["repeats"].value_exact<std::int64_t>();
        if (!value || *value < 1 || *value > 10000) {
            throw in.wrong("repeats", "a whole number from 1 to 10000");
        }
        s.repeats = static_cast<unsigned>(*value);
    }
    s.metrics = in.texts("metrics");
    s.set = in.texts("set");
    s.config = in.texts("config");
    s.boot = in.text("boot");

    // Workloads and their parameter are checked here, so that the message has the line.
    for (const std::string& command : scenario_commands(s)) {
        try {
            (void)parse_workload(split_command(command));
        } catch (UserError& error) {
            const bool about_parameter = !s.parameter.empty() && error.key() == s.parameter;
            error.file(path).line(static_cast<int>(
                table.get(about_parameter ? "values" : "workload")->source().begin.line));
            throw;
        }
    }
    return s;
}

Scenario load_scenario(const std::string& name_or_path, const std::vector<std::string>& dirs) {
    namespace fs = std::filesystem;
    const bool is_path =
        name_or_path.find('/') != std::string::npos ||
        (name_or_path.size() > 5 && name_or_path.compare(name_or_path.size() - 5, 5, ".toml") == 0);
    std::string path = name_or_path;
    if (!is_path) {
        path.clear();
        for (const std::string& dir : dirs) {
            const std::string candidate = dir + "/" + name_or_path + ".toml";
            if (fs::is_regular_file(candidate)) {
                path = candidate;
                break;
            }
        }
        if (path.empty()) {
            UserError error("unknown scenario");
            error.value(name_or_path).expected("a file, or a name of `linefill list scenarios`");
            error.nearest(name_or_path, scenario_names(dirs));
            throw error;
        }
    }
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    if (fs::is_directory(path) || !in || !(text << in.rdbuf())) {
        UserError error("cannot read the scenario");
        error.file(path);
        throw error;
    }
    return parse_scenario(text.str(), path);
}

std::vector<std::string> scenario_names(const std::vector<std::string>& dirs) {
    namespace fs = std::filesystem;
    std::set<std::string> names;
    for (const std::string& dir : dirs) {
        std::error_code failure;
        for (fs::directory_iterator at(dir, failure), end; !failure && at != end;
             at.increment(failure)) {
            if (at->path().extension() == ".toml") names.insert(at->path().stem().string());
        }
    }
    return {names.begin(), names.end()};
}

std::vector<std::string> scenario_commands(const Scenario& s) {
    std::vector<std::string> commands;
    for (const std::string& workload : s.workloads) {
        if (s.values.empty()) commands.push_back(workload);
        for (const std::uint64_t value : s.values) {
            std::string command = workload;
            command += " " + s.parameter + " " + std::to_string(value);
            commands.push_back(std::move(command));
        }
    }
    return commands;
}

}  // namespace linefill::scenarios
