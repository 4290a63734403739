// SPDX-License-Identifier: Apache-2.0
#include "measure/report/table.h"

#include <limits>
#include <map>
#include <stdexcept>

#include <gtest/gtest.h>

#include "measure/report/flat_table.h"

namespace linefill::measure {
namespace {

TEST(Table, LinesColumnsUp) {
    Table table({{"name", "name", true}, {"n", "count"}, {"", "only_csv"}, {"only text", ""}});
    table.add({word("a"), count(1), word("x"), number(2.5, 2)});
    table.rule();
    table.add({word("longer"), count(1000), word("y,z"), number(-0.0001, 2)});
    EXPECT_EQ(table.text(),
              "name       n  only text\n"
              "a          1       2.50\n"
              "-----------------------\n"
              "longer  1000       0.00\n");
    EXPECT_EQ(table.text(2).substr(0, 7), "  name ");
    EXPECT_EQ(table.csv(), "name,count,only_csv\na,1,x\nlonger,1000,\"y,z\"\n");
}

TEST(Table, RefusesARowOfAnotherLength) {
    Table table({{"a", "a"}, {"b", "b"}});
    EXPECT_THROW(table.add({word("x")}), std::logic_error);
}

TEST(Table, NumbersHaveTwoForms) {
    EXPECT_EQ(number(1234567.891, 1).text, "1234567.9");
    EXPECT_EQ(number(1234567.891, 1).csv, "1.23457e+06");
    EXPECT_EQ(number(std::numeric_limits<double>::quiet_NaN(), 1).text, "-");
    EXPECT_EQ(number(percent_of(1, 0), 1).csv, "");
    EXPECT_EQ(percent_of(1, 4), 25);
    EXPECT_EQ(number_or_blank(0.001, 2).text, "");
    EXPECT_EQ(number_or_blank(0.001, 2).csv, "0.001");
    EXPECT_EQ(number_or_blank(0.1, 2).text, "0.10");
}

struct Key {
    std::uint64_t value = 0;
    std::uint64_t collides = 1;  ///< hashes are taken modulo this
    [[nodiscard]] std::size_t hash() const { return mix(value % collides, 0); }
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
        auto expected = oracle.begin();
        for (const auto& [key, value] : table.sorted()) {
            EXPECT_EQ(key.value, expected->first);
            EXPECT_EQ(*value, expected->second);
            ++expected;
        }
    }
}

}  // namespace
}  // namespace linefill::measure
