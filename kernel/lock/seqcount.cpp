// SPDX-License-Identifier: Apache-2.0
// Sequence counters: what readers and writers execute.
#include "kernel/lock/seqcount.h"

#include "kernel/base/function.h"

namespace linefill::kernel {

namespace {

constexpr model::SpinLoop kLoop{.instructions = 4, .loads = 1, .pause = true};

// The value has changed already; the drain only wakes those who wait for it.
void woken_by_drain(void*, u64) {}

struct SeqField : FieldBase {
    SeqField(const Place& at, const char* field) : FieldBase(at, field) {}
};

}  // namespace

u32 Seqcount::read_begin() const {
    model::HwThread& hw = model::this_hw_thread();
    hw.load(addr_, 4, id_, take_dep());
    hw.execute(2);  // test of the low bit, branch
    u32 seen = sequence_;
    if ((seen & 1U) != 0) {
        hw.spin_until(addr_, 4, id_, kLoop, [&] {
            seen = sequence_;
            return (seen & 1U) == 0;
        });
    }
    return seen;
}

bool Seqcount::read_retry(u32 start) const {
    model::HwThread& hw = model::this_hw_thread();
    const Token now = hw.load(addr_, 4, id_, take_dep());
    hw.execute(2);
    const bool retry = sequence_ != start;
    if (retry) hw.mispredict(now);
    return retry;
}

void Seqcount::bump() {
    model::HwThread& hw = model::this_hw_thread();
    const Token dep = take_dep();
    hw.load(addr_, 4, id_, dep);
    ++sequence_;
    hw.store(addr_, 4, id_, dep, {&woken_by_drain, nullptr, 0});
}

Seqlock::Seqlock(const Place& at, const char* field, u32 instance)
    : Seqlock(SeqField(at, field).addr(), SeqField(at, field).id(), instance) {}

}  // namespace linefill::kernel
