// SPDX-License-Identifier: Apache-2.0
// Writes platforms as TOML and as rows.
#include "model/platform/dump.h"

#include "model/platform/provenance.h"
#include "model/platform/schema.h"
#include "model/platform/toml_reader.h"
#include "model/platform/units.h"

namespace linefill::model {

namespace {

constexpr const char* kTargets = "provenance.targets";

std::string toml_value(const KeySpec& spec, const Platform& platform) {
    std::string text = format_value(spec, platform);
    switch (spec.kind) {
        case ValueKind::kFlag:
        case ValueKind::kCount:
        case ValueKind::kReal:
            return text;
        case ValueKind::kClockList: {
            std::string list = "[\"";
            for (const char letter : text) {
                if (letter == ',') {
                    list += "\", \"";
                } else {
                    list += letter;
                }
            }
            return list + "\"]";
        }
        default:
            return quote_toml(text);
    }
}

class Writer {
public:
    explicit Writer(const Platform& platform) : platform_(platform) {}

    std::string write() {
        for (const auto& spec : platform_schema()) {
            if (spec.is_present(platform_) && section_of(spec.key) != kTargets) write_key(spec);
        }
        for (std::size_t i = 0; i < platform_.idle_states.size(); ++i) {
            text_ += "\n[[idle_state]]\nname = " + quote_toml(platform_.idle_states[i].name) + "\n";
            for (const auto& spec : idle_state_schema(platform_, i)) write_line(spec);
        }
        write_provenance();
        for (const auto& spec : platform_schema()) {
            if (spec.is_present(platform_) && section_of(spec.key) == kTargets) write_key(spec);
        }
        return std::move(text_);
    }

private:
    void write_key(const KeySpec& spec) {
        const std::string section(section_of(spec.key));
        if (section != section_) {
            section_ = section;
            text_ += "\n[" + section + "]\n";
        }
        write_line(spec);
    }

    void write_line(const KeySpec& spec) {
        const std::string name = spec.key.substr(spec.key.rfind('.') + 1);  // npos + 1 is 0
        text_ += name + " = " + toml_value(spec, platform_) + "\n";
    }

    void write_provenance() {
        if (platform_.provenance.empty()) return;
        text_ += "\n[provenance]\n";
        for (const auto& [key, entry] : platform_.provenance) {
            text_ += quote_toml(key) + " = { source = " + quote_toml(entry.source) +
                     ", range = " + quote_toml(entry.range) + ", tag = " + quote_toml(entry.tag);
            if (!entry.reason.empty()) text_ += ", reason = " + quote_toml(entry.reason);
            text_ += " }\n";
        }
    }

    const Platform& platform_;
    std::string section_;
    std::string text_;
};

}  // namespace

std::string dump_platform(const Platform& platform) { return Writer(platform).write(); }

std::vector<KeyDescription> describe_platform(const Platform& platform) {
    std::vector<KeyDescription> rows;
    for (const auto& spec : keys_of(platform)) {
        KeyDescription row;
        row.key = spec.key;
        row.value = format_value(spec, platform);
        row.doc = spec.doc;
        row.expected = expected_value(spec);
        row.is_figure = spec.is_figure;
        if (const Provenance* entry =
                spec.is_figure ? provenance_of(platform, spec.key) : nullptr) {
            row.source = entry->source;
            row.range = entry->range;
            row.tag = entry->tag;
            row.reason = entry->reason;
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace linefill::model
