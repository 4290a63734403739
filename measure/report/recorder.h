// SPDX-License-Identifier: Apache-2.0
// Watches one run: sums every access and all time by function, field and line while it goes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernel/layout/layout.h"
#include "kernel/lock/lock_statistics.h"
#include "measure/report/attribution.h"
#include "measure/report/report.h"
#include "model/core/access_batch.h"
#include "model/sim/flat_table.h"

namespace linefill::measure {

/// On the hot path are three tables and no names: hits, which are most accesses, touch 32 bytes; all
/// that a report shows is summed from them at the end.
class Recorder final : public AttributionRecorder, private model::BatchObserver {
public:
    explicit Recorder(kernel::Layout layout) : layout_(std::move(layout)) {}

    model::AccessObserver* accesses() override { return this; }
    kernel::LockObserver* locks() override { return &now_.locks; }
    void begin_window() override;
    std::string finish(const scenarios::ScenarioResult& result) override;

    /// The sums of the window seen last, unweighted; `cycles_per_fs` turns time into cycles.
    [[nodiscard]] AttributionResult sums(double cycles_per_fs);

private:
    void take(const model::BatchedAccess* first, std::size_t count) override;
    void take(const model::BatchedTime* first, std::size_t count) override;
    void take(model::FunctionId function, model::AccessKind kind,
              const model::BulkHits& hits) override;
    void on_bulk_hits(unsigned cpu, model::FunctionId function, model::FieldId field,
                      model::AccessKind kind, std::uint64_t count) override;
    void on_snoop(model::Addr line, unsigned from_core, unsigned to_core, bool invalidate,
                  bool was_dirty, model::FieldId by_field) override;

    /// What an access is told apart by.
    struct Site {
        model::Addr line = kNoLine;
        model::AccessSite rest = {kNowhere};

        [[nodiscard]] std::size_t hash() const { return model::mix(line, rest.bits); }
        [[nodiscard]] bool is_free() const { return rest.bits == kNowhere; }
        bool operator==(const Site& o) const { return line == o.line && rest.bits == o.rest.bits; }
        bool operator<(const Site& o) const {
            return line != o.line ? line < o.line : rest.bits < o.rest.bits;
        }
    };
    static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
    static constexpr model::Addr kNoLine = ~model::Addr{0};  ///< of accesses counted in bulk
    struct Others {
        std::array<std::uint32_t, kSources> by_source{};
        std::array<std::uint32_t, kMissClasses> by_miss{};
        model::Tick latency = 0;
        std::uint64_t cpus = 0;
    };
    struct Spender {
        model::TimeSite site = {kNowhere};

        [[nodiscard]] std::size_t hash() const { return model::mix(site.bits, 0); }
        [[nodiscard]] bool is_free() const { return site.bits == kNowhere; }
        bool operator==(const Spender& o) const { return site.bits == o.site.bits; }
        bool operator<(const Spender& o) const { return site.bits < o.site.bits; }
    };

    /// What is seen of one window.
    struct Seen {
        model::FlatTable<Site, model::BulkHits> hits;  ///< served by the own L1D
        model::FlatTable<Site, Others> others;         ///< all others
        model::FlatTable<Spender, model::Tick> time;
        kernel::LockStatistics locks;
    };

    [[nodiscard]] static AccessStats stats_of(const Others& o);
    static void add_access(AttributionResult& out, const Site& site, const AccessStats& stats);
    static void add_accesses(AttributionResult& out, const Seen& seen);
    static void add_places(AttributionResult& out);
    static void keep_busiest_lines(AttributionResult& out);
    static void add_time(AttributionResult& out, const Seen& seen, double cycles_per_fs);
    static void add_locks(AttributionResult& out, const Seen& seen);
    void add_pahole(AttributionResult& out) const;
    [[nodiscard]] static AttributionResult sums_of(const Seen& seen, double cycles_per_fs);
    void complete(AttributionResult& out) const;

    kernel::Layout layout_;
    Seen now_;
    std::vector<Seen> past_;  ///< earlier windows
    bool any_window_ = false;
};

}  // namespace linefill::measure
