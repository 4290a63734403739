// SPDX-License-Identifier: Apache-2.0
// Sequence counters: what readers and writers execute.
#include "kernel/lock/seqcount.h"

#include "kernel/base/function.h"

namespace linefill::kernel {

namespace {

constexpr model::SpinLoop kLoop{.instructions = 4, .loads = 1, .pause = true};

void store_sequence(void* sequence, u64 value) { *static_cast<u32*>(sequence) = static_cast<u32>(value); }

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
    ++written_;
    hw.store(addr_, 4, id_, dep, {&store_sequence, &sequence_, written_});
}

Seqlock::Seqlock(const Place& at, const char* field, u32 instance)
    : Seqlock(SeqField(at, field).addr(), SeqField(at, field).id(), instance) {}

}  // namespace linefill::kernel
