// SPDX-License-Identifier: Apache-2.0
#include "measure/report/table.h"

#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

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

TEST(Table, JsonKeepsNumbersAndMarkdownItsColumns) {
    Table table({{"name", "name", true}, {"n", "count"}, {"", "only_data"}, {"only text", ""}});
    table.add({word("a \"b\""), count(1), blank(), number(2.5, 2)});
    table.rule();
    table.add({word("c|d"), number(percent_of(1, 0), 1), number(0.5, 1), number(3, 2)});
    EXPECT_EQ(table.json(2),
              "  {\"name\": \"a \\\"b\\\"\", \"count\": 1, \"only_data\": null},\n"
              "  {\"name\": \"c|d\", \"count\": null, \"only_data\": 0.5}");
    EXPECT_EQ(table.markdown(),
              "| name | n | only text |\n|---|--:|--:|\n| a \"b\" | 1 | 2.50 |\n| c\\|d | - | 3.00 "
              "|\n");
    EXPECT_EQ(data_text(Table(std::vector<Table::Column>{{"a", "a"}}), "json"), "[]");
    EXPECT_EQ(table.csv(), "name,count,only_data\n" + table.csv_rows());
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

}  // namespace
}  // namespace linefill::measure
