// SPDX-License-Identifier: Apache-2.0
// Sequence counters: readers that retry when a writer was there.
//
//     u32 seq;
//     do {
//         seq = count.read_begin();
//         ...
//     } while (count.read_retry(seq));
#pragma once

#include "kernel/base/field.h"
#include "kernel/lock/spinlock.h"

namespace linefill::kernel {

class Seqcount {
public:
    Seqcount(const Place& at, const char* field) : Seqcount(FieldBaseAt(at, field)) {}
    Seqcount(Addr addr, FieldId id) : addr_(addr), id_(id) {}
    Seqcount(const Seqcount&) = delete;
    Seqcount& operator=(const Seqcount&) = delete;

    /// Waits with PAUSE while a writer is inside; returns the even value it read.
    [[nodiscard]] u32 read_begin() const;
    /// True: a writer was there since; what was read is void.
    [[nodiscard]] bool read_retry(u32 start) const;
    /// Writers exclude each other by a lock of their own.
    void write_begin() { bump(); }
    void write_end() { bump(); }

    [[nodiscard]] Addr addr() const { return addr_; }
    [[nodiscard]] u32 peek() const { return sequence_; }

private:
    struct FieldBaseAt : FieldBase {
        FieldBaseAt(const Place& at, const char* field) : FieldBase(at, field) {}
    };
    explicit Seqcount(const FieldBaseAt& f) : addr_(f.addr()), id_(f.id()) {}
    void bump();

    Addr addr_;
    FieldId id_;
    // Changes when the writer's store executes, as the fields do that it protects: a reader on the host
    // side then never sees new data with an old count.
    u32 sequence_ = 0;
};

/// seqlock_t: the counter, and the writers' lock 4 bytes behind it.
class Seqlock {
public:
    Seqlock(const Place& at, const char* field, u32 instance = 0);
    Seqlock(Addr addr, FieldId id, u32 instance = 0)
        : count(addr, id), lock(addr + 4, id, instance) {}

    void write_lock() {
        lock.lock();
        count.write_begin();
    }
    void write_unlock() {
        count.write_end();
        lock.unlock();
    }

    Seqcount count;
    RawSpinlock lock;
};

}  // namespace linefill::kernel
