// SPDX-License-Identifier: Apache-2.0
// The platform part is a platform file whose sections stand below [platform].
#include "measure/config_file.h"

#include <algorithm>
#include <functional>
#include <map>

#include "measure/config_sections.h"
#include "measure/text_format.h"
#include "model/platform/dump.h"
#include "model/platform/load.h"
#include "model/platform/toml_reader.h"
#include "model/platform/units.h"
#include "model/sim/error.h"

namespace linefill::measure {
namespace {

using model::quote_toml;
using model::RawValue;
using model::UserError;

const std::string kPlatform = "platform";
const std::string kFirstLine =
    "# linefill " LINEFILL_VERSION ": a resolved configuration; --load-config reads it back.\n";
std::string list_of(const std::vector<std::string>& words) {
    std::string text = "[";
    for (const std::string& word : words) text += (text == "[" ? "" : ", ") + quote_toml(word);
    return text + "]";
}

/// One value of [run], still with its place for messages.
struct Entry {
    RawValue value;
    std::string key;
    std::string file;
    int line = 0;

    [[noreturn]] void refuse(const std::string& expected) const {
        throw UserError("wrong value")
            .file(file)
            .line(line)
            .key(key)
            .value(value.text)
            .expected(expected);
    }
    [[nodiscard]] std::string text() const {
        if (value.kind != RawValue::Kind::kText) refuse("text in quotes");
        return value.text;
    }
    [[nodiscard]] std::vector<std::string> list() const {
        if (value.kind != RawValue::Kind::kList) refuse("a list of texts");
        return value.items;
    }
    [[nodiscard]] std::uint64_t number() const {
        const auto count = model::parse_count(value.text);
        if (value.kind != RawValue::Kind::kInteger || !count) refuse("a whole number from 0");
        return *count;
    }
    [[nodiscard]] bool flag() const {
        if (value.kind != RawValue::Kind::kFlag) refuse("true or false");
        return value.text == "true";
    }
};

void read_sampling(const Entry& entry, RunSpec& spec) {
    const std::string text = entry.text();
    if (text == "full") {
        spec.sampling = Sampling::kFull;
    } else if (text != "default") {
        (void)parse_sample(text, entry.key);
        spec.sampling = Sampling::kAmount;
        spec.sample_amount = text;
    }
}

void read_scope(const Entry& entry, RunSpec& spec) {
    const std::vector<std::string>& names = count_scope_names();
    const auto found = std::find(names.begin(), names.end(), entry.text());
    if (found == names.end()) {
        std::string expected = "one of";
        for (const std::string& name : names) expected += ' ' + name;
        entry.refuse(expected);
    }
    spec.scope = static_cast<CountScope>(found - names.begin());
}

std::map<std::string, std::function<void(const Entry&)>> readers(RunConfig& config) {
    RunSpec& spec = config.spec;
    const auto text_to = [](std::string& to) {
        return [&to](const Entry& entry) { to = entry.text(); };
    };
    const auto list_to = [](std::vector<std::string>& to) {
        return [&to](const Entry& entry) { to = entry.list(); };
    };
    return {{"platform", text_to(spec.platform)},
            {"own_platform", [&config](const Entry& entry) { config.own_platform = entry.flag(); }},
            {"set", list_to(spec.overrides)},
            {"kernel", text_to(spec.kernel)},
            {"config", list_to(spec.config)},
            {"boot", text_to(spec.boot)},
            {"layout", text_to(spec.layout_file)},
            {"layout_of", text_to(spec.layout_of)},
            {"moves", list_to(spec.moves)},
            {"aligns", list_to(spec.aligns)},
            {"workloads", list_to(config.workloads)},
            {"seed", [&spec](const Entry& entry) { spec.seed = entry.number(); }},
            {"repeats",
             [&config](const Entry& entry) {
                 config.repeats = static_cast<unsigned>(entry.number());
                 if (config.repeats == 0) entry.refuse("a whole number from 1");
             }},
            {"draws", [&spec](const Entry& entry) { spec.draws = entry.flag(); }},
            {"quantum_ns", [&spec](const Entry& entry) { spec.quantum_ns = entry.number(); }},
            {"without", list_to(spec.ablations)},
            {"events", list_to(spec.events)},
            {"counted", [&spec](const Entry& entry) { read_scope(entry, spec); }},
            {"interval_ms",
             [&spec](const Entry& entry) {
                 spec.interval_ms = static_cast<double>(entry.number());
                 if (*spec.interval_ms < 1) entry.refuse("a whole number from 1");
             }},
            {"sampling", [&spec](const Entry& entry) { read_sampling(entry, spec); }}};
}

std::string run_section(const RunConfig& config) {
    const RunSpec& spec = config.spec;
    std::string text = "[run]\n";
    const auto add = [&text](const std::string& key, const std::string& value) {
        text += key + " = " + value + "\n";
    };
    // What is not given is not there: TOML files here have neither empty texts nor empty lists.
    const auto add_text = [&](const std::string& key, const std::string& value) {
        if (!value.empty()) add(key, quote_toml(value));
    };
    const auto add_list = [&](const std::string& key, const std::vector<std::string>& values) {
        if (!values.empty()) add(key, list_of(values));
    };
    add_text("platform", spec.platform);
    if (config.own_platform) add("own_platform", "true");
    if (!spec.overrides.empty() || !spec.ablations.empty()) {
        text += "# For the record: the platform below has them already.\n";
    }
    add_list("set", spec.overrides);
    add_list("without", spec.ablations);
    if (!spec.kernel.empty()) {
        add("kernel", quote_toml(spec.kernel));
        text += "# Configuration in effect:";
        for (const auto& [option, value] : prepare_kernel(spec).config) {
            text += " " + option + "=" + value;
        }
        text += "\n";
    }
    add_list("config", spec.config);
    add_text("boot", spec.boot);
    add_text("layout", spec.layout_file);
    add_text("layout_of", spec.layout_of);
    add_list("moves", spec.moves);
    add_list("aligns", spec.aligns);
    add_list("workloads", config.workloads);
    add("seed", std::to_string(spec.seed));
    add("repeats", std::to_string(config.repeats));
    add("draws", spec.draws ? "true" : "false");
    if (spec.quantum_ns) add("quantum_ns", std::to_string(*spec.quantum_ns));
    add_list("events", spec.events);
    if (spec.scope != CountScope::kWorkload) {
        add("counted", quote_toml(count_scope_names().at(static_cast<std::size_t>(spec.scope))));
    }
    if (spec.interval_ms) add("interval_ms", fixed(*spec.interval_ms, 0));
    add("sampling", quote_toml(spec.sampling == Sampling::kFull     ? "full"
                               : spec.sampling == Sampling::kAmount ? spec.sample_amount
                                                                    : "default"));
    return text;
}

/// [run] and [platform], without the first line.
std::string sections_of(const RunConfig& config, const DataDirs& dirs) {
    std::string text = run_section(config);
    if (config.spec.platform.empty()) return text;
    return text + "\n[" + kPlatform + "]\n" +
           nested_sections(model::dump_platform(prepare_platform(config.spec, dirs)), kPlatform);
}

void require(bool given, const std::string& what, const std::string& key,
             const std::string& filename) {
    if (!given) throw UserError(what).file(filename).key(key);
}

}  // namespace

std::string write_run_config(const RunConfig& config, const DataDirs& dirs) {
    return kFirstLine + sections_of(config, dirs);
}

RunConfig read_run_config(const std::string& text, const std::string& filename,
                          const ConfigNeeds& needs) {
    RunConfig config;
    const auto known = readers(config);
    std::vector<std::string> names;
    for (const auto& [name, reader] : known) names.push_back(name);
    bool has_platform = false;
    for (const model::Setting& setting : model::read_toml(text, filename).settings) {
        if (setting.path.front() == kPlatform) {
            has_platform = true;
            continue;
        }
        const Entry entry{setting.value, setting.key(), filename, setting.line};
        const bool in_run = setting.path.size() == 2 && setting.path.front() == "run";
        const auto found = in_run ? known.find(setting.path.back()) : known.end();
        if (found == known.end()) {
            UserError error("unknown key");
            error.file(filename).line(setting.line).key(entry.key);
            error.nearest(setting.path.back(), names);
            throw error;
        }
        found->second(entry);
    }
    require(has_platform || !needs.platform, "missing section", kPlatform, filename);
    require(!config.spec.kernel.empty() || !needs.kernel, "missing key", "run.kernel", filename);
    require(!config.workloads.empty() || !needs.workloads, "missing key", "run.workloads",
            filename);
    if (!has_platform) return config;
    config.spec.platform_text = sections_below(text, kPlatform);
    config.spec.platform_file = filename;
    config.spec.overrides_in_text = config.spec.overrides.size();
    const std::string name = model::parse_platform(config.spec.platform_text, filename).name;
    if (config.spec.platform.empty()) config.spec.platform = name;
    return config;
}

std::string write_named_configs(const std::vector<NamedConfig>& configs, const DataDirs& dirs) {
    std::string text = kFirstLine;
    for (const NamedConfig& one : configs) {
        text += "\n" + nested_sections(sections_of(one.config, dirs), one.name);
    }
    return text;
}

std::vector<NamedConfig> read_named_configs(const std::string& text, const std::string& filename,
                                            const ConfigNeeds& needs) {
    (void)model::read_toml(text, filename);  // whole, so that duplicates are found
    std::vector<NamedConfig> configs;
    for (const std::string& name : section_roots(text)) {
        configs.push_back({name, read_run_config(sections_below(text, name), filename, needs)});
    }
    return configs;
}

}  // namespace linefill::measure
