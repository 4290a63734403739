// SPDX-License-Identifier: Apache-2.0
// Least recently used, exact: a stamp per way.
#include "model/cache/replacement/policy.h"

namespace linefill::model {
namespace {

class Lru final : public ReplacementPolicy {
public:
    Lru(std::size_t sets, unsigned ways) : ways_(ways), stamps_(sets * ways, 0) {}

    void on_hit(std::size_t set, unsigned way, bool) override {
        stamps_[set * ways_ + way] = ++clock_;
    }
    void on_fill(std::size_t set, unsigned way, bool invalid) override {
        on_hit(set, way, invalid);
    }
    unsigned victim(std::size_t set) override {
        unsigned oldest = 0;
        for (unsigned w = 1; w < ways_; ++w) {
            if (stamps_[set * ways_ + w] < stamps_[set * ways_ + oldest]) oldest = w;
        }
        return oldest;
    }

private:
    unsigned ways_;
    std::uint64_t clock_ = 0;
    std::vector<std::uint64_t> stamps_;
};

const RegisterPolicy kLru("lru", [](const PolicyArguments& a) {
    return std::make_unique<Lru>(a.sets, a.ways);
});

}  // namespace
}  // namespace linefill::model
