// SPDX-License-Identifier: Apache-2.0
#include "model/core/lru_shadow.h"

#include <algorithm>
#include <list>

#include <gtest/gtest.h>

#include "model/sim/random.h"

namespace linefill::model {
namespace {

TEST(LruShadow, HoldsWhatAListInOrderOfUseHolds) {
    for (const std::size_t capacity : {std::size_t{1}, std::size_t{2}, std::size_t{64}}) {
        LruShadow shadow(capacity);
        std::list<Addr> oracle;
        Random random(7, "lru");
        for (int i = 0; i < 20000; ++i) {
            // Lines at a stride too, which a poor hash would pile up.
            const Addr line = random.below(2 * capacity + 3) * (i % 2 == 0 ? 1 : 4096);
            shadow.touch(line);
            oracle.remove(line);
            oracle.push_front(line);
            if (oracle.size() > capacity) oracle.pop_back();
            const Addr probe = random.below(2 * capacity + 3) * (i % 3 == 0 ? 1 : 4096);
            ASSERT_EQ(shadow.contains(probe),
                      std::find(oracle.begin(), oracle.end(), probe) != oracle.end());
        }
    }
}

}  // namespace
}  // namespace linefill::model
