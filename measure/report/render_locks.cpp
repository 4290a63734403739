// SPDX-License-Identifier: Apache-2.0
// report locks: who waited how long for which class of lock.
#include <algorithm>
#include <vector>

#include "measure/report/render.h"
#include "measure/report/sums.h"
#include "measure/report/table.h"
#include "measure/text_format.h"

namespace linefill::measure {
namespace {

using NamedLock = std::pair<std::string, LockRow>;

double wait_of(const std::vector<NamedLock>& locks) {
    double wait = 0;
    for (const auto& [name, lock] : locks) wait += lock.wait_ns;
    return wait;
}

double mean(double sum, std::uint64_t count) {
    return count == 0 ? percent_of(0, 0) : sum / static_cast<double>(count);
}

/// Where waiting happens, in words.
std::string verdict(const AttributionResult& r, const std::vector<NamedLock>& locks) {
    if (locks.empty()) return "No lock was taken.\n";
    const double wait = wait_of(locks);
    if (wait <= 0) return "Nobody waited for a lock.\n";
    std::string text = "Waiting happens at " + locks.front().first + ": " +
                       fixed(percent_of(locks.front().second.wait_ns, wait), 1) + " % of " +
                       fixed(r.per_unit(wait), 1) + " ns waited per unit";
    if (locks.size() > 1) {
        text += "; next " + locks[1].first + ", " +
                fixed(percent_of(locks[1].second.wait_ns, wait), 1) + " %";
    }
    return text + ".\n";
}

}  // namespace

std::string render_locks(const AttributionResult& r, const ReportOptions& options) {
    std::vector<NamedLock> locks(r.locks.begin(), r.locks.end());
    std::stable_sort(locks.begin(), locks.end(), [](const NamedLock& a, const NamedLock& b) {
        return a.second.wait_ns != b.second.wait_ns ? a.second.wait_ns > b.second.wait_ns
                                                    : a.second.acquire_ns > b.second.acquire_ns;
    });
    const double wait = wait_of(locks);
    Table table({{"lock", "lock", true},
                 {"instances", "instances"},
                 {"taken/unit", "acquisitions_per_unit"},
                 {"contended/unit", "contended_per_unit"},
                 {"contended %", "contended_pct"},
                 {"wait ns/unit", "wait_ns_per_unit"},
                 {"wait %", "wait_pct"},
                 {"mean wait ns", "mean_wait_ns"},
                 {"max", "max_wait_ns"},
                 {"mean acquire ns", "mean_acquire_ns"},
                 {"mean hold ns", "mean_hold_ns"},
                 {"max", "max_hold_ns"}});
    const std::size_t limit = options.limit == 0 ? locks.size() : options.limit;
    for (std::size_t i = 0; i < std::min(limit, locks.size()); ++i) {
        const auto& [name, l] = locks[i];
        const auto taken = static_cast<double>(l.acquisitions);
        const auto contended = static_cast<double>(l.contended);
        table.add({word(name), count(l.instances), number(r.per_unit(taken), 3),
                   number(r.per_unit(contended), 3), number(percent_of(contended, taken), 2),
                   number(r.per_unit(l.wait_ns), 1), number(percent_of(l.wait_ns, wait), 1),
                   number(mean(l.wait_ns, l.contended), 1), number(l.max_wait_ns, 1),
                   number(mean(l.acquire_ns, l.acquisitions), 1),
                   number(mean(l.hold_ns, l.acquisitions), 1), number(l.max_hold_ns, 1)});
    }
    if (options.format != "text") return data_text(table, options.format);
    std::string text =
        "Locks by class: " + scope_text(r) + "\n" + verdict(r, locks) + "\n" + table.text();
    if (limit < locks.size()) {
        text += std::to_string(locks.size() - limit) + " more classes with less waiting\n";
    }
    return text +
           "\nwait: first attempt to ownership of those that found the lock taken (contended);\n"
           "acquire: the same of all acquisitions, the transfer of the lock's line included;\n"
           "hold: ownership to the issue of the release.\n";
}

}  // namespace linefill::measure
