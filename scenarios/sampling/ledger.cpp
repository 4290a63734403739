// SPDX-License-Identifier: Apache-2.0
#include "scenarios/sampling/ledger.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernel/kernel.h"
#include "kernel/sched/sched.h"
#include "model/core/this_hw_thread.h"
#include "scenarios/user.h"

namespace linefill::scenarios {

using model::Event;
using model::kEventCount;
using model::Tick;

namespace {

/// Counted at every one of them, whatever is fast-forwarded.
constexpr std::array kSoftware = {Event::kInterrupts, Event::kContextSwitches,
                                  Event::kCpuMigrations, Event::kPageFaults};

bool is_software(std::size_t event) {
    return std::any_of(kSoftware.begin(), kSoftware.end(),
                       [&](Event e) { return static_cast<std::size_t>(e) == event; });
}

std::int64_t of(const SplitCounters& c, Event e) { return c.user[e] + c.kernel[e]; }

/// `events` of both modes, the parts of unhalted time left out: nobody asks for those by CPU.
void add_events(SplitCounters& to, const SplitCounters& from, bool software_only) {
    for (std::size_t i = 0; i < kEventCount; ++i) {
        if (software_only && !is_software(i)) continue;
        to.user.event[i] += from.user.event[i];
        to.kernel.event[i] += from.kernel.event[i];
    }
}

WorkerState state_of(const kernel::TaskStruct& task) {
    const auto* user = static_cast<const UserTask*>(task.user_data);
    return user == nullptr ? WorkerState::kOnce : user->worker().state;
}

/// Gives `total` out by weight. Each share is rounded so that all up to it are right, which makes
/// them sum to `total`.
class Dealer {
public:
    Dealer(std::int64_t total, double weights) : total_(total), weights_(weights) {}

    std::int64_t share(double weight) {
        if (weights_ <= 0) return 0;
        so_far_ += weight;
        // The last weight may miss the sum by a rounding error, never by half a count.
        const double part = std::min(so_far_ / weights_, 1.0);
        const std::int64_t upto = std::llround(static_cast<double>(total_) * part);
        return upto - std::exchange(given_, upto);
    }

private:
    std::int64_t total_;
    double weights_;
    double so_far_ = 0;
    std::int64_t given_ = 0;
};

}  // namespace

Ledger::Ledger(kernel::Kernel& kernel, Tick interval, bool full)
    : kernel_(kernel), interval_(interval), full_(full) {}

unsigned Ledger::interval_of(Tick at) const {
    if (interval_ == 0) return 0;
    return static_cast<unsigned>(std::max<Tick>(at - begin_, 0) / interval_);
}

unsigned Ledger::intervals() const {
    if (interval_ == 0) return 1;
    const Tick length = std::max<Tick>(end_ - begin_, 1);
    return static_cast<unsigned>((length + interval_ - 1) / interval_);
}

Ledger::Cell& Ledger::cell(Tick at, unsigned cpu, const kernel::TaskStruct& task) {
    return cells_[{interval_of(at), cpu, task.is_idle ? kIdle : task.host_pid}];
}

/// Calls `give(at, share so far)` for each interval that `over` touches, the share growing to 1.
template <class Give>
void Ledger::spread(const Stretch& over, const Give& give) {
    const Tick to = over.from + over.length;
    const unsigned last = interval_of(to > over.from ? to - 1 : to);
    for (unsigned i = interval_of(over.from); i < last; ++i) {
        const Tick cut = begin_ + interval_ * (static_cast<Tick>(i) + 1);
        give(cut - 1, static_cast<double>(cut - over.from) /
                          static_cast<double>(std::max<Tick>(to - over.from, 1)));
    }
    give(to > over.from ? to - 1 : to, 1.0);
}

void Ledger::look(const kernel::TaskStruct& task, Account& account) const {
    account.seen_call = account.seen_other = {};
    for (std::size_t b = 0; b < kernel::kCounterBanks; ++b) {
        const kernel::TaskCounters::Pair& bank = task.counters.bank[b];
        const bool is_call = b == static_cast<std::size_t>(kernel::CounterBank::kCall);
        (is_call ? account.seen_call : account.seen_other) += {bank.user, bank.kernel};
    }
}

void Ledger::note(const kernel::TaskStruct& task, Tick now) {
    Account& account = accounts_[&task];
    const SplitCounters seen_call = account.seen_call;
    const SplitCounters seen_other = account.seen_other;
    look(task, account);
    SplitCounters call = account.seen_call;
    call -= seen_call;
    SplitCounters other = account.seen_other;
    other -= seen_other;
    const Tick since = std::exchange(account.since, now);

    const bool whole = full_ || task.is_idle;
    SplitCounters exact;
    add_events(exact, call, !whole && state_of(task) != WorkerState::kOnce);
    add_events(exact, other, !whole);
    const auto interrupts =
        static_cast<double>(of(call, Event::kInterrupts) + of(other, Event::kInterrupts));
    const auto switches =
        static_cast<double>(of(call, Event::kContextSwitches) + of(other, Event::kContextSwitches));
    const Stretch over{account.cpu, since, std::max<Tick>(now - since, 0)};
    SplitCounters given;
    double given_share = 0;
    spread(over, [&](Tick at, double share) {
        Cell& c = cell(at, over.cpu, task);
        for (std::size_t i = 0; i < kEventCount; ++i) {
            const auto give = [&](std::int64_t all, std::int64_t& so_far, std::int64_t& to) {
                if (all == 0) return;
                const std::int64_t upto =
                    share < 1 ? std::llround(static_cast<double>(all) * share) : all;
                to += upto - std::exchange(so_far, upto);
            };
            give(exact.user.event[i], given.user.event[i], c.exact.user.event[i]);
            give(exact.kernel.event[i], given.kernel.event[i], c.exact.kernel.event[i]);
        }
        const double part = share - std::exchange(given_share, share);
        c.interrupts += interrupts * part;
        c.switches += switches * part;
    });
}

void Ledger::begin(Tick now) {
    begin_ = now;
    counts_ = true;
    for (unsigned cpu = 0; cpu < kernel_.cpus(); ++cpu) {
        Account& account = accounts_[&kernel_.idle_task(cpu)];
        look(kernel_.idle_task(cpu), account);
        account.cpu = cpu;
        account.since = now;
        accounts_[&kernel_.current_of(cpu)].cpu = cpu;
        accounts_[&kernel_.current_of(cpu)].since = now;
    }
}

void Ledger::end(Tick now) {
    for (unsigned cpu = 0; cpu < kernel_.cpus(); ++cpu) {
        if (&kernel_.current_of(cpu) == &kernel_.idle_task(cpu)) note(kernel_.idle_task(cpu), now);
    }
    end_ = now;
    counts_ = false;
}

void Ledger::close() {
    for (const auto& task : kernel_.tasks()) {
        // What it did after the end belongs to the last interval.
        Account& account = accounts_[task.get()];
        account.since = std::clamp(account.since, begin_, std::max(begin_, end_ - 1));
        note(*task, account.since);
    }
}

void Ledger::note() {
    if (counts_) note(kernel::current(), model::this_hw_thread().now());
}

void Ledger::switching(unsigned cpu, kernel::TaskStruct& prev, kernel::TaskStruct& next) {
    if (!counts_) return;
    const Tick now = model::this_hw_thread().now();
    note(prev, now);
    Account& account = accounts_[&next];
    account.cpu = cpu;
    account.since = now;
}

void Ledger::worked(std::size_t window, double units) {
    const model::HwThread& hw = model::this_hw_thread();
    cell(hw.now(), hw.cpu(), kernel::current()).work[window] += units;
}

void Ledger::worked(const kernel::TaskStruct& task, unsigned cpu, Tick from, Tick length,
                    std::size_t window, double units) {
    double given = 0;
    spread({cpu, from, length}, [&](Tick at, double share) {
        cell(at, cpu, task).work[window] += units * (share - std::exchange(given, share));
    });
}

void Ledger::owe(const kernel::TaskStruct& task, unsigned cpu, Tick from, Tick length) {
    if (length > 0) accounts_[&task].owed.push_back({cpu, from, length});
}

void Ledger::worked_owed(const kernel::TaskStruct& task, std::size_t window, double units) {
    const std::vector<Stretch> owed = std::exchange(accounts_[&task].owed, {});
    Tick all = 0;
    for (const Stretch& s : owed) all += s.length;
    if (all == 0) {
        worked(window, units);
        return;
    }
    for (const Stretch& s : owed) {
        worked(task, s.cpu, s.from, s.length, window,
               units * static_cast<double>(s.length) / static_cast<double>(all));
    }
}

std::vector<CountPart> Ledger::parts(const LedgerTotals& totals) const {
    std::vector<CountPart> parts;
    std::vector<const Cell*> cells;
    for (const auto& [key, cell] : cells_) {
        const auto& [interval, cpu, pid] = key;
        CountPart part;
        part.interval = std::min(interval, intervals() - 1);
        part.cpu = cpu;
        part.pid = pid == kIdle ? 0 : pid;
        part.counts = cell.exact;
        parts.push_back(part);
        cells.push_back(&cell);
    }
    if (full_) return parts;

    std::vector<double> weights(cells.size());
    /// Shares the events of one mode out by `weight(cell, event)`, or by `other` where all are 0.
    const auto deal = [&](const model::Counters& all, auto member, auto weight, auto other) {
        for (std::size_t event = 0; event < kEventCount; ++event) {
            if (all.event[event] == 0 || is_software(event)) continue;
            double sum = 0;
            const auto weigh = [&](auto by) {
                sum = 0;
                for (std::size_t i = 0; i < cells.size(); ++i) sum += weights[i] = by(i, event);
            };
            weigh(weight);
            if (sum <= 0) weigh(other);
            Dealer dealer(all.event[event], sum);
            for (std::size_t i = 0; i < cells.size(); ++i) {
                if (weights[i] > 0)
                    member(parts[i].counts).event[event] += dealer.share(weights[i]);
            }
        }
    };
    const auto user = [](SplitCounters& c) -> model::Counters& { return c.user; };
    const auto kernel = [](SplitCounters& c) -> model::Counters& { return c.kernel; };
    const auto all_work = [&](std::size_t i, std::size_t) {
        double units = 0;
        for (const auto& [window, n] : cells[i]->work) units += n;
        return units;
    };
    for (std::size_t w = 0; w < totals.windows->size(); ++w) {
        const WindowSample& window = (*totals.windows)[w];
        if (window.units <= 0) continue;
        const SplitCounters whole = scaled(window.counted, window.stands_for / window.units);
        const auto units = [&](std::size_t i) {
            const auto found = cells[i]->work.find(w);
            return found == cells[i]->work.end() ? 0.0 : found->second;
        };
        // At the cost that a unit had on that CPU, if one was measured there.
        const auto rate = [&](std::size_t i, std::size_t event, auto mode) {
            if (units(i) <= 0) return 0.0;
            const auto found = totals.by_cpu->find({w, parts[i].cpu});
            const bool own = found != totals.by_cpu->end() && found->second.units >= 1;
            const SplitCounters& counted = own ? found->second.counted : window.counted;
            const double n = own ? found->second.units : window.units;
            return units(i) * static_cast<double>(mode(counted).event[event]) / n;
        };
        const auto plain = [&](std::size_t i, std::size_t) { return units(i); };
        const auto of_user = [](const SplitCounters& c) -> const model::Counters& {
            return c.user;
        };
        const auto of_kernel = [](const SplitCounters& c) -> const model::Counters& {
            return c.kernel;
        };
        deal(
            whole.user, user, [&](std::size_t i, std::size_t e) { return rate(i, e, of_user); },
            plain);
        deal(
            whole.kernel, kernel,
            [&](std::size_t i, std::size_t e) { return rate(i, e, of_kernel); }, plain);
    }
    const auto deal_rated = [&](const RatedSample& s, double Cell::*number) {
        const SplitCounters whole = s.units > 0 ? scaled(s.counted, s.whole / s.units) : s.counted;
        const auto by_number = [&](std::size_t i, std::size_t) {
            return parts[i].pid == 0 ? 0.0 : cells[i]->*number;
        };
        deal(whole.user, user, by_number, all_work);
        deal(whole.kernel, kernel, by_number, all_work);
    };
    deal_rated(totals.interrupts, &Cell::interrupts);
    deal_rated(totals.switches, &Cell::switches);
    return parts;
}

}  // namespace linefill::scenarios
