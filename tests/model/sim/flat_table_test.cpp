// SPDX-License-Identifier: Apache-2.0
#include "model/sim/flat_table.h"

#include <map>

#include <gtest/gtest.h>

namespace linefill::model {
namespace {

struct Key {
    std::uint64_t value = ~std::uint64_t{0};
    std::uint64_t collides = 1;  ///< hashes are taken modulo this
    [[nodiscard]] std::size_t hash() const { return mix(value % collides, 0); }
    [[nodiscard]] bool is_free() const { return value == ~std::uint64_t{0}; }
    bool operator==(const Key& o) const { return value == o.value; }
    bool operator<(const Key& o) const { return value < o.value; }
};

TEST(FlatTable, SumsAsAMapDoes) {
    for (const std::uint64_t spread : {std::uint64_t{7}, ~std::uint64_t{0}}) {
        FlatTable<Key, std::uint64_t> table;
        std::map<std::uint64_t, std::uint64_t> oracle;
        std::uint64_t x = 1;
        for (int i = 0; i < 20000; ++i) {
            x = x * 6364136223846793005U + 1442695040888963407U;
            const std::uint64_t key = (x >> 33U) % 3000;
            table[Key{key, spread}] += x;
            oracle[key] += x;
        }
        ASSERT_EQ(table.size(), oracle.size());
        EXPECT_EQ(table.find(Key{3000, spread}), nullptr);
        EXPECT_EQ(*table.find(Key{oracle.begin()->first, spread}), oracle.begin()->second);
        auto expected = oracle.begin();
        for (const auto& [key, value] : table.sorted()) {
            EXPECT_EQ(key.value, expected->first);
            EXPECT_EQ(*value, expected->second);
            ++expected;
        }
    }
}

}  // namespace
}  // namespace linefill::model
