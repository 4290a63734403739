// SPDX-License-Identifier: Apache-2.0
// MRU ("bit-PLRU"): one bit per way, set when it is used; when the last clear bit would be set, all
// others are cleared. The N variant leaves the bits alone while the set has invalid ways (the label
// "MRU_N" of Abel and Reineke's policy simulator, measured there on Sandy Bridge's LLC).
#include "model/cache/replacement/policy.h"

namespace linefill::model {
namespace {

class MruN final : public ReplacementPolicy {
public:
    MruN(std::size_t sets, unsigned ways) : full_((std::uint64_t{1} << ways) - 1), used_(sets, 0) {}

    void on_hit(std::size_t set, unsigned way, bool invalid_ways) override {
        if (!invalid_ways) use(set, way);
    }
    void on_fill(std::size_t set, unsigned way, bool invalid_ways) override {
        on_hit(set, way, invalid_ways);
    }
    unsigned victim(std::size_t set) override {
        const std::uint64_t clear = ~used_[set] & full_;
        return clear == 0 ? 0U : static_cast<unsigned>(__builtin_ctzll(clear));
    }

private:
    void use(std::size_t set, unsigned way) {
        used_[set] |= std::uint64_t{1} << way;
        if (used_[set] == full_) used_[set] = std::uint64_t{1} << way;
    }
    std::uint64_t full_;
    std::vector<std::uint64_t> used_;
};

const RegisterPolicy kMruN("mru-n", [](const PolicyArguments& a) {
    return std::make_unique<MruN>(a.sets, a.ways);
});

}  // namespace
}  // namespace linefill::model
