// SPDX-License-Identifier: Apache-2.0
// Adds up what locks report.
#include "kernel/lock/lock_statistics.h"

#include <algorithm>

#include "kernel/base/registry.h"

namespace linefill::kernel {

LockTotals& LockTotals::operator+=(const LockTotals& o) {
    acquisitions += o.acquisitions;
    contended += o.contended;
    contended_wait += o.contended_wait;
    max_wait = std::max(max_wait, o.max_wait);
    acquire += o.acquire;
    hold += o.hold;
    max_hold = std::max(max_hold, o.max_hold);
    return *this;
}

std::map<LockStatistics::Key, LockTotals> LockStatistics::locks() const {
    std::map<Key, LockTotals> all;
    for (const auto& [lock, totals] : locks_.sorted()) all[{lock.field, lock.instance}] = *totals;
    return all;
}

void LockStatistics::on_acquire(const LockAcquisition& a) {
    LockTotals& t = locks_[{a.field, a.instance}];
    ++t.acquisitions;
    t.acquire += a.wait;
    if (!a.contended) return;
    ++t.contended;
    t.contended_wait += a.wait;
    t.max_wait = std::max(t.max_wait, a.wait);
}

void LockStatistics::on_release(model::FieldId field, std::uint32_t instance, unsigned /*cpu*/,
                                model::Tick held) {
    LockTotals& t = locks_[{field, instance}];
    t.hold += held;
    t.max_hold = std::max(t.max_hold, held);
}

LockTotals LockStatistics::of_class(model::FieldId field) const {
    LockTotals sum;
    for (const auto& [lock, totals] : locks_.sorted()) {
        if (lock.field == field) sum += *totals;
    }
    return sum;
}

std::vector<LockStatistics::Row> LockStatistics::by_class() const {
    std::vector<Row> rows;
    const auto all = locks_.sorted();
    for (auto at = all.begin(); at != all.end();) {
        const model::FieldId field = at->first.field;
        const FieldInfo& info = FieldRegistry::instance().info(field);
        Row row{info.structure + "." + info.field, 0, {}};
        for (; at != all.end() && at->first.field == field; ++at) {
            ++row.instances;
            row.totals += *at->second;
        }
        rows.push_back(row);
    }
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
        return a.totals.contended_wait != b.totals.contended_wait
                   ? a.totals.contended_wait > b.totals.contended_wait
                   : a.name < b.name;
    });
    return rows;
}

}  // namespace linefill::kernel
