// SPDX-License-Identifier: Apache-2.0
// The registry of patches, and how one is found by what the user calls it.
#include "kernel/patches/patch.h"

#include <algorithm>
#include <bitset>

#include "model/sim/error.h"

namespace linefill::kernel {

namespace {

constexpr unsigned kMaxPatches = 256;  // bits of KernelSpec
constexpr std::size_t kShortestCommit = 7;

struct Registry {
    std::vector<Patch*> patches;
    std::bitset<kMaxPatches> used;
};

// A function's own static, because patches of other files may register before anything else here is
// initialised.
Registry& registry() {
    static Registry r;
    return r;
}

bool is_commit_like(std::string_view s) {
    return s.size() >= kShortestCommit && std::all_of(s.begin(), s.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

bool contains(const std::vector<KernelVersion>& list, KernelVersion v) {
    return std::find(list.begin(), list.end(), v) != list.end();
}

std::vector<std::string> slugs() {
    std::vector<std::string> names;
    for (const Patch* p : all_patches()) names.push_back(p->slug);
    return names;
}

}  // namespace

Patch::Patch(PatchInfo info) : PatchInfo(std::move(info)) {
    Registry& r = registry();
    while (index < kMaxPatches && r.used[index]) ++index;
    if (index == kMaxPatches) return;  // reported by all_patches(): nothing can be thrown from here
    r.used.set(index);
    r.patches.push_back(this);
}

Patch::~Patch() {
    Registry& r = registry();
    if (index == kMaxPatches) return;
    r.used.reset(index);
    r.patches.erase(std::remove(r.patches.begin(), r.patches.end(), this), r.patches.end());
}

bool Patch::is_in(KernelVersion v) const { return contains(in, v); }
bool Patch::may_apply_to(KernelVersion v) const { return contains(applies_to, v); }

std::vector<const Patch*> all_patches() {
    const Registry& r = registry();
    if (r.used.all()) throw model::InternalError("more than 256 patches are registered");
    std::vector<const Patch*> sorted(r.patches.begin(), r.patches.end());
    std::sort(sorted.begin(), sorted.end(),
              [](const Patch* a, const Patch* b) { return a->slug < b->slug; });
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (sorted[i]->slug == sorted[j]->slug) {
                throw model::InternalError("two patches are called " + sorted[i]->slug);
            }
            if (!sorted[i]->commit.empty() && sorted[i]->commit == sorted[j]->commit) {
                throw model::InternalError("patches " + sorted[j]->slug + " and " +
                                           sorted[i]->slug + " have one commit id");
            }
        }
    }
    return sorted;
}

const Patch& find_patch(std::string_view name) {
    std::vector<const Patch*> by_commit;
    for (const Patch* p : all_patches()) {
        if (p->slug == name) return *p;
        if (is_commit_like(name) && !p->commit.empty() &&
            (std::string_view(p->commit).substr(0, name.size()) == name ||
             // A full 40-digit id is longer than what is registered.
             (name.size() <= 40 && name.substr(0, p->commit.size()) == p->commit))) {
            by_commit.push_back(p);
        }
    }
    if (by_commit.size() == 1) return *by_commit.front();
    if (by_commit.size() > 1) {
        std::string expected = "more digits:";
        for (const Patch* p : by_commit) expected += " " + p->commit + " is " + p->slug + ",";
        expected.pop_back();
        throw model::UserError("commit id fits several patches")
            .key("patch")
            .value(std::string(name))
            .expected(expected);
    }
    throw model::UserError("unknown patch")
        .key("patch")
        .value(std::string(name))
        .expected("a patch of `linefill list patches`, or 7 or more digits of its commit id")
        .nearest(name, slugs());
}

}  // namespace linefill::kernel
