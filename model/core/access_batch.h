// SPDX-License-Identifier: Apache-2.0
// An observer that takes what it sees in batches. Hardware threads write into the batch themselves,
// without a call; what is made of a batch is made of all of it at once, while the code and the tables
// for that are in the host's caches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/core/access.h"
#include "model/core/counters.h"

namespace linefill::model {

/// What accesses are told apart by besides the line: field, function, kind and byte in the line, from
/// the top.
struct AccessSite {
    std::uint64_t bits = 0;

    static AccessSite of(FieldId field, FunctionId function, AccessKind kind, Addr addr) {
        return {std::uint64_t{field} << 32U | std::uint64_t{function} << 16U |
                std::uint64_t{static_cast<std::uint8_t>(kind)} << 8U | addr % kLineBytes};
    }
    FieldId field() const { return static_cast<FieldId>(bits >> 32U); }
    FunctionId function() const { return static_cast<FunctionId>(bits >> 16U); }
    std::uint8_t kind() const { return static_cast<std::uint8_t>(bits >> 8U); }
    std::uint8_t offset() const { return static_cast<std::uint8_t>(bits); }
};

struct BatchedAccess {
    Addr line;
    AccessSite site;
    Tick latency;
    std::uint16_t cpu;
    DataSource source;
    MissClass miss;

    bool is_plain_hit() const { return source == DataSource::kL1 && miss == MissClass::kHit; }
};

/// What time is told apart by: function, caller, field (of that the lower 24 bits), CPI component.
struct TimeSite {
    std::uint64_t bits = 0;

    static TimeSite of(FunctionId function, FunctionId caller, FieldId field, unsigned component) {
        return {std::uint64_t{function} << 48U | std::uint64_t{caller} << 32U |
                std::uint64_t{field & 0xffffffU} << 8U | component};
    }
    FunctionId function() const { return static_cast<FunctionId>(bits >> 48U); }
    FunctionId caller() const { return static_cast<FunctionId>(bits >> 32U); }
    FieldId field() const { return static_cast<FieldId>(bits >> 8U & 0xffffffU); }
    unsigned component() const { return static_cast<unsigned>(bits & 0xffU); }
};

struct BatchedTime {
    TimeSite site;
    Tick fs;
};

/// Stands for the CPU, modulo 64, in the sets of CPUs that accessed something.
constexpr std::uint64_t cpu_bit(unsigned cpu) { return std::uint64_t{1} << (cpu % 64); }

/// Hits that have no address; `cpus` are those that made them.
struct BulkHits {
    std::uint64_t count = 0;
    std::uint64_t cpus = 0;

    void add(unsigned cpu, std::uint64_t n) {
        count += n;
        cpus |= cpu_bit(cpu);
    }
};

class BatchObserver : public AccessObserver {
public:
    void add(const BatchedAccess& a) {
        if (access_count_ == kSize) flush_batches();
        accesses_[access_count_++] = a;
    }
    void add(const BatchedTime& t) {
        if (time_count_ == kSize) flush_batches();
        times_[time_count_++] = t;
    }
    /// Pops and pushes of a function on the own stack.
    void add_stack_hits(unsigned cpu, FunctionId function, unsigned loads, unsigned stores) {
        if (function >= stack_.size()) stack_.resize(function + std::size_t{1});
        if (loads != 0) stack_[function].loads.add(cpu, loads);
        if (stores != 0) stack_[function].stores.add(cpu, stores);
    }

    BatchObserver* batch() final { return this; }
    void on_access(const AccessRecord& r) final {
        add(BatchedAccess{line_of(r.addr), AccessSite::of(r.field, r.function, r.kind, r.addr),
                          r.latency, static_cast<std::uint16_t>(r.cpu), r.source, r.miss});
    }
    void on_time(unsigned, FunctionId function, FunctionId caller, FieldId field,
                 unsigned component, Tick fs) final {
        if (component == static_cast<unsigned>(CpiComponent::kIdle)) return;
        add(BatchedTime{TimeSite::of(function, caller, field, component), fs});
    }

protected:
    static constexpr std::size_t kSize = 64;  // of a batch: both take a tenth of a host's L1D

    /// Takes what has come together; whoever looks at the sums calls it first.
    void flush() {
        flush_batches();
        for (std::size_t f = 0; f < stack_.size(); ++f) {
            const auto function = static_cast<FunctionId>(f);
            take(function, AccessKind::kLoad, stack_[f].loads);
            take(function, AccessKind::kStore, stack_[f].stores);
        }
        stack_.clear();
    }
    virtual void take(const BatchedAccess* first, std::size_t count) = 0;
    virtual void take(const BatchedTime* first, std::size_t count) = 0;
    /// Stack accesses of a function; none if the count is 0.
    virtual void take(FunctionId function, AccessKind kind, const BulkHits& hits) = 0;

private:
    void flush_batches() {
        take(accesses_.data(), access_count_);
        take(times_.data(), time_count_);
        access_count_ = time_count_ = 0;
    }

    std::size_t access_count_ = 0, time_count_ = 0;
    std::array<BatchedAccess, kSize> accesses_;
    std::array<BatchedTime, kSize> times_;
    struct Stack {
        BulkHits loads, stores;
    };
    std::vector<Stack> stack_;  // by function
};

}  // namespace linefill::model
