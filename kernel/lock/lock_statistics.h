// SPDX-License-Identifier: Apache-2.0
// Sums of waits and holds per lock, for `report locks` and tests.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernel/lock/lock_observer.h"
#include "model/sim/flat_table.h"

namespace linefill::kernel {

struct LockTotals {
    std::uint64_t acquisitions = 0;
    std::uint64_t contended = 0;     ///< first attempt failed
    model::Tick contended_wait = 0;  ///< of those
    model::Tick max_wait = 0;        ///< longest of those
    model::Tick acquire = 0;         ///< first attempt to ownership, all acquisitions
    model::Tick hold = 0;
    model::Tick max_hold = 0;
    LockTotals& operator+=(const LockTotals& o);
};

class LockStatistics final : public LockObserver {
public:
    /// By class and instance.
    using Key = std::pair<model::FieldId, std::uint32_t>;

    void on_acquire(const LockAcquisition& a) override;
    void on_release(model::FieldId field, std::uint32_t instance, unsigned cpu,
                    model::Tick held) override;

    [[nodiscard]] std::map<Key, LockTotals> locks() const;
    /// Sum over the instances of a class; zeros if it was never taken.
    [[nodiscard]] LockTotals of_class(model::FieldId field) const;

    struct Row {
        std::string name;  ///< "task_struct.pi_lock"
        std::size_t instances = 0;
        LockTotals totals;
    };
    /// One row per class, longest total contended wait first, names break ties.
    [[nodiscard]] std::vector<Row> by_class() const;
    void clear() { locks_ = {}; }

private:
    struct Lock {
        model::FieldId field = model::kNoField;
        std::uint32_t instance = ~std::uint32_t{0};

        [[nodiscard]] std::size_t hash() const { return model::mix(field, instance); }
        [[nodiscard]] bool is_free() const { return *this == Lock(); }
        bool operator==(const Lock& o) const { return field == o.field && instance == o.instance; }
        bool operator<(const Lock& o) const {
            return field != o.field ? field < o.field : instance < o.instance;
        }
    };
    model::FlatTable<Lock, LockTotals> locks_;
};

}  // namespace linefill::kernel
