// SPDX-License-Identifier: Apache-2.0
// From the text of a platform file and the overrides to a checked Platform.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "model/platform/assign.h"
#include "model/platform/check.h"
#include "model/platform/load.h"
#include "model/platform/provenance.h"
#include "model/platform/schema.h"
#include "model/platform/toml_reader.h"
#include "model/sim/error.h"

namespace linefill::model {

namespace {

constexpr const char* kIdleState = "idle_state";
constexpr const char* kProvenance = "provenance";
constexpr const char* kTargets = "targets";

bool is_name(const std::string& text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
               (letter >= '0' && letter <= '9') || letter == '_' || letter == '-';
    });
}

// "a.b" and "a.\"b.c\"" as parts. Quotes keep dots together; there are no escapes.
std::vector<std::string> split_key(const std::string& key) {
    std::vector<std::string> path(1);
    bool is_quoted = false;
    for (const char letter : key) {
        if (letter == '"') {
            is_quoted = !is_quoted;
        } else if (letter == '.' && !is_quoted) {
            path.emplace_back();
        } else {
            path.back() += letter;
        }
    }
    return path;
}

class Parser {
public:
    explicit Parser(std::string filename) : filename_(std::move(filename)) {}

    Platform parse(const std::string& text, const std::vector<Override>& overrides) {
        file_ = read_toml(text, filename_);
        for (CacheConfig* cache : {&platform_.l1i, &platform_.l1d, &platform_.l2, &platform_.llc}) {
            cache->present = true;  // all four are required so far
        }
        name_idle_states();
        add_overrides(overrides);
        index_keys();
        for (const auto& setting : file_.settings) {
            if (is_provenance(setting)) {
                read_provenance(setting);
            } else {
                read_value(setting);
            }
        }
        require_all_keys();
        require_consistency();
        require_complete_entries();
        note_overrides();
        require_provenance();
        return std::move(platform_);
    }

private:
    // Adds to an error where the setting was written, and throws it.
    [[noreturn]] void fail(UserError error, const Setting& setting) const {
        if (setting.option.empty()) {
            error.file(filename_).line(setting.line);
            if (error.key().empty()) error.key(setting.key());
        } else {
            error.key(setting.option + " " + setting.key());
        }
        throw error;
    }

    [[noreturn]] void fail_unknown(const Setting& setting, const std::string& problem,
                                   const std::string& expected) const {
        UserError error(problem);
        error.value(setting.value.text);
        if (!expected.empty()) error.expected(expected);
        error.nearest(setting.key(), key_names_);
        fail(std::move(error), setting);
    }

    // States are told apart by name: part "#0" of their paths becomes the name.
    void name_idle_states() {
        std::map<std::string, std::string> names;  // by "#0"
        std::set<std::string> taken;
        for (const auto& setting : file_.settings) {
            if (setting.path.size() != 3 || setting.path[0] != kIdleState) continue;
            if (setting.path[2] != "name" || !setting.path[1].starts_with('#')) continue;
            const RawValue& name = setting.value;
            if (name.kind != RawValue::Kind::kText || !is_name(name.text)) {
                fail(UserError("no name for an idle state")
                         .value(name.text)
                         .expected("letters, digits, _ and - in quotes"),
                     setting);
            }
            if (!taken.insert(name.text).second) {
                fail(UserError("idle state given twice").value(name.text), setting);
            }
            names[setting.path[1]] = name.text;
            platform_.idle_states.emplace_back();
            platform_.idle_states.back().name = name.text;
        }
        std::vector<Setting> kept;
        for (auto& setting : file_.settings) {
            const bool is_state = setting.path.size() == 3 && setting.path[0] == kIdleState &&
                                  setting.path[1].starts_with('#');
            if (is_state) {
                if (setting.path[2] == "name") continue;
                const auto name = names.find(setting.path[1]);
                if (name == names.end()) {
                    UserError error("idle state without a name");
                    fail(error.value(setting.value.text).expected("a key \"name\""), setting);
                }
                setting.path[1] = name->second;
            }
            kept.push_back(std::move(setting));
        }
        file_.settings = std::move(kept);
    }

    void add_overrides(const std::vector<Override>& overrides) {
        for (const auto& one : overrides) {
            Setting setting{
                split_key(one.key), {RawValue::Kind::kBare, one.value, {}}, 0, one.option};
            auto& all = file_.settings;
            const auto old = std::find_if(all.begin(), all.end(), [&](const Setting& candidate) {
                return candidate.path == setting.path;
            });
            if (old == all.end()) {
                all.push_back(std::move(setting));
            } else {
                *old = std::move(setting);
            }
        }
    }

    void index_keys() {
        for (const auto& spec : platform_schema()) specs_.emplace(spec.key, spec);
        for (const auto& spec : platform_schema()) key_names_.push_back(spec.key);
        for (std::size_t i = 0; i < platform_.idle_states.size(); ++i) {
            for (const auto& spec : idle_state_schema(platform_, i)) {
                specs_.emplace(spec.key, spec);
                key_names_.push_back(spec.key);
            }
        }
        for (const auto& key : key_names_) {
            for (auto section = section_of(key); !section.empty(); section = section_of(section)) {
                section_names_.emplace(section);
            }
        }
        section_names_.emplace(kProvenance);
    }

    void read_value(const Setting& setting) {
        const auto spec = specs_.find(setting.key());
        if (spec == specs_.end()) fail_key(setting);
        try {
            assign_value(spec->second, setting.value, platform_);
        } catch (UserError& error) {
            fail(error, setting);
        }
        origins_[spec->first] = &setting;
    }

    [[noreturn]] void fail_key(const Setting& setting) const {
        const auto& path = setting.path;
        const std::string key = setting.key();
        const bool is_list =
            std::any_of(path.begin(), path.end(), [](const auto& part) { return part[0] == '#'; });
        if (path[0] == kIdleState && setting.option.empty() && !is_list) {
            fail_unknown(setting, "unknown key", "[[idle_state]], one for each state");
        }
        if (is_list && path[0] != kIdleState) {
            fail_unknown(setting, "list of sections where there is only one", "[" + path[0] + "]");
        }
        if (section_names_.count(key) != 0) {
            const bool is_empty = setting.value.kind == RawValue::Kind::kTable;
            UserError error(is_empty ? "section without keys" : "a value where a section belongs");
            error.value(setting.value.text).expected("[" + key + "] with keys");
            fail(error, setting);
        }
        const bool is_section = setting.value.kind == RawValue::Kind::kTable;
        fail_unknown(setting, is_section ? "unknown section" : "unknown key", "");
    }

    static bool is_provenance(const Setting& setting) {
        const auto& path = setting.path;
        if (path[0] != kProvenance || path.size() < 2) return false;
        return !(path.size() == 3 && path[1] == kTargets);  // those are values
    }

    // [provenance] holds entries KEY = { FIELD = "..." }; KEY may be quoted or not.
    void read_provenance(const Setting& setting) {
        static const std::vector<std::string> kFields{"source", "range", "tag", "reason"};
        const auto& path = setting.path;
        const std::string& field = path.back();
        if (path.size() < 3 || std::find(kFields.begin(), kFields.end(), field) == kFields.end()) {
            UserError error("unknown key of a provenance entry");
            error.value(setting.value.text)
                .expected("KEY = { source = \"...\", range = \"...\", tag = \"...\" }, and reason");
            fail(error.nearest(field, kFields), setting);
        }
        std::string key;
        for (std::size_t i = 1; i + 1 < path.size(); ++i) key += (i == 1 ? "" : ".") + path[i];
        if (specs_.count(key) == 0 && section_names_.count(key) == 0) {
            UserError error("provenance of an unknown key");
            error.value(setting.value.text).expected("a key or section of the platform file");
            fail(error.nearest(key, key_names_), setting);
        }
        const RawValue& value = setting.value;
        const bool is_text =
            value.kind == RawValue::Kind::kText || value.kind == RawValue::Kind::kBare;
        if (!is_text || value.text.empty()) {
            fail(UserError("value of the wrong type").value(value.text).expected("text"), setting);
        }
        Provenance& entry = platform_.provenance[key];
        if (field == "source") entry.source = value.text;
        if (field == "reason") entry.reason = value.text;
        if (field == "tag") read_tag(setting, entry);
        if (field == "range") read_range(setting, key, entry);
        provenance_origins_.emplace(key, &setting);
    }

    void read_tag(const Setting& setting, Provenance& entry) const {
        const auto& tags = provenance_tags();
        const std::string& tag = setting.value.text;
        if (std::find(tags.begin(), tags.end(), tag) == tags.end()) {
            UserError error("unknown tag");
            error.value(tag).expected("measured, manual, derived or assumed");
            fail(error.nearest(tag, tags), setting);
        }
        entry.tag = tag;
    }

    void read_range(const Setting& setting, const std::string& key, Provenance& entry) const {
        const auto spec = specs_.find(key);
        const std::string& range = setting.value.text;
        const bool is_section = spec == specs_.end();
        if (is_section ? range != "fixed" : !parse_range(spec->second, range)) {
            UserError error("range that does not suit the key");
            error.value(range).expected(is_section ? "fixed, for a whole section"
                                                   : expected_range(spec->second));
            fail(error, setting);
        }
        entry.range = range;
    }

    void require_all_keys() const {
        for (const auto& key : key_names_) {
            const KeySpec& spec = specs_.at(key);
            const bool is_link = key.starts_with("link.") && platform_.topology.sockets > 1;
            if (!(spec.required || is_link) || origins_.count(key) != 0) continue;
            fail_missing(spec);
        }
    }

    [[noreturn]] void fail_missing(const KeySpec& spec) const {
        const std::string section(section_of(spec.key));
        const auto header = file_.sections.find(section);
        if (!section.empty() && header == file_.sections.end() && !is_idle_state(section)) {
            throw UserError("missing section")
                .file(filename_)
                .key("[" + section + "]")
                .expected("its keys, such as " + spec.key + ", " + expected_value(spec));
        }
        UserError error("missing key");
        error.file(filename_).key(spec.key).expected(expected_value(spec));
        if (header != file_.sections.end()) error.line(header->second);
        throw error;
    }

    static bool is_idle_state(const std::string& section) {
        return section.starts_with(std::string(kIdleState) + ".");
    }

    // The blame goes to what the user changed on the command line, else to the first key.
    void require_consistency() {
        const auto wrong = find_inconsistency(platform_);
        if (!wrong) return;
        std::string blamed = wrong->keys.front();
        for (const auto& key : wrong->keys) {
            const auto origin = origins_.find(key);
            if (origin != origins_.end() && !origin->second->option.empty()) {
                blamed = key;
                break;
            }
        }
        UserError error(wrong->problem);
        error.value(format_value(specs_.at(blamed), platform_)).expected(wrong->expected);
        const auto origin = origins_.find(blamed);
        if (origin == origins_.end()) throw error.file(filename_).key(blamed);
        error.value(origin->second->value.text);
        fail(error, *origin->second);
    }

    void require_complete_entries() const {
        for (const auto& [key, entry] : platform_.provenance) {
            if (!entry.source.empty() && !entry.range.empty() && !entry.tag.empty()) continue;
            const char* missing = entry.source.empty()  ? "source"
                                  : entry.range.empty() ? "range"
                                                        : "tag";
            UserError error("provenance entry lacks \"" + std::string(missing) + "\"");
            fail(error.expected("source, range and tag"), *provenance_origins_.at(key));
        }
    }

    // Every figure has a source, and every entry its figure: so a file that was cut short anywhere
    // is noticed.
    void require_provenance() const {
        for (const auto& [key, origin] : origins_) {
            const KeySpec& spec = specs_.at(key);
            if (!spec.is_figure || provenance_of(platform_, key) != nullptr) continue;
            if (provenance_origins_.empty()) {
                throw UserError("missing section")
                    .file(filename_)
                    .key("[provenance]")
                    .expected("an entry for each figure or section, with source, range and tag");
            }
            fail(UserError("figure without provenance")
                     .expected("an entry for it or its section in [provenance]"),
                 *origin);
        }
        for (const auto& [key, entry] : platform_.provenance) {
            const auto spec = specs_.find(key);
            if (spec == specs_.end() || spec->second.is_present(platform_)) continue;
            UserError error("provenance of a key that the file lacks");
            fail(error.expected(key + ", " + expected_value(spec->second)),
                 *provenance_origins_.at(key));
        }
    }

    // What the user set is no longer what the file's source says.
    void note_overrides() {
        for (const auto& [key, setting] : origins_) {
            if (setting->option.empty() || !specs_.at(key).is_figure) continue;
            const Provenance* old = provenance_of(platform_, key);
            Provenance entry{"command line, " + setting->option, "fixed", "assumed", ""};
            if (old != nullptr) {
                entry.range = old->range;
                entry.reason = "in place of the file's value from " + old->source;
            }
            platform_.provenance[key] = std::move(entry);
        }
    }

    std::string filename_;
    TomlFile file_;
    Platform platform_;
    std::map<std::string, KeySpec> specs_;
    std::vector<std::string> key_names_;  // in schema order
    std::set<std::string> section_names_;
    std::map<std::string, const Setting*> origins_;             // by key
    std::map<std::string, const Setting*> provenance_origins_;  // by key: a line of its entry
};

}  // namespace

Platform parse_platform(const std::string& text, const std::string& filename,
                        const std::vector<Override>& overrides) {
    return Parser(filename).parse(text, overrides);
}

}  // namespace linefill::model
