// SPDX-License-Identifier: Apache-2.0
// Valgrind as an outside oracle: the data accesses of a real program, traced by its tool lackey, run
// through an array with cachegrind's geometry must miss as often as cachegrind says.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/cache/cache_array.h"

namespace linefill::model {
namespace {

struct Empty {};

class CachegrindTest : public testing::Test {
protected:
    void SetUp() override {
        if (std::system("command -v valgrind >/dev/null 2>&1") != 0) {
            GTEST_SKIP() << "valgrind is not installed (scripts/setup installs it)";
        }
        directory_ = testing::TempDir() + "linefill_cachegrind_" + std::to_string(getpid());
        ASSERT_EQ(std::system(("mkdir -p " + directory_).c_str()), 0);
        std::ofstream input(directory_ + "/input");
        unsigned x = 1;
        for (int i = 0; i < 4000; ++i) {
            x = x * 1103515245 + 12345;
            input << x << '\n';
        }
    }
    void TearDown() override {
        if (!directory_.empty()) (void)std::system(("rm -r " + directory_).c_str());
    }
    /// Runs the traced program under a tool, in an empty environment so that both runs are alike.
    void under(const std::string& tool) {
        const std::string command = "env -i LC_ALL=C PATH=\"$PATH\" valgrind " + tool +
                                    " sort --parallel=1 " + directory_ + "/input > " + directory_ +
                                    "/output 2> " + directory_ + "/errors";
        ASSERT_EQ(std::system(command.c_str()), 0) << command;
    }
    std::string text_of(const std::string& name) const {
        std::ifstream file(directory_ + "/" + name);
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }
    /// "D   refs:  1,234" and the like.
    static long number_after(const std::string& text, const std::string& pattern) {
        std::smatch found;
        if (!std::regex_search(text, found, std::regex(pattern + "\\s*([0-9,]+)"))) return -1;
        std::string digits = found[1];
        std::erase(digits, ',');
        return std::stol(digits);
    }
    std::string directory_;
};

TEST_F(CachegrindTest, AnArrayOfItsGeometryMissesAsOften) {
    under(
        "--tool=cachegrind --cache-sim=yes --D1=32768,8,64 --cachegrind-out-file=/dev/null "
        "--log-file=" +
        directory_ + "/cachegrind");
    under("--tool=lackey --trace-mem=yes --basic-counts=no --log-file=" + directory_ + "/trace");
    const std::string report = text_of("cachegrind");
    const long references = number_after(report, "D\\s+refs:");
    const long misses = number_after(report, "D1\\s+misses:");
    ASSERT_GT(references, 500000) << report;
    ASSERT_GT(misses, 5000) << report;

    CacheConfig c;
    c.size = 32768;
    c.ways = 8;
    c.policy = "lru";
    CacheArray<Empty> array(c, 1);
    const auto hit = [&](Addr line) {
        const std::size_t slot = array.find(line);
        if (slot != CacheArray<Empty>::kMiss) {
            array.touch(slot);
            return true;
        }
        const std::size_t into = array.slot_for(line);
        if (array.valid(into)) array.invalidate(into);
        array.fill(into, line, {});
        return false;
    };
    long our_references = 0;
    long our_misses = 0;
    std::ifstream trace(directory_ + "/trace");
    std::string line;
    while (std::getline(trace, line)) {
        char kind = 0;
        unsigned long long addr = 0;
        unsigned size = 0;
        if (std::sscanf(line.c_str(), " %c %llx,%u", &kind, &addr, &size) != 3) continue;
        if (kind != 'L' && kind != 'S' && kind != 'M') continue;
        ++our_references;
        // An access that crosses lines looks both up and is one miss at most, as cachegrind counts.
        const bool first = hit(line_of(addr));
        const Addr last = line_of(addr + size - 1);
        const bool second = last == line_of(addr) || hit(last);
        if (!first || !second) ++our_misses;
    }
    EXPECT_NEAR(static_cast<double>(our_references), static_cast<double>(references),
                0.005 * static_cast<double>(references));
    EXPECT_NEAR(static_cast<double>(our_misses), static_cast<double>(misses),
                0.01 * static_cast<double>(misses));
}

}  // namespace
}  // namespace linefill::model
