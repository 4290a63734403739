// SPDX-License-Identifier: Apache-2.0
// The configuration that a layout belongs to, and the check of --config against it.
#include <algorithm>
#include <charconv>

#include "kernel/layout/config_options.h"
#include "kernel/layout/layout.h"
#include "model/sim/error.h"

namespace linefill::kernel {

using model::UserError;

namespace {

constexpr std::string_view kPrefix = "CONFIG_";
constexpr std::uint32_t kBitsPerByte = 8;
constexpr std::uint32_t kWordBytes = 8;

// What the layout says about an option, and how it is known.
struct Known {
    std::string value;
    std::string reason;
};

Known named_by_source(const LayoutTables& tables, const ConfigOption& option) {
    for (const auto& [name, value] : tables.config) {
        if (name == option.name) {
            return {value, "its source says so"};
        }
    }
    return {};
}

Known told_by_field(const Layout& layout, const ConfigOption& option) {
    if (option.structure.empty() || !layout.has(option.structure)) {
        return {};
    }
    const bool is_there = layout.has(option.structure, option.field);
    const std::string path = std::string(option.structure) + "." + std::string(option.field);
    return {is_there ? "y" : "n", (is_there ? "it has the field " : "it lacks the field ") + path};
}

// A field tells more than the source does, since a user's file may have replaced its structure.
Known known_value(const Layout& layout, const ConfigOption& option) {
    Known known = told_by_field(layout, option);
    if (known.value.empty()) {
        known = named_by_source(layout.tables(), option);
    }
    const bool is_shipped = layout.tables().user_file.empty();
    if (known.value.empty() && is_shipped) {
        known = {std::string(option.usual), "that is the default configuration"};
    }
    return known;
}

// CPU masks are whole words, so the number of CPUs moves fields only from word to word.
bool fits_cpu_masks(const Layout& layout, std::string_view value) {
    if (!layout.has("cpumask")) {
        return true;
    }
    std::uint32_t cpus = 0;
    std::from_chars(value.data(), value.data() + value.size(), cpus);
    return align_up((cpus + kBitsPerByte - 1) / kBitsPerByte, kWordBytes) ==
           layout.size_of("cpumask");
}

UserError refusal(const Layout& layout, const ConfigOption& option, std::string_view value,
                  const std::string& known, const std::string& reason) {
    return UserError("this option moves fields, and layout " + layout.name() +
                     " was compiled with " + std::string(option.name) + "=" + known + " (" +
                     reason + ")")
        .key("--config " + std::string(option.name))
        .value(std::string(value))
        .expected(
            "--layout FILE with the structures of that configuration, or --layout-of "
            "defconfig to keep the fields where they are");
}

}  // namespace

ConfigValues Layout::config() const {
    ConfigValues values;
    for (const ConfigOption& option : config_options()) {
        Known known = known_value(*this, option);
        if (!known.value.empty()) {
            values.emplace_back(option.name, std::move(known.value));
        }
    }
    return values;
}

void Layout::check_config(const ConfigValues& overrides, bool is_chosen) const {
    for (const auto& [name, value] : overrides) {
        const ConfigOption& option = find_config_option(name);
        check_config_value(option, value);
        if (option.effect == ConfigEffect::kFixed && value != option.usual) {
            throw UserError("this configuration is not modelled")
                .key("--config " + name)
                .value(value)
                .expected(std::string(option.usual));
        }
        if (option.effect != ConfigEffect::kMovesFields || is_chosen) {
            continue;
        }
        if (option.name == "NR_CPUS") {
            if (!fits_cpu_masks(*this, value)) {
                throw refusal(
                    *this, option, value, known_value(*this, option).value,
                    "its CPU masks have " + std::to_string(size_of("cpumask")) + " bytes");
            }
            continue;
        }
        const Known known = known_value(*this, option);
        // A user's file that does not tell is taken at the user's word.
        if (!known.value.empty() && known.value != value) {
            throw refusal(*this, option, value, known.value, known.reason);
        }
    }
}

std::pair<std::string, std::string> parse_config_override(std::string_view text) {
    const std::size_t equals = text.find('=');
    std::string_view name = text.substr(0, equals);
    if (name.substr(0, kPrefix.size()) == kPrefix) {
        name.remove_prefix(kPrefix.size());
    }
    if (equals == std::string_view::npos || name.empty() || equals + 1 == text.size()) {
        throw UserError("not a configuration option")
            .key("--config")
            .value(std::string(text))
            .expected("NAME=VALUE, such as CONFIG_HZ=250 or SCHEDSTATS=n");
    }
    return {std::string(name), std::string(text.substr(equals + 1))};
}

}  // namespace linefill::kernel
