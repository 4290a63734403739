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
#include "model/sim/flat_table.h"

namespace linefill::measure {

/// On the hot path are two tables and no names: hits, which are most accesses, touch 48 bytes; all
/// that a report shows is summed from them at the end.
class Recorder final : public AttributionRecorder, private model::AccessObserver {
public:
    explicit Recorder(kernel::Layout layout) : layout_(std::move(layout)) {}

    model::AccessObserver* accesses() override { return this; }
    kernel::LockObserver* locks() override { return &now_.locks; }
    void begin_window() override;
    std::string finish(const scenarios::ScenarioResult& result) override;

    /// The sums of the window seen last, unweighted; `cycles_per_fs` turns time into cycles.
    [[nodiscard]] AttributionResult sums(double cycles_per_fs) const;

private:
    void on_access(const model::AccessRecord& r) override;
    void on_bulk_hits(unsigned cpu, model::FunctionId function, model::FieldId field,
                      model::AccessKind kind, std::uint64_t count) override;
    void on_time(unsigned cpu, model::FunctionId function, model::FunctionId caller,
                 model::FieldId field, unsigned component, model::Tick fs) override;
    void on_snoop(model::Addr line, unsigned from_core, unsigned to_core, bool invalidate,
                  bool was_dirty, model::FieldId by_field) override;

    /// What an access is told apart by.
    struct Site {
        model::Addr line = kNoLine;
        model::FieldId field = model::kNoField;
        model::FunctionId function = model::kNoFunction;
        std::uint8_t kind = kNoKind;
        std::uint8_t offset = 0;  ///< in the line

        [[nodiscard]] std::uint64_t rest() const {
            return std::uint64_t{field} << 32U | std::uint64_t{function} << 16U |
                   std::uint64_t{kind} << 8U | offset;
        }
        [[nodiscard]] std::size_t hash() const { return model::mix(line, rest()); }
        [[nodiscard]] bool is_free() const { return kind == kNoKind; }
        bool operator==(const Site& o) const { return line == o.line && rest() == o.rest(); }
        bool operator<(const Site& o) const {
            return line != o.line ? line < o.line : rest() < o.rest();
        }
    };
    static constexpr std::uint8_t kNoKind = 0xff;
    static constexpr model::Addr kNoLine = ~model::Addr{0};  ///< of accesses counted in bulk

    struct Hits {
        std::uint64_t count = 0;
        std::uint64_t cpus = 0;
    };
    struct Others {
        std::array<std::uint32_t, kSources> by_source{};
        std::array<std::uint32_t, kMissClasses> by_miss{};
        model::Tick latency = 0;
        std::uint64_t cpus = 0;
    };
    struct Spender {
        std::uint64_t bits = ~std::uint64_t{0};  ///< function, caller, field, component

        [[nodiscard]] std::size_t hash() const { return model::mix(bits, 0); }
        [[nodiscard]] bool is_free() const { return bits == ~std::uint64_t{0}; }
        bool operator==(const Spender& o) const { return bits == o.bits; }
        bool operator<(const Spender& o) const { return bits < o.bits; }
    };

    /// What is seen of one window.
    struct Seen {
        model::FlatTable<Site, Hits> hits;      ///< served by the own L1D
        model::FlatTable<Site, Others> others;  ///< all others
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
