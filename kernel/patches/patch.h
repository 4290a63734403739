// SPDX-License-Identifier: Apache-2.0
// A kernel patch as a switch that kernel code tests. One file per patch, which registers itself:
//
//     extern const Patch my_patch;                       // in the kernel file that tests it
//     if (kernel().spec().has(my_patch)) { ... }
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linefill::kernel {

/// In order of time. Marks without a kernel of their own stand for changes between two that have one.
enum class KernelVersion : std::uint8_t {
    kV3_18Rc5,
    kV4_2,  ///< mark: queued spinlocks
    kV4_4,
    kV4_5Rc1,
    kV4_6,  ///< mark: run-time schedstats, local cpuacct
    kV4_7Rc7,
    kV4_8,
};

/// The comparison that shows a patch's effect: `linefill compare PATCH` runs it.
struct PatchScenario {
    std::string file;  ///< scenario file that is this comparison ("poundtime.toml"); may be empty
    std::string platform;                          ///< "xeon-snb-2s"
    KernelVersion base = KernelVersion::kV4_7Rc7;  ///< applied to (or, if it has it, reverted from)
    std::vector<std::string> workloads;            ///< "pound_clock_gettime --threads 2,8"
};

struct PatchInfo {
    std::string slug;       ///< "prefetch-curr-exec-start"
    std::string commit;     ///< upstream id, 12 hex digits or more; empty for a user's own
    std::string title;      ///< one line
    std::string paragraph;  ///< what it changes, for `show patch`
    std::vector<KernelVersion> in{};          ///< versions that have it
    std::vector<KernelVersion> applies_to{};  ///< versions it may be applied to
    std::vector<std::string> needs{};         ///< slugs that must be in effect
    std::vector<std::string> conflicts{};     ///< slugs that must not be
    PatchScenario scenario{};
    bool built = true;  ///< kernel code has the switch; false: known by name only
};

class Patch : public PatchInfo {
public:
    /// Registers. Two patches of one slug or commit are an InternalError at the first look-up.
    explicit Patch(PatchInfo info);
    ~Patch();
    Patch(const Patch&) = delete;
    Patch& operator=(const Patch&) = delete;

    [[nodiscard]] bool is_in(KernelVersion v) const;
    [[nodiscard]] bool may_apply_to(KernelVersion v) const;

    unsigned index = 0;  ///< of its bit in KernelSpec; depends on link order, never printed
};

/// All registered patches, sorted by slug.
[[nodiscard]] std::vector<const Patch*> all_patches();

/// By slug, or by a unique beginning, 7 digits or more, of the commit id. UserError otherwise, with
/// the nearest slug, or the commits that a short id fits.
[[nodiscard]] const Patch& find_patch(std::string_view name);

// The patches that kernel code of this repository tests.
extern const Patch update_curr_on_clock_read;
extern const Patch prefetch_curr_exec_start;
extern const Patch no_pending_runtime;

}  // namespace linefill::kernel
