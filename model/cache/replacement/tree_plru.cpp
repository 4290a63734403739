// SPDX-License-Identifier: Apache-2.0
// Tree pseudo-LRU: a binary tree of direction bits per set; a hit turns the bits on its path away
// from the way it hit. Node n has children 2n+1 and 2n+2; bit 0: the victim lies left.
#include "model/cache/replacement/tree_plru.h"

#include "model/cache/replacement/policy.h"
#include "model/sim/error.h"

namespace linefill::model {

PlruPaths plru_paths(unsigned ways) {
    PlruPaths paths;
    for (unsigned way = 0; way < ways; ++way) {
        std::uint64_t keep = ~std::uint64_t{0};
        std::uint64_t set = 0;
        unsigned node = 0;
        unsigned low = 0;
        unsigned high = ways;
        while (high - low > 1) {
            const unsigned middle = (low + high) / 2;
            const std::uint64_t bit = std::uint64_t{1} << node;
            keep &= ~bit;
            if (way < middle) {
                set |= bit;  // hit left: the victim is to the right
                node = 2 * node + 1;
                high = middle;
            } else {
                node = 2 * node + 2;
                low = middle;
            }
        }
        paths.keep[way] = keep;
        paths.set[way] = set;
    }
    return paths;
}

namespace {

class TreePlru final : public ReplacementPolicy {
public:
    TreePlru(std::size_t sets, unsigned ways)
        : ways_(ways), paths_(plru_paths(ways)), bits_(sets, 0) {}

    void on_hit(std::size_t set, unsigned way, bool) override {
        bits_[set] = (bits_[set] & paths_.keep[way]) | paths_.set[way];
    }
    void on_fill(std::size_t set, unsigned way, bool invalid) override {
        on_hit(set, way, invalid);
    }
    unsigned victim(std::size_t set) override { return plru_victim(bits_[set], ways_); }
    std::uint64_t* plru_bits() override { return bits_.data(); }

private:
    unsigned ways_;
    PlruPaths paths_;
    std::vector<std::uint64_t> bits_;
};

const RegisterPolicy kTreePlru("tree-plru", [](const PolicyArguments& a) {
    if (a.ways > kMaxPlruWays || (a.ways & (a.ways - 1)) != 0) {
        throw UserError("tree-plru needs a power-of-two number of ways up to 32")
            .value(std::to_string(a.ways));
    }
    return std::make_unique<TreePlru>(a.sets, a.ways);
});

}  // namespace
}  // namespace linefill::model
