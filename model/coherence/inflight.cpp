// SPDX-License-Identifier: Apache-2.0
#include "model/coherence/inflight.h"

#include <cassert>

namespace linefill::model {

namespace {
constexpr Addr kEmpty = ~Addr{0};

std::size_t hash_of(Addr line) {
    return static_cast<std::size_t>(line * 0x9e3779b97f4a7c15ULL >> 20);
}
}  // namespace

InFlightTable::InFlightTable(Scheduler& scheduler, const Config& config)
    : scheduler_(scheduler), config_(config), table_(1024) {}

InFlightTable::Entry* InFlightTable::find(Addr line) {
    const std::size_t mask = table_.size() - 1;
    for (std::size_t i = hash_of(line) & mask;; i = (i + 1) & mask) {
        if (table_[i].line == line) return &table_[i];
        if (table_[i].line == kEmpty) return nullptr;
    }
}

const InFlightTable::Entry* InFlightTable::find(Addr line) const {
    return const_cast<InFlightTable*>(this)->find(line);
}

void InFlightTable::grow() {
    // Entries whose time has passed and that nobody waits for are dropped here, and only here.
    std::vector<Entry> old;
    old.swap(table_);
    std::size_t live = 0;
    const Tick now = scheduler_.now();
    for (const Entry& e : old) {
        if (e.line != kEmpty && (e.head != nullptr || e.free_at > now)) ++live;
    }
    std::size_t size = 1024;
    while (size < 4 * live) size *= 2;
    table_.assign(size, Entry{});
    used_ = 0;
    for (const Entry& e : old) {
        if (e.line != kEmpty && (e.head != nullptr || e.free_at > now)) {
            const std::size_t mask = table_.size() - 1;
            std::size_t i = hash_of(e.line) & mask;
            while (table_[i].line != kEmpty) i = (i + 1) & mask;
            table_[i] = e;
            ++used_;
        }
    }
}

InFlightTable::Entry& InFlightTable::insert(Addr line, Tick) {
    if (2 * (used_ + 1) > table_.size()) grow();
    const std::size_t mask = table_.size() - 1;
    std::size_t i = hash_of(line) & mask;
    while (table_[i].line != kEmpty) i = (i + 1) & mask;
    table_[i] = Entry{};
    table_[i].line = line;
    ++used_;
    return table_[i];
}

bool InFlightTable::begin(Addr line, LineRequester& who, Tick at) {
    if (!config_.enabled && used_ == 0) return true;
    Entry* e = find(line);
    if (who.granted_) {
        assert(e != nullptr && e->head == &who);
        who.granted_ = false;
        e->head = who.next_in_line_;
        if (e->head == nullptr) e->tail = nullptr;
        who.next_in_line_ = nullptr;
        --waiting_;
        return true;
    }
    if (e == nullptr || (e->free_at <= at && e->head == nullptr)) return true;
    who.next_in_line_ = nullptr;
    ++waiting_;
    if (e->head == nullptr) {
        e->head = e->tail = &who;
        grant_next(*e);
    } else {
        e->tail->next_in_line_ = &who;
        e->tail = &who;
    }
    return false;
}

void InFlightTable::grant_next(Entry& e) {
    if (e.free_at == kNever) return;  // nobody knows yet: the holder will say
    LineRequester& next = *e.head;
    Tick start = e.free_at;
    // Inside a socket the LLC slice hands over by itself. Between sockets the completed transaction is
    // acknowledged to the home agent first, which then forwards the waiting request.
    if (next.requester_socket != e.owner_socket) {
        start += e.home_is_far ? config_.remote_ack_far : config_.remote_ack;
    }
    next.granted_ = true;
    scheduler_.schedule(next, start);
}

void InFlightTable::hold(Addr line, Tick until, unsigned owner_socket, bool home_is_far) {
    Entry* e = find(line);
    if (!config_.enabled && until != kNever) {
        if (e == nullptr) return;
        until = 0;
    }
    if (e == nullptr) e = &insert(line, until);
    e->free_at = until;
    e->owner_socket = owner_socket;
    e->home_is_far = home_is_far;
    if (e->head != nullptr) grant_next(*e);
}

void InFlightTable::leave(Addr line, LineRequester& who, Tick at) {
    if (!begin(line, who, at)) return;
    Entry* e = find(line);
    if (e == nullptr) return;
    e->free_at = at;
    if (e->head != nullptr) grant_next(*e);
}

void InFlightTable::extend(Addr line, Tick until) {
    if (!config_.enabled) return;
    Entry* e = find(line);
    if (e == nullptr || e->free_at >= until) return;
    e->free_at = until;
    if (e->head != nullptr) grant_next(*e);
}

bool InFlightTable::busy(Addr line, Tick at) const {
    const Entry* e = find(line);
    return e != nullptr && (e->free_at > at || e->head != nullptr);
}

}  // namespace linefill::model
