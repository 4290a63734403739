// SPDX-License-Identifier: Apache-2.0
// The kernel configuration options that --config knows, and what each does to structures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace linefill::kernel {

/// What an override of the option means for a layout.
enum class ConfigEffect {
    /// No field moves; kernel code reads the value.
    kNone,
    /// Fields appear, vanish or move.
    kMovesFields,
    /// No field moves, but the mini-kernel has one behaviour only.
    kFixed,
};

struct ConfigOption {
    std::string_view name;
    ConfigEffect effect = ConfigEffect::kMovesFields;
    /// The value in the kernels' default configuration, unless a layout says otherwise.
    std::string_view usual;
    /// A field that is there only with the option on; empty if no single field tells.
    std::string_view structure;
    std::string_view field;
};

/// Sorted by name.
[[nodiscard]] const std::vector<ConfigOption>& config_options();

/// The option, by its name without CONFIG_, or UserError with the nearest name.
[[nodiscard]] const ConfigOption& find_config_option(std::string_view name);

/// UserError unless the option can have the value: y or n, 100 250 300 1000 for HZ, 1 to 8192 for
/// NR_CPUS.
void check_config_value(const ConfigOption& option, std::string_view value);

}  // namespace linefill::kernel
