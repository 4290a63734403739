// SPDX-License-Identifier: Apache-2.0
// Random replacement, from the run's seed.
#include "model/sim/random.h"

#include "model/cache/replacement/policy.h"

namespace linefill::model {
namespace {

class RandomPolicy final : public ReplacementPolicy {
public:
    RandomPolicy(unsigned ways, std::uint64_t seed) : ways_(ways), random_(seed, "replacement") {}
    void on_hit(std::size_t, unsigned, bool) override {}
    void on_fill(std::size_t, unsigned, bool) override {}
    unsigned victim(std::size_t) override { return static_cast<unsigned>(random_.below(ways_)); }

private:
    unsigned ways_;
    Random random_;
};

const RegisterPolicy kRandom("random", [](const PolicyArguments& a) {
    return std::make_unique<RandomPolicy>(a.ways, a.seed);
});

}  // namespace
}  // namespace linefill::model
