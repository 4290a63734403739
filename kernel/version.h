// SPDX-License-Identifier: Apache-2.0
// Which kernel runs: version, configuration, boot parameters, and the patches that are in. Parsed
// from what the user wrote; kernel code asks it for switches.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/patches/patch.h"
#include "model/sim/error.h"

namespace linefill::kernel {

/// A name of the plan that this build cannot run yet: an error like any other to a user (exit 2),
/// while `validate` skips its rows.
class NotBuiltYet : public model::UserError {
public:
    using model::UserError::UserError;
};

/// Which x86 spinlock: 2-byte ticket (to v4.1) or 4-byte queued (from v4.2).
enum class LockKind : unsigned char { kTicket, kQueued };

struct KernelSpec {
    std::string version;  ///< "v4.7-rc7"
    KernelVersion number = KernelVersion::kV4_7Rc7;
    std::string layout_version;  ///< of the shipped layout that it uses: "v4.7.4"
    /// In effect: built in by the version, plus applied, minus reverted; sorted by slug.
    std::vector<const Patch*> patches;
    std::vector<const Patch*> applied, reverted;  ///< as the user named them, in that order
    std::map<std::string, std::string> config;    ///< without CONFIG_, defaults included
    std::map<std::string, std::string> boot;      ///< as given; a bare word has an empty value
    /// Options that the user gave, for Layout::resolve, which refuses those that move fields.
    std::vector<std::pair<std::string, std::string>> config_overrides;

    [[nodiscard]] bool has(const Patch& p) const {
        return (bits_[p.index / 64] >> (p.index % 64)) & 1U;
    }
    [[nodiscard]] bool at_least(KernelVersion v) const { return number >= v; }
    /// As one would write it after -k: "v4.7-rc7+prefetch-curr-exec-start".
    [[nodiscard]] std::string text() const;

    [[nodiscard]] int hz() const { return hz_; }
    /// Value of a configuration option, "n" if there is none of that name.
    [[nodiscard]] std::string config_value(std::string_view option) const;
    [[nodiscard]] bool config_on(std::string_view option) const {
        return config_value(option) == "y";
    }

    // What kernel code differs in, by version (kernel-paths: differences, a.0, a.1, k).
    [[nodiscard]] LockKind lock_kind() const {
        return at_least(KernelVersion::kV4_2) ? LockKind::kQueued : LockKind::kTicket;
    }
    /// thread_group_cputimer holds three atomics; before, a task_cputime under a spinlock.
    [[nodiscard]] bool cputimer_is_atomic() const { return at_least(KernelVersion::kV4_2); }
    /// cputime_adjust takes prev_cputime.lock; before, it used cmpxchg on the two values.
    [[nodiscard]] bool prev_cputime_has_lock() const { return at_least(KernelVersion::kV4_4); }
    /// cpuacct_charge adds to the calling CPU's counter; before, to that of task_cpu(t).
    [[nodiscard]] bool cpuacct_charges_local() const { return at_least(KernelVersion::kV4_6); }
    /// Statistics of the scheduler are written: compiled in, and not switched off at run time where
    /// the kernel has that switch (static branch, off unless schedstats=enable).
    [[nodiscard]] bool schedstats_on() const { return schedstats_on_; }
    /// There is a run-time switch, so that each site costs a NOP when it is off.
    [[nodiscard]] bool schedstats_switchable() const { return at_least(KernelVersion::kV4_6); }

    /// Ticks of different CPUs do not fall on the same time (skew_tick=1).
    [[nodiscard]] bool skew_tick() const { return boot_is("skew_tick", "1"); }

    /// Recomputes what is derived from the members above; for code that builds a spec by hand.
    void finish();

private:
    /// The user gave the boot parameter this value.
    [[nodiscard]] bool boot_is(const std::string& parameter, std::string_view value) const;

    std::array<std::uint64_t, 4> bits_{};
    int hz_ = 250;
    bool schedstats_on_ = false;
};

/// Parses `VERSION {"+"PATCH | "~"PATCH}`, where a patch is a slug or at least seven digits of its
/// commit id; `config` holds NAME=VALUE with or without CONFIG_, `boot` parameters (each entry may
/// hold several, separated by blanks). Throws UserError: unknown version, patch, option or parameter
/// (with the nearest name); a patch that is in already, to be reverted but not in, without one it
/// needs, or with one it conflicts with. Throws NotBuiltYet if all names are known and this build
/// cannot run the result. Whether an option moves fields is the layout's business, not checked here.
[[nodiscard]] KernelSpec parse_kernel_spec(std::string_view text,
                                           const std::vector<std::string>& config = {},
                                           const std::vector<std::string>& boot = {});

/// True for `PATCH^..PATCH`.
[[nodiscard]] bool is_patch_range(std::string_view text);

/// The two kernels, as spec texts, that `PATCH^..PATCH` or a lone `PATCH` means on kernel `on` (empty:
/// the version that the patch was made for): without the patch, and with it.
[[nodiscard]] std::pair<std::string, std::string> patch_range(std::string_view text,
                                                              std::string_view on = {});

/// What `list kernels` and `show kernel` print.
struct VersionInfo {
    KernelVersion number;
    std::string name;            ///< "v4.7-rc7"
    std::string layout_version;  ///< "v4.7.4"; empty: no shipped layout
    std::string about;           ///< one sentence
    bool built;                  ///< this build can run it
};
[[nodiscard]] const std::vector<VersionInfo>& known_versions();
/// UserError with the nearest name if there is none of that name.
[[nodiscard]] const VersionInfo& find_version(std::string_view name);

/// A configuration option or boot parameter that is known.
struct OptionInfo {
    std::string name;
    std::string fallback;             ///< value when not given
    std::vector<std::string> values;  ///< that this build models; empty: any
    std::string about;
    std::vector<std::string> planned{};  ///< values that are right but that this build cannot run
};
[[nodiscard]] const std::vector<OptionInfo>& known_config();
[[nodiscard]] const std::vector<OptionInfo>& known_boot_parameters();

}  // namespace linefill::kernel
