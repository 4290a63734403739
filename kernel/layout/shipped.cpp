// SPDX-License-Identifier: Apache-2.0
// Chooses and parses the compiled-in layout tables.
#include "kernel/layout/shipped.h"

#include <mutex>
#include <string>
#include <vector>

#include "kernel/layout/layout.h"
#include "model/sim/error.h"

namespace linefill::kernel {

using model::UserError;

namespace {

constexpr std::string_view kSupplement = "supplement";

struct KernelLayout {
    std::string_view version;
    std::string_view arch;
    std::string_view layout;
};

// Oldest version first. The compiled trees are releases near the versions that are modelled.
//
// v4.5-rc1 takes v4.7.4 and not v4.4.0: from 4.5 on sched_entity is aligned to cache lines and
// task_group.load_avg has a line of its own, which decides the line of every scheduler field of a
// task; between 4.5 and 4.7 no such step is known. There is no arm64 row for it: v4.4.0-arm64 lacks
// that alignment, and v4.7.4-arm64 has NUMA, which arm64 had not before 4.7.
//
// No arm64 tree older than 4.4 was compiled.
constexpr KernelLayout kKernelLayouts[] = {
    {"v3.18-rc5", "x86_64", "v3.18.63-x86_64"}, {"v4.4", "x86_64", "v4.4.0-x86_64"},
    {"v4.4", "arm64", "v4.4.0-arm64"},          {"v4.5-rc1", "x86_64", "v4.7.4-x86_64"},
    {"v4.7-rc7", "x86_64", "v4.7.4-x86_64"},    {"v4.7-rc7", "arm64", "v4.7.4-arm64"},
    {"v4.8", "x86_64", "v4.8.15-x86_64"},       {"v4.8", "arm64", "v4.8.15-arm64"},
};

struct CachedLayout {
    std::once_flag once;
    std::shared_ptr<const LayoutTables> tables;
};

std::string_view supplement_text() {
    for (std::size_t index = 0; index < kShippedFileCount; ++index) {
        if (kShippedFiles[index].name == kSupplement) {
            return kShippedFiles[index].text;
        }
    }
    throw model::InternalError("the supplement of the layouts is not compiled in");
}

std::shared_ptr<const LayoutTables> parse_shipped(const ShippedFile& file) {
    LayoutTables tables = parse_layout_csv(file.text, file.name);
    add_supplement(tables, supplement_text(), kSupplement);
    return std::make_shared<const LayoutTables>(std::move(tables));
}

}  // namespace

std::shared_ptr<const LayoutTables> shipped_tables(std::string_view name) {
    // Parsed at first use, and kept: a comparison asks for the same layout in hundreds of runs.
    static std::vector<CachedLayout> cache(kShippedFileCount);
    for (std::size_t index = 0; index < kShippedFileCount; ++index) {
        const ShippedFile& file = kShippedFiles[index];
        if (file.name == name && name != kSupplement) {
            CachedLayout& entry = cache[index];
            std::call_once(entry.once, [&] { entry.tables = parse_shipped(file); });
            return entry.tables;
        }
    }
    return nullptr;
}

std::string_view normal_arch(std::string_view arch) {
    if (arch == "aarch64") {
        return "arm64";
    }
    if (arch == "x86_64" || arch == "arm64") {
        return arch;
    }
    throw UserError("unknown architecture of a kernel layout")
        .value(std::string(arch))
        .expected("x86_64 or arm64");
}

std::string_view find_layout(std::string_view version, std::string_view arch) {
    const std::string_view wanted = normal_arch(arch);
    bool is_known = false;
    for (const KernelLayout& entry : kKernelLayouts) {
        is_known = is_known || entry.version == version;
        if (entry.version == version && entry.arch == wanted) {
            return entry.layout;
        }
    }
    if (!is_known) {
        throw UserError("unknown kernel version")
            .value(std::string(version))
            .nearest(version, layout_kernel_versions());
    }
    return {};
}

std::string_view layout_for_kernel(std::string_view version, std::string_view arch) {
    const std::string_view layout = find_layout(version, arch);
    if (layout.empty()) {
        throw UserError("there is no layout of kernel " + std::string(version) + " for " +
                        std::string(normal_arch(arch)))
            .expected(
                "--layout FILE with its structures, or --layout-of NAME with a layout that "
                "may stand for it");
    }
    return layout;
}

std::vector<std::string> layout_kernel_versions() {
    std::vector<std::string> versions;
    for (const KernelLayout& entry : kKernelLayouts) {
        if (versions.empty() || versions.back() != entry.version) {
            versions.emplace_back(entry.version);
        }
    }
    return versions;
}

std::vector<std::string> Layout::shipped_names() {
    std::vector<std::string> names;
    for (std::size_t index = 0; index < kShippedFileCount; ++index) {
        if (kShippedFiles[index].name != kSupplement) {
            names.emplace_back(kShippedFiles[index].name);
        }
    }
    return names;
}

Layout Layout::shipped(std::string_view name) {
    auto tables = shipped_tables(name);
    if (tables == nullptr) {
        throw UserError("unknown layout").value(std::string(name)).nearest(name, shipped_names());
    }
    return Layout(std::move(tables));
}

Layout Layout::for_kernel(std::string_view version, std::string_view arch) {
    return shipped(layout_for_kernel(version, arch));
}

}  // namespace linefill::kernel
