// SPDX-License-Identifier: Apache-2.0
// Parses kernel specifications and checks which patches go together.
#include "kernel/version.h"

#include <algorithm>

namespace linefill::kernel {

namespace {

using model::UserError;

std::string name_of(KernelVersion v) {
    for (const VersionInfo& info : known_versions()) {
        if (info.number == v) return info.name;
    }
    return {};
}

template <class T>
bool contains(const std::vector<T>& list, const T& what) {
    return std::find(list.begin(), list.end(), what) != list.end();
}

std::string join(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& w : words) text += (text.empty() ? "" : ", ") + w;
    return text;
}

/// What makes the result impossible to run in this build; the first found is reported, but only
/// after everything was checked for errors.
class Unbuilt {
public:
    void add(const std::string& what, const std::string& value) {
        if (what_.empty()) {
            what_ = what;
            value_ = value;
        }
    }
    void raise(std::string_view spec) const {
        if (what_.empty()) return;
        NotBuiltYet error("known, not built yet: " + what_);
        error.key("kernel").value(value_.empty() ? std::string(spec) : value_);
        throw error;
    }

private:
    std::string what_, value_;
};

std::vector<std::string> names_of(const std::vector<OptionInfo>& options) {
    std::vector<std::string> names;
    names.reserve(options.size());
    for (const OptionInfo& o : options) names.push_back(o.name);
    return names;
}

const OptionInfo* find_option(const std::vector<OptionInfo>& options, std::string_view name) {
    for (const OptionInfo& o : options) {
        if (o.name == name) return &o;
    }
    return nullptr;
}

/// Checks a value; a planned one goes to `unbuilt`.
void check_value(const OptionInfo& option, const std::string& value, const std::string& key,
                 Unbuilt& unbuilt) {
    if (contains(option.values, value)) return;
    if (contains(option.planned, value) || contains<std::string>(option.planned, "*")) {
        unbuilt.add(key + " " + option.name, option.name + "=" + value);
        return;
    }
    std::vector<std::string> right = option.values;
    right.insert(right.end(), option.planned.begin(), option.planned.end());
    std::sort(right.begin(), right.end(), [](const std::string& a, const std::string& b) {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    throw UserError("no such value")
        .key(key + " " + option.name)
        .value(value)
        .expected("one of " + join(right));
}

void parse_config(const std::vector<std::string>& texts, KernelSpec& spec, Unbuilt& unbuilt) {
    for (const OptionInfo& o : known_config()) spec.config[o.name] = o.fallback;
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
            throw UserError("not a configuration option")
                .key("--config")
                .value(text)
                .expected("NAME=VALUE, such as HZ=250");
        }
        constexpr std::string_view kPrefix = "CONFIG_";
        std::string name = text.substr(0, equals);
        if (std::string_view(name).substr(0, kPrefix.size()) == kPrefix)
            name.erase(0, kPrefix.size());
        const OptionInfo* option = find_option(known_config(), name);
        if (option == nullptr) {
            throw UserError("unknown configuration option")
                .key("--config")
                .value(name)
                .expected("one of " + join(names_of(known_config())))
                .nearest(name, names_of(known_config()));
        }
        const std::string value = text.substr(equals + 1);
        for (const auto& [known, earlier] : spec.config_overrides) {
            if (known == name && earlier != value) {
                throw UserError("configuration option given twice").key("--config").value(text);
            }
        }
        check_value(*option, value, "--config", unbuilt);
        spec.config[name] = value;
        spec.config_overrides.emplace_back(name, value);
    }
}

void parse_boot_word(const std::string& word, KernelSpec& spec, Unbuilt& unbuilt) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    const OptionInfo* parameter = find_option(known_boot_parameters(), name);
    if (parameter == nullptr) {
        throw UserError("unknown boot parameter")
            .key("--boot")
            .value(word)
            .expected("one of " + join(names_of(known_boot_parameters())))
            .nearest(name, names_of(known_boot_parameters()));
    }
    if (name == "schedstats" && !spec.schedstats_switchable()) {
        bool has_switch = false;
        for (const Patch* p : spec.patches)
            has_switch = has_switch || p->slug == "schedstats-runtime";
        if (!has_switch) {
            throw UserError(spec.version + " has no such boot parameter")
                .key("--boot")
                .value(word)
                .expected("v4.6 or later, or the patch schedstats-runtime");
        }
    }
    check_value(*parameter, value, "--boot", unbuilt);
    if (spec.boot.count(name) != 0) {
        throw UserError("boot parameter given twice").key("--boot").value(word);
    }
    spec.boot[name] = value;
}

void parse_boot(const std::vector<std::string>& texts, KernelSpec& spec, Unbuilt& unbuilt) {
    for (const std::string& text : texts) {
        std::size_t at = 0;
        while ((at = text.find_first_not_of(" \t", at)) != std::string::npos) {
            const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
            parse_boot_word(text.substr(at, end - at), spec, unbuilt);
            at = end;
        }
    }
}

void apply(const Patch& p, KernelSpec& spec, const std::string& spec_text) {
    if (contains<const Patch*>(spec.patches, &p)) {
        throw UserError(p.is_in(spec.number)
                            ? spec.version + " has the patch " + p.slug + " already"
                            : "patch " + p.slug + " is applied twice")
            .key("kernel")
            .value(spec_text);
    }
    if (!p.is_in(spec.number) && !p.may_apply_to(spec.number)) {
        std::vector<std::string> versions;
        for (const KernelVersion v : p.applies_to) versions.push_back(name_of(v));
        throw UserError("patch " + p.slug + " does not apply to " + spec.version)
            .key("kernel")
            .value(spec_text)
            .expected(join(versions));
    }
    spec.patches.push_back(&p);
    spec.applied.push_back(&p);
}

void revert(const Patch& p, KernelSpec& spec, const std::string& spec_text) {
    const auto at = std::find(spec.patches.begin(), spec.patches.end(), &p);
    if (at == spec.patches.end()) {
        throw UserError("patch " + p.slug + " is not in, so it cannot be reverted")
            .key("kernel")
            .value(spec_text);
    }
    spec.patches.erase(at);
    spec.reverted.push_back(&p);
}

bool in_effect(const KernelSpec& spec, const std::string& slug) {
    return std::any_of(spec.patches.begin(), spec.patches.end(),
                       [&](const Patch* p) { return p->slug == slug; });
}

void check_relations(const KernelSpec& spec, const std::string& spec_text) {
    for (const Patch* p : spec.patches) {
        for (const std::string& needed : p->needs) {
            if (!in_effect(spec, needed)) {
                throw UserError("patch " + p->slug + " needs " + needed + ", which is not in")
                    .key("kernel")
                    .value(spec_text);
            }
        }
        for (const std::string& other : p->conflicts) {
            if (in_effect(spec, other)) {
                throw UserError("patches " + p->slug + " and " + other + " exclude each other")
                    .key("kernel")
                    .value(spec_text);
            }
        }
    }
}

}  // namespace

std::string KernelSpec::text() const {
    std::string s = version;
    for (const Patch* p : applied) s += "+" + p->slug;
    for (const Patch* p : reverted) s += "~" + p->slug;
    return s;
}

std::string KernelSpec::config_value(std::string_view option) const {
    const auto at = config.find(std::string(option));
    return at == config.end() ? "n" : at->second;
}

bool KernelSpec::boot_is(const std::string& parameter, std::string_view value) const {
    const auto at = boot.find(parameter);
    return at != boot.end() && at->second == value;
}

void KernelSpec::finish() {
    std::sort(patches.begin(), patches.end(),
              [](const Patch* a, const Patch* b) { return a->slug < b->slug; });
    bits_ = {};
    for (const Patch* p : patches) bits_[p->index / 64] |= std::uint64_t{1} << (p->index % 64);
    const std::string rate = config_value("HZ");
    hz_ = rate == "n" ? 250 : std::stoi(rate);
    schedstats_on_ =
        config_on("SCHEDSTATS") && (!schedstats_switchable() || boot_is("schedstats", "enable"));
}

KernelSpec parse_kernel_spec(std::string_view text, const std::vector<std::string>& config,
                             const std::vector<std::string>& boot) {
    const std::string whole(text);
    if (text.empty()) {
        throw UserError("no kernel given")
            .key("kernel")
            .expected("VERSION {+PATCH | ~PATCH}, such as v4.7-rc7+prefetch-curr-exec-start");
    }
    constexpr std::string_view kSigns = "+~";
    std::size_t end = std::min(text.find_first_of(kSigns), text.size());
    const VersionInfo& version = find_version(text.substr(0, end));

    KernelSpec spec;
    Unbuilt unbuilt;
    spec.version = version.name;
    spec.number = version.number;
    spec.layout_version = version.layout_version;
    if (!version.built) unbuilt.add("kernel version", version.name);
    for (const Patch* p : all_patches()) {
        if (p->is_in(version.number)) spec.patches.push_back(p);
    }
    while (end < text.size()) {
        const char sign = text[end];
        const std::size_t start = end + 1;
        end = std::min(text.find_first_of(kSigns, start), text.size());
        if (end == start) {
            throw UserError(std::string("no patch after ") + sign).key("kernel").value(whole);
        }
        const Patch& p = find_patch(text.substr(start, end - start));
        if (sign == '+') {
            apply(p, spec, whole);
        } else {
            revert(p, spec, whole);
        }
        if (!p.built) unbuilt.add("patch", p.slug);
    }
    check_relations(spec, whole);
    parse_config(config, spec, unbuilt);
    parse_boot(boot, spec, unbuilt);
    spec.finish();
    unbuilt.raise(whole);
    return spec;
}

bool is_patch_range(std::string_view text) { return text.find("^..") != std::string_view::npos; }

std::pair<std::string, std::string> patch_range(std::string_view text, std::string_view on) {
    std::string_view name = text;
    const std::size_t dots = text.find("^..");
    if (dots != std::string_view::npos) {
        name = text.substr(0, dots);
        const std::string_view second = text.substr(dots + 3);
        if (&find_patch(name) != &find_patch(second)) {
            throw UserError("a range must begin at the parent of the patch it ends with")
                .key("range")
                .value(std::string(text))
                .expected("PATCH^..PATCH");
        }
    }
    const Patch& p = find_patch(name);
    const std::string base = on.empty() ? name_of(p.scenario.base) : std::string(on);
    const std::size_t end = std::min(base.find_first_of("+~"), base.size());
    if (p.is_in(find_version(base.substr(0, end)).number)) return {base + "~" + p.slug, base};
    return {base, base + "+" + p.slug};
}

}  // namespace linefill::kernel
