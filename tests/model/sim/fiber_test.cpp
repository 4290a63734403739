// SPDX-License-Identifier: Apache-2.0
// Stacks of one's own: switching keeps what is on them, and unwinding runs destructors.
#include "model/sim/fiber.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace linefill::model {
namespace {

TEST(FiberTest, SwitchesToAndFroAndKeepsLocals) {
    Fiber main;
    std::vector<int> log;
    Fiber* self = nullptr;
    Fiber other([&] {
        int local = 10;
        for (;;) {
            log.push_back(local++);
            Fiber::switch_to(*self, main);
        }
    });
    self = &other;
    for (int i = 0; i < 3; ++i) {
        log.push_back(i);
        Fiber::switch_to(main, other);
    }
    EXPECT_EQ(log, (std::vector<int>{0, 10, 1, 11, 2, 12}));
}

TEST(FiberTest, AnyFiberSwitchesToAnyOther) {
    Fiber main;
    std::string order;
    std::vector<std::unique_ptr<Fiber>> ring;
    for (std::size_t i = 0; i < 5; ++i) {
        ring.push_back(std::make_unique<Fiber>([&, i] {
            for (;;) {
                order += static_cast<char>('a' + i);
                Fiber::switch_to(*ring[i], i + 1 < ring.size() ? *ring[i + 1] : main);
            }
        }));
    }
    Fiber::switch_to(main, *ring[0]);
    Fiber::switch_to(main, *ring[2]);
    EXPECT_EQ(order, "abcdecde");
}

TEST(FiberTest, HasAStackThatHoldsWhatKernelCodeNeeds) {
    Fiber main;
    std::size_t used = 0;
    Fiber* self = nullptr;
    Fiber deep([&] {
        volatile char space[40 * 1024];
        for (std::size_t i = 0; i < sizeof space; ++i) space[i] = static_cast<char>(i);
        for (std::size_t i = 0; i < sizeof space; ++i) used += space[i] == static_cast<char>(i);
        Fiber::switch_to(*self, main);
        std::terminate();
    });
    self = &deep;
    Fiber::switch_to(main, deep);
    EXPECT_EQ(used, 40U * 1024U);
}

TEST(FiberTest, UnwindingDestroysWhatIsOnItsStack) {
    Fiber main;
    const auto witness = std::make_shared<int>(1);
    Fiber* self = nullptr;
    Fiber holder([&, witness] {
        const std::vector<std::shared_ptr<int>> on_stack(1, witness);
        Fiber::switch_to(*self, main);
        std::terminate();
    });
    self = &holder;
    const long before = witness.use_count();
    Fiber::switch_to(main, holder);
    EXPECT_EQ(witness.use_count(), before + 1);
    holder.unwind();
    EXPECT_LE(witness.use_count(), before);
}

}  // namespace
}  // namespace linefill::model
