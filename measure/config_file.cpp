// SPDX-License-Identifier: Apache-2.0
// The platform part is a platform file whose sections stand below [platform].
#include "measure/config_file.h"

#include <algorithm>
#include <functional>
#include <map>

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

constexpr std::string_view kPlatformSection = "[platform]";
constexpr std::string_view kPrefix = "platform.";

std::string list_of(const std::vector<std::string>& words) {
    std::string text = "[";
    for (const std::string& word : words) text += (text == "[" ? "" : ", ") + quote_toml(word);
    return text + "]";
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines = split(text, '\n');
    if (!lines.empty() && lines.back().empty()) lines.pop_back();
    return lines;
}

/// "[core]" to "[platform.core]", and "[[idle_state]]" likewise.
std::string nested(const std::string& platform) {
    std::string text;
    for (const std::string& line : lines_of(platform)) {
        const std::size_t brackets = line.rfind("[[", 0) == 0 ? 2 : line.rfind('[', 0) == 0 ? 1 : 0;
        text += brackets == 0
                    ? line
                    : line.substr(0, brackets) + std::string(kPrefix) + line.substr(brackets);
        text += '\n';
    }
    return text;
}

/// The inverse of nested(), for the lines after the section's own.
std::string unnested(const std::vector<std::string>& lines, std::size_t first) {
    std::string text(first, '\n');  // so that errors name the right line
    for (std::size_t i = first; i < lines.size(); ++i) {
        const std::string& line = lines[i];
        const std::size_t brackets = line.rfind("[[", 0) == 0 ? 2 : line.rfind('[', 0) == 0 ? 1 : 0;
        if (brackets != 0 && line.compare(brackets, kPrefix.size(), kPrefix) == 0) {
            text += line.substr(0, brackets) + line.substr(brackets + kPrefix.size());
        } else {
            text += line;
        }
        text += '\n';
    }
    return text;
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
    return {{"kernel", text_to(spec.kernel)},
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

}  // namespace

std::string write_run_config(const RunConfig& config, const DataDirs& dirs) {
    const RunSpec& spec = config.spec;
    // Mechanisms of the platform are switched off in its own section already.
    std::vector<std::string> kernel_ablations;
    for (const std::string& name : spec.ablations) {
        if (name == "mcs_queueing" || name == "page_aligned_percpu") {
            kernel_ablations.push_back(name);
        }
    }
    std::string text = "# linefill " LINEFILL_VERSION
                       ": a resolved configuration; --load-config reads it back.\n[run]\n";
    const auto add = [&text](const std::string& key, const std::string& value) {
        text += key + " = " + value + "\n";
    };
    add("kernel", quote_toml(spec.kernel));
    text += "# Configuration in effect:";
    for (const auto& [option, value] : prepare_kernel(spec).config) {
        text += " " + option + "=" + value;
    }
    text += "\n";
    // What is not given is not there: TOML files here have neither empty texts nor empty lists.
    const auto add_text = [&](const std::string& key, const std::string& value) {
        if (!value.empty()) add(key, quote_toml(value));
    };
    const auto add_list = [&](const std::string& key, const std::vector<std::string>& values) {
        if (!values.empty()) add(key, list_of(values));
    };
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
    add_list("without", kernel_ablations);
    add_list("events", spec.events);
    if (spec.scope != CountScope::kWorkload) {
        add("counted", quote_toml(count_scope_names().at(static_cast<std::size_t>(spec.scope))));
    }
    if (spec.interval_ms) add("interval_ms", fixed(*spec.interval_ms, 0));
    add("sampling", quote_toml(spec.sampling == Sampling::kFull     ? "full"
                               : spec.sampling == Sampling::kAmount ? spec.sample_amount
                                                                    : "default"));
    text += "\n" + std::string(kPlatformSection) + "\n";
    return text + nested(model::dump_platform(prepare_platform(spec, dirs)));
}

RunConfig read_run_config(const std::string& text, const std::string& filename) {
    RunConfig config;
    const auto known = readers(config);
    std::vector<std::string> names;
    for (const auto& [name, reader] : known) names.push_back(name);
    for (const model::Setting& setting : model::read_toml(text, filename).settings) {
        if (setting.path.front() == "platform") continue;
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
    const std::vector<std::string> lines = lines_of(text);
    std::size_t first = 0;
    while (first < lines.size() && lines[first] != kPlatformSection) ++first;
    if (first == lines.size()) {
        throw UserError("missing section").file(filename).key("platform");
    }
    if (config.spec.kernel.empty()) throw UserError("missing key").file(filename).key("run.kernel");
    if (config.workloads.empty()) {
        throw UserError("missing key").file(filename).key("run.workloads");
    }
    config.spec.platform_text = unnested(lines, first + 1);
    config.spec.platform_file = filename;
    config.spec.platform = model::parse_platform(config.spec.platform_text, filename).name;
    return config;
}

}  // namespace linefill::measure
