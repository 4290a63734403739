// SPDX-License-Identifier: Apache-2.0
// Text of a new patch and its test.
#include "kernel/patches/new_patch.h"

#include <algorithm>
#include <array>

#include "kernel/version.h"

namespace linefill::kernel {

namespace {

constexpr std::string_view kPatch = R"(// SPDX-License-Identifier: Apache-2.0
// @SLUG@: say in one line what the patch changes.
//
// This file is the switch. The kernel file that the patch changes declares it and tests it:
//
//     extern const Patch @ID@;  // after the includes, inside namespace linefill::kernel
//     ...
//     if (kernel().spec().has(@ID@)) {
//         // what the patch adds
//     }
//
// Then: cmake --build --preset release && linefill compare @SLUG@
#include "kernel/patches/patch.h"

namespace linefill::kernel {

extern const Patch @ID@;
const Patch @ID@(PatchInfo{
    .slug = "@SLUG@",
    .commit = "",  // upstream id, if it has one
    .title = "@SLUG@",
    .paragraph = "What it changes, and why that should be faster.",
    .in = {},
    .applies_to = {KernelVersion::@VERSION@},
    .needs = {},
    .conflicts = {},
    .scenario = {.file = "",
                 .platform = "xeon-snb-2s",
                 .base = KernelVersion::@VERSION@,
                 .workloads = {"pound_clock_gettime --threads 2,8,48"}},
});

}  // namespace linefill::kernel
)";

constexpr std::string_view kTest = R"(// SPDX-License-Identifier: Apache-2.0
// The patch @SLUG@: known by its name, and in effect where it was applied.
#include <gtest/gtest.h>

#include "kernel/version.h"

namespace linefill::kernel {

extern const Patch @ID@;

namespace {

TEST(@TEST@PatchTest, IsInEffectOnlyWhereItWasApplied) {
    EXPECT_TRUE(parse_kernel_spec("@FROM@+@SLUG@").has(@ID@));
    EXPECT_FALSE(parse_kernel_spec("@FROM@").has(@ID@));
}

}  // namespace
}  // namespace linefill::kernel
)";

std::string fill(std::string_view text, std::string_view mark, std::string_view value) {
    std::string result;
    std::size_t at = 0;
    for (std::size_t found; (found = text.find(mark, at)) != std::string_view::npos;
         at = found + mark.size()) {
        result.append(text, at, found - at);
        result.append(value);
    }
    result.append(text, at, std::string_view::npos);
    return result;
}

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

void check_slug(std::string_view slug) {
    const bool shaped = !slug.empty() && is_letter(slug.front()) && slug.back() != '-' &&
                        slug.find("--") == std::string_view::npos &&
                        std::all_of(slug.begin(), slug.end(), [](char c) {
                            return is_letter(c) || (c >= '0' && c <= '9') || c == '-';
                        });
    if (!shaped) {
        throw model::UserError("not a patch name")
            .key("new patch")
            .value(std::string(slug))
            .expected("lower-case letters, digits and single hyphens, such as my-prefetch");
    }
    for (const Patch* p : all_patches()) {
        if (p->slug == slug) {
            throw model::UserError("there is a patch of that name")
                .key("new patch")
                .value(std::string(slug));
        }
    }
}

/// The slug with underscores; words that C++ or a file here has get one more.
std::string identifier_of(std::string_view slug) {
    std::string id(slug);
    std::replace(id.begin(), id.end(), '-', '_');
    static constexpr std::array<std::string_view, 9> kReserved{
        "and_eq",     "not_eq",       "or_eq",        "xor_eq",   "static_cast",
        "const_cast", "dynamic_cast", "thread_local", "new_patch"};
    const bool reserved = std::find(kReserved.begin(), kReserved.end(), id) != kReserved.end();
    if (reserved || id.find('_') == std::string::npos) id += "_switch";
    return id;
}

std::string camel_case(std::string_view slug) {
    std::string name;
    bool upper = true;
    for (const char c : slug) {
        if (c == '-') {
            upper = true;
            continue;
        }
        name += upper && is_letter(c) ? static_cast<char>(c - 'a' + 'A') : c;
        upper = false;
    }
    return name;
}

std::string enumerator_of(KernelVersion v) {
    switch (v) {
        case KernelVersion::kV3_18Rc5:
            return "kV3_18Rc5";
        case KernelVersion::kV4_4:
            return "kV4_4";
        case KernelVersion::kV4_5Rc1:
            return "kV4_5Rc1";
        case KernelVersion::kV4_7Rc7:
            return "kV4_7Rc7";
        case KernelVersion::kV4_8:
            return "kV4_8";
        default:
            throw model::InternalError("a mark is no kernel version");
    }
}

}  // namespace

NewPatchFiles render_new_patch(std::string_view slug, std::string_view from) {
    check_slug(slug);
    const VersionInfo& version = find_version(from);
    if (!version.built) {
        NotBuiltYet error("known, not built yet: kernel version");
        error.key("--from").value(version.name);
        throw error;
    }
    NewPatchFiles files;
    files.identifier = identifier_of(slug);
    const auto render = [&](std::string_view text) {
        std::string t = fill(text, "@SLUG@", slug);
        t = fill(t, "@ID@", files.identifier);
        t = fill(t, "@VERSION@", enumerator_of(version.number));
        t = fill(t, "@FROM@", version.name);
        return fill(t, "@TEST@", camel_case(slug));
    };
    files.patch_path = "kernel/patches/" + files.identifier + ".cpp";
    files.patch_text = render(kPatch);
    files.test_path = "tests/kernel/patches/" + files.identifier + "_test.cpp";
    files.test_text = render(kTest);
    return files;
}

}  // namespace linefill::kernel
