// SPDX-License-Identifier: Apache-2.0
// Finds and reads platform files.
#include "model/platform/load.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>

#include "model/sim/error.h"

namespace linefill::model {

namespace {

namespace fs = std::filesystem;

constexpr const char* kExtension = ".toml";
// A platform file has some 20 KB. The limit ends the reading of a device that never ends.
constexpr std::size_t kLargestFile = std::size_t{4} << 20U;

std::string read_file(const std::string& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
        throw UserError("cannot read platform file: it is a directory").file(path);
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) throw UserError("cannot open platform file").file(path);
    std::string text(kLargestFile + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad()) throw UserError("cannot read platform file").file(path);
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > kLargestFile) {
        throw UserError("platform file too large").file(path).expected("at most 4 MiB");
    }
    return text;
}

bool is_path(const std::string& name) {
    return name.find('/') != std::string::npos || name.ends_with(kExtension);
}

std::string find_platform(const std::string& name, const std::vector<std::string>& search_dirs) {
    for (const auto& dir : search_dirs) {
        const fs::path candidate = fs::path(dir) / (name + kExtension);
        std::error_code ignored;
        if (!name.empty() && fs::is_regular_file(candidate, ignored)) return candidate.string();
    }
    const auto known = platform_names(search_dirs);
    std::string expected = "a TOML file";
    if (!known.empty()) {
        expected += " or one of ";
        for (std::size_t i = 0; i < known.size(); ++i) expected += (i == 0 ? "" : ", ") + known[i];
    }
    throw UserError("unknown platform").value(name).expected(expected).nearest(name, known);
}

}  // namespace

Override parse_override(const std::string& text, const std::string& option) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        throw UserError("no key and value")
            .key(option)
            .value(text)
            .expected("KEY=VALUE, such as cache.llc.size=10MiB");
    }
    return {text.substr(0, equals), text.substr(equals + 1), option};
}

Platform load_platform(const std::string& name_or_path, const std::vector<std::string>& search_dirs,
                       const std::vector<Override>& overrides) {
    const std::string path =
        is_path(name_or_path) ? name_or_path : find_platform(name_or_path, search_dirs);
    return parse_platform(read_file(path), path, overrides);
}

std::vector<std::string> platform_names(const std::vector<std::string>& search_dirs) {
    std::set<std::string> names;
    for (const auto& dir : search_dirs) {
        std::error_code error;
        for (fs::directory_iterator it(dir, error), end; !error && it != end; it.increment(error)) {
            if (it->path().extension() == kExtension) names.insert(it->path().stem().string());
        }
    }
    return {names.begin(), names.end()};
}

}  // namespace linefill::model
