// SPDX-License-Identifier: Apache-2.0
// compare --explain: what moved between two sides. All time of a side is dealt out to rows, so that
// the differences of all rows add up to the difference of the cycles; what is left is said.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "measure/report/render.h"
#include "measure/report/sums.h"
#include "measure/report/table.h"
#include "measure/text_format.h"
#include "model/core/counters.h"

namespace linefill::measure {
namespace {

constexpr std::size_t kRowsShown = 15;
constexpr std::size_t kLocksShown = 6;
constexpr std::size_t kReasons = 3;       // in the sentence, in the direction of the change
constexpr std::size_t kAgainst = 2;       // and against it
constexpr double kWorthSaying = 0.05;     // of the change
constexpr double kSmallestShown = 0.05;   // cycles per unit: less prints as 0.0
constexpr double kSmallestChange = 1e-9;  // of the cycles: less than that is none

/// What a row's time was spent on.
enum class What { kField, kLock, kCode };

/// Field: its name and "". Lock: the field that was polled and "". Code: function and component.
struct Name {
    What what = What::kCode;
    std::string first, second;
    bool operator<(const Name& o) const {
        return std::tie(what, first, second) < std::tie(o.what, o.first, o.second);
    }
};

struct Row {
    Name name;
    double before = 0, after = 0;  ///< cycles per unit
    [[nodiscard]] double delta() const { return after - before; }
};

Name name_of(const TimeKey& key) {
    const auto& [function, caller, field, component] = key;
    if (field.empty() || !is_wait(component)) return {What::kCode, function, component};
    if (component == model::cpi_name(model::CpiComponent::kLockWait))
        return {What::kLock, field, ""};
    return {What::kField, field, ""};
}

/// Largest change first.
std::vector<Row> rows_of(const AttributionResult& before, const AttributionResult& after) {
    std::map<Name, Row> rows;
    for (const auto& [key, cycles] : before.time_cycles) {
        rows[name_of(key)].before += before.per_unit(cycles);
    }
    for (const auto& [key, cycles] : after.time_cycles) {
        rows[name_of(key)].after += after.per_unit(cycles);
    }
    std::vector<Row> sorted;
    for (auto& [name, row] : rows) {
        row.name = name;
        sorted.push_back(row);
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const Row& a, const Row& b) {
        return std::abs(a.delta()) > std::abs(b.delta());
    });
    return sorted;
}

std::string arrow(const std::string& before, const std::string& after) {
    return before == after ? before : before + " -> " + after;
}

std::string arrow(double before, double after, int decimals) {
    return number(before, decimals).text + " -> " + number(after, decimals).text;
}

std::string signed_text(double value, int decimals) {
    const std::string text = number(value, decimals).text;
    return value > 0 && text.find_first_not_of("0.") != std::string::npos ? '+' + text : text;
}

/// One side's accesses to a field, by kind.
class FieldAccesses {
    static constexpr auto kPrefetch = static_cast<std::size_t>(model::AccessKind::kPrefetch);

public:
    FieldAccesses(const AttributionResult& r, const std::string& field) : r_(r) {
        for (std::size_t kind = 0; kind < kAccessKinds; ++kind) {
            const auto found = r.fields.find({field, kind});
            if (found == r.fields.end()) continue;
            if (kind == kPrefetch) {
                is_prefetched_ = found->second.count != 0;
                continue;  // what it brings, it brings ahead of the access
            }
            kinds_[kind] = found->second;
            all_ += found->second;
        }
    }

    [[nodiscard]] double accesses() const { return r_.per_unit(static_cast<double>(all_.count)); }
    [[nodiscard]] double misses() const { return r_.per_unit(static_cast<double>(all_.misses())); }

    /// The kind that misses most, and whether prefetches help it.
    [[nodiscard]] std::string kind() const {
        std::size_t best = 0;
        for (std::size_t kind = 1; kind < kAccessKinds; ++kind) {
            const auto weight = [&](std::size_t k) {
                return std::pair(kinds_[k].misses(), kinds_[k].count);
            };
            if (weight(kind) > weight(best)) best = kind;
        }
        std::string text = kinds_[best].count == 0 ? "" : std::string(access_kind_name(best));
        if (is_prefetched_) text += text.empty() ? "prefetch" : "+prefetch";
        return text;
    }
    [[nodiscard]] std::string miss_class() const {
        return dominant(all_.by_miss, static_cast<std::size_t>(model::MissClass::kHit) + 1,
                        miss_class_name);
    }
    [[nodiscard]] std::string source() const {
        AccessStats misses = all_;
        for (const model::DataSource own : {model::DataSource::kL1, model::DataSource::kForward}) {
            misses.by_source[static_cast<std::size_t>(own)] = 0;
        }
        const std::string best = dominant(misses.by_source, 0, source_name);
        return best.empty() && all_.count != 0 ? "L1" : best;
    }
    [[nodiscard]] bool any() const { return all_.count != 0 || is_prefetched_; }

private:
    template <class Counts, class NameOf>
    static std::string dominant(const Counts& counts, std::size_t first, NameOf name_of) {
        const auto best =
            std::max_element(counts.begin() + static_cast<std::ptrdiff_t>(first), counts.end());
        if (*best == 0) return "";
        return std::string(name_of(static_cast<std::size_t>(best - counts.begin())));
    }

    const AttributionResult& r_;
    std::array<AccessStats, kAccessKinds> kinds_{};
    AccessStats all_;
    bool is_prefetched_ = false;
};

class Explanation {
public:
    explicit Explanation(const ExplainInput& input)
        : input_(input),
          before_(*input.baseline),
          after_(*input.patched),
          rows_(rows_of(before_, after_)),
          cycles_before_(before_.per_unit(before_.cycles)),
          cycles_after_(after_.per_unit(after_.cycles)) {}

    [[nodiscard]] std::string text() const {
        return title() + "\n" + sentence() + "\n" + table().text() + unexplained_line() + "\n" +
               locks();
    }

    [[nodiscard]] std::string markdown() const {
        return "### " + title() + "\n\n" + sentence() + "\n" + table().markdown() + "\n" +
               unexplained_line();
    }

    /// Every row, both sides in columns of their own; last what was counted, and what is left.
    [[nodiscard]] Table data() const {
        Table table({{"", "workload"},
                     {"", "baseline"},
                     {"", "patched"},
                     {"", "kind"},
                     {"", "name"},
                     {"", "component"},
                     {"", "line_baseline"},
                     {"", "line_patched"},
                     {"", "access_baseline"},
                     {"", "access_patched"},
                     {"", "miss_baseline"},
                     {"", "miss_patched"},
                     {"", "source_baseline"},
                     {"", "source_patched"},
                     {"", "accesses_baseline"},
                     {"", "accesses_patched"},
                     {"", "misses_baseline"},
                     {"", "misses_patched"},
                     {"", "cycles_baseline"},
                     {"", "cycles_patched"},
                     {"", "cycles_change"}});
        const auto add = [&](const char* kind, const Name& name, double before, double after) {
            std::vector<Cell> row = {word(input_.workload),     word(input_.baseline_name),
                                     word(input_.patched_name), word(kind),
                                     word(name.first),          word(name.second)};
            const bool is_access = name.what != What::kCode;
            const auto line = [&](const AttributionResult& r) {
                const long at = is_access ? line_in_structure(r, name.first) : -1;
                return at < 0 ? blank() : count(static_cast<std::uint64_t>(at));
            };
            const FieldAccesses b(before_, is_access ? name.first : "");
            const FieldAccesses a(after_, is_access ? name.first : "");
            const auto both = [&](auto of) {
                row.push_back(is_access && b.any() ? of(b) : word(""));
                row.push_back(is_access && a.any() ? of(a) : word(""));
            };
            const auto amounts = [&](auto of) {
                row.push_back(is_access ? number(of(b), 2) : blank());
                row.push_back(is_access ? number(of(a), 2) : blank());
            };
            row.push_back(line(before_));
            row.push_back(line(after_));
            both([](const FieldAccesses& f) { return word(f.kind()); });
            both([](const FieldAccesses& f) {
                const std::string miss = f.miss_class();
                return word(miss.empty() ? "hit" : miss);
            });
            both([](const FieldAccesses& f) { return word(f.source()); });
            amounts([](const FieldAccesses& f) { return f.accesses(); });
            amounts([](const FieldAccesses& f) { return f.misses(); });
            for (const double value : {before, after, after - before}) {
                row.push_back(number(value, 2));
            }
            table.add(std::move(row));
        };
        double seen_before = 0;
        double seen_after = 0;
        for (const Row& row : rows_) {
            const char* kind = row.name.what == What::kField  ? "field"
                               : row.name.what == What::kLock ? "lock"
                                                              : "function";
            add(kind, row.name, row.before, row.after);
            seen_before += row.before;
            seen_after += row.after;
        }
        const Name none;
        add("cycles", none, cycles_before_, cycles_after_);
        add("unexplained", none, cycles_before_ - seen_before, cycles_after_ - seen_after);
        return table;
    }

private:
    [[nodiscard]] std::string title() const {
        return "Why " + input_.workload + " moved, " + input_.baseline_name + " -> " +
               input_.patched_name;
    }
    [[nodiscard]] double change() const { return cycles_after_ - cycles_before_; }
    [[nodiscard]] bool has_changed() const {
        return std::abs(change()) > kSmallestChange * cycles_before_;
    }

    [[nodiscard]] std::string place(const std::string& field) const {
        const long before = line_in_structure(before_, field);
        const long after = line_in_structure(after_, field);
        if (before < 0 && after < 0) return "";
        if (before < 0 || after < 0 || before == after) {
            return std::to_string(std::max(before, after));
        }
        return arrow(std::to_string(before), std::to_string(after));
    }

    [[nodiscard]] std::string reason(const Row& row) const {
        const bool less = row.delta() < 0;
        switch (row.name.what) {
            case What::kField: {
                const std::string line = place(row.name.first);
                return (less ? "no longer waited for " : "waited in addition for ") +
                       row.name.first + (line.empty() ? "" : " (line " + line + ")");
            }
            case What::kLock:
                return (less ? "no longer spent polling " : "spent polling in addition ") +
                       row.name.first;
            case What::kCode:
                break;
        }
        return (less ? "fewer in " : "more in ") + row.name.first + " (" + row.name.second + ")";
    }

    /// Up to `most` rows that move the cycles by `sign`, in words.
    [[nodiscard]] std::vector<std::string> reasons(double sign, std::size_t most) const {
        std::vector<std::string> result;
        for (const Row& row : rows_) {
            if (result.size() == most) break;
            if (sign * row.delta() < kWorthSaying * std::abs(change())) continue;
            const bool first = result.empty();
            result.push_back(number(std::abs(row.delta()), 1).text + (first ? " of them " : " ") +
                             reason(row));
        }
        return result;
    }

    [[nodiscard]] std::string sentence() const {
        const std::string cycles = arrow(cycles_before_, cycles_after_, 1);
        if (!has_changed()) return "Cycles per unit of work did not move (" + cycles + ").\n";
        const double sign = change() < 0 ? -1 : 1;
        std::string text = number(std::abs(change()), 1).text + " cycles per unit of work " +
                           (change() < 0 ? "less" : "more") + " (" + cycles + ", " +
                           signed_text(percent_of(change(), cycles_before_), 2) + " %)";
        std::string joined;
        for (const std::string& r : reasons(sign, kReasons))
            joined += (joined.empty() ? ": " : ", ") + r;
        text += joined;
        std::string against;
        for (std::string r : reasons(-sign, kAgainst)) {
            const std::size_t of_them = r.find(" of them");
            if (of_them != std::string::npos) r.erase(of_them, std::string_view(" of them").size());
            against += (against.empty() ? "; against that, " : ", ") + r;
        }
        return text + against + ".\n";
    }

    [[nodiscard]] std::vector<Cell> cells(const Row& row) const {
        std::vector<std::string> texts;
        const Name& name = row.name;
        if (name.what == What::kCode) {
            texts = {name.first + ": " + name.second, "", "", "", "", "", ""};
        } else {
            const FieldAccesses before(before_, name.first);
            const FieldAccesses after(after_, name.first);
            // Of a side that never touches the field there is nothing to say.
            const auto both = [&](const std::string& b, const std::string& a) {
                if (!before.any()) return a;
                return after.any() ? arrow(b, a) : b;
            };
            const auto named = [](const std::string& text) { return text.empty() ? "hit" : text; };
            texts = {(name.what == What::kLock ? "polling " : "") + name.first,
                     place(name.first),
                     both(before.kind(), after.kind()),
                     both(named(before.miss_class()), named(after.miss_class())),
                     both(before.source(), after.source()),
                     arrow(before.accesses(), after.accesses(), 2),
                     arrow(before.misses(), after.misses(), 3)};
        }
        texts.push_back(arrow(row.before, row.after, 1));
        texts.push_back(signed_text(row.delta(), 1));
        std::vector<Cell> result;
        for (const std::string& text : texts) result.push_back(word(text));
        return result;
    }

    [[nodiscard]] Table table() const {
        Table table({{"what", "", true},
                     {"line", "", true},
                     {"access", "", true},
                     {"miss", "", true},
                     {"data from", "", true},
                     {"accesses/unit", ""},
                     {"misses/unit", ""},
                     {"cycles/unit", ""},
                     {"change", ""}});
        const auto add_sum = [&](const std::string& name, double before, double after) {
            const Cell none = word("");
            table.add({word(name), none, none, none, none, none, none,
                       word(arrow(before, after, 1)), word(signed_text(after - before, 1))});
        };
        Row rest;
        std::size_t smaller = 0;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const Row& row = rows_[i];
            if (i < kRowsShown && std::abs(row.delta()) >= kSmallestShown) {
                table.add(cells(row));
            } else {
                ++smaller;
                rest.before += row.before;
                rest.after += row.after;
            }
        }
        if (smaller > 0) {
            add_sum(std::to_string(smaller) + " smaller rows together", rest.before, rest.after);
        }
        table.rule();
        add_sum("cycles counted", cycles_before_, cycles_after_);
        return table;
    }

    [[nodiscard]] std::string unexplained_line() const {
        double seen = 0;
        for (const Row& row : rows_) seen += row.delta();
        const double left = change() - seen;
        std::string text = "left unexplained: " + signed_text(left, 2) + " cycles per unit";
        if (has_changed()) {
            text += ", " + fixed(std::abs(percent_of(left, change())), 2) + " % of the change";
        }
        return text + "\n";
    }

    /// The lock's own statistics; their time is part of the rows above.
    [[nodiscard]] std::string locks() const {
        struct LockChange {
            std::string name;
            LockRow before, after;
            double moved = 0;
        };
        std::map<std::string, LockChange> by_name;
        for (const auto& [name, lock] : before_.locks) by_name[name].before = lock;
        for (const auto& [name, lock] : after_.locks) by_name[name].after = lock;
        std::vector<LockChange> changes;
        for (auto& [name, c] : by_name) {
            c.name = name;
            c.moved = after_.per_unit(c.after.wait_ns) - before_.per_unit(c.before.wait_ns);
            if (c.before.contended != 0 || c.after.contended != 0) changes.push_back(c);
        }
        if (changes.empty()) return "Nobody waited for a lock.\n";
        std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) {
            return std::abs(a.moved) > std::abs(b.moved);
        });
        if (changes.size() > kLocksShown) changes.resize(kLocksShown);
        Table table({{"waiting for locks (contained above)", "", true},
                     {"taken/unit", ""},
                     {"contended %", ""},
                     {"wait ns/unit", ""},
                     {"change", ""},
                     {"mean hold ns", ""}});
        const auto real = [](std::uint64_t n) { return static_cast<double>(n); };
        const auto hold = [&](const LockRow& l) {
            return l.acquisitions == 0 ? percent_of(0, 0) : l.hold_ns / real(l.acquisitions);
        };
        for (const LockChange& c : changes) {
            table.add(
                {word(c.name),
                 word(arrow(before_.per_unit(real(c.before.acquisitions)),
                            after_.per_unit(real(c.after.acquisitions)), 3)),
                 word(arrow(percent_of(real(c.before.contended), real(c.before.acquisitions)),
                            percent_of(real(c.after.contended), real(c.after.acquisitions)), 2)),
                 word(arrow(before_.per_unit(c.before.wait_ns), after_.per_unit(c.after.wait_ns),
                            1)),
                 word(signed_text(c.moved, 1)), word(arrow(hold(c.before), hold(c.after), 1))});
        }
        return table.text() + "\n";
    }

    const ExplainInput& input_;
    const AttributionResult& before_;
    const AttributionResult& after_;
    std::vector<Row> rows_;
    double cycles_before_;
    double cycles_after_;
};

}  // namespace

std::string explain_change(const ExplainInput& input, ExplainFormat format) {
    const Explanation explanation(input);
    switch (format) {
        case ExplainFormat::kText:
            break;
        case ExplainFormat::kCsv:
            return explanation.data().csv();
        case ExplainFormat::kCsvRows:
            return explanation.data().csv_rows();
        case ExplainFormat::kJson:
            return explanation.data().json(2);
        case ExplainFormat::kMarkdown:
            return explanation.markdown();
    }
    return explanation.text();
}

}  // namespace linefill::measure
