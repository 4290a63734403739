// SPDX-License-Identifier: Apache-2.0
// The timeline's tree: invariants under random insertions and removals.
#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/sched/fair.h"
#include "model/sim/random.h"
#include "tests/kernel/kernel_bench.h"

namespace linefill::kernel {
namespace {

std::vector<u64> keys_in_order(const CfsRq& q) {
    std::vector<u64> keys;
    const std::function<void(const RbNode*)> walk = [&](const RbNode* n) {
        if (n == nullptr) return;
        walk(n->rb_left.peek());
        keys.push_back(static_cast<const SchedEntity*>(n->owner)->vruntime.peek());
        walk(n->rb_right.peek());
    };
    walk(q.tasks_timeline.rb_node.peek());
    return keys;
}

TEST(Timeline, StaysARedBlackTreeInOrderWithItsLeftmost) {
    KernelBench bench;
    bool done = false;
    bench.run([&] {
        Kernel& k = kernel();
        CfsRq& q = k.rq(5).cfs;  // idle throughout: nobody else uses it
        std::vector<std::unique_ptr<TaskStruct>> tasks;
        for (int i = 0; i < 200; ++i) tasks.push_back(alloc_task("t", 0));
        model::Random random(3, "timeline");
        std::vector<char> in(tasks.size(), 0);
        std::size_t size = 0;
        for (int step = 0; step < 4000; ++step) {
            const std::size_t i = random.below(tasks.size());
            SchedEntity& se = tasks[i]->se;
            if (in[i] == 0) {
                se.vruntime.poke(random.below(50) + ~u64{0} - 20);  // wraps, and has equals
                timeline_insert(&q, &se);
                ++size;
            } else {
                timeline_erase(&q, &se);
                --size;
            }
            in[i] = in[i] == 0 ? 1 : 0;
            ASSERT_EQ(rb_check(q.tasks_timeline), static_cast<int>(size)) << "step " << step;
            const std::vector<u64> keys = keys_in_order(q);
            for (std::size_t j = 1; j < keys.size(); ++j) {
                ASSERT_LE(static_cast<s64>(keys[j - 1] - keys[j]), 0) << "step " << step;
            }
            const SchedEntity* first = SchedEntity::of(q.rb_leftmost.peek());
            ASSERT_EQ(first != nullptr, size != 0);
            if (first != nullptr) {
                ASSERT_EQ(first->vruntime.peek(), keys.front());
                ASSERT_EQ(first->run_node.rb_left.peek(), nullptr);
            }
        }
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            if (in[i] != 0) timeline_erase(&q, &tasks[i]->se);
        }
        EXPECT_EQ(rb_check(q.tasks_timeline), 0);
        done = true;
    });
    EXPECT_TRUE(done);
}

TEST(Timeline, EqualsComeOutInTheOrderTheyWentIn) {
    KernelBench bench;
    bench.run([&] {
        CfsRq& q = kernel().rq(5).cfs;
        std::vector<std::unique_ptr<TaskStruct>> tasks;
        for (int i = 0; i < 8; ++i) {
            tasks.push_back(alloc_task("t", 0));
            tasks.back()->se.vruntime.poke(1000);
            timeline_insert(&q, &tasks.back()->se);
        }
        for (const auto& t : tasks) {
            EXPECT_EQ(SchedEntity::of(q.rb_leftmost.peek()), &t->se);
            timeline_erase(&q, &t->se);
        }
    });
}

TEST(Timeline, ABrokenTreeIsFound) {
    KernelBench bench;
    bench.run([&] {
        CfsRq& q = kernel().rq(5).cfs;
        std::vector<std::unique_ptr<TaskStruct>> tasks;
        for (u64 i = 0; i < 7; ++i) {
            tasks.push_back(alloc_task("t", 0));
            tasks.back()->se.vruntime.poke(i);
            timeline_insert(&q, &tasks.back()->se);
        }
        RbNode* root = q.tasks_timeline.rb_node.peek();
        root->parent_color.poke({nullptr, false});
        EXPECT_EQ(rb_check(q.tasks_timeline), -1);
        root->parent_color.poke({nullptr, true});
        EXPECT_EQ(rb_check(q.tasks_timeline), 7);
        for (const auto& t : tasks) timeline_erase(&q, &t->se);
    });
}

}  // namespace
}  // namespace linefill::kernel
