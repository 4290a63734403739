// SPDX-License-Identifier: Apache-2.0
#include "model/coherence/llc.h"

#include <algorithm>
#include <cassert>
#include <string>

namespace linefill::model {

Llc::Llc(unsigned socket, unsigned cores_per_socket, const CacheConfig& config, std::uint64_t seed,
         Addr node_bytes)
    : socket_(socket),
      cores_(cores_per_socket),
      node_bytes_(node_bytes),
      array_(config, seed),
      random_(seed, "requests of socket " + std::to_string(socket)),
      request_spread_(0, random_) {}

void Llc::request(CoherentTransaction& t) {
    if (t.awaits_memory) {
        finish_awaited(t);
        return;
    }
    const Tick at_slice = t.at + (t.from_queue ? 0 : request_spread_.around(timing_.request_leg));
    t.snoop_at = at_slice;
    const std::size_t slot = array_.find(t.line);
    if (slot == CacheArray<LlcLine>::kMiss) {
        serve_miss(t, at_slice);
        return;
    }
    array_.touch(slot);
    LlcLine& e = array_.meta(slot);
    if (wants_ownership(t.kind)) {
        serve_ownership(t, e, at_slice);
    } else {
        serve_hit(t, e, at_slice);
    }
}

void Llc::serve_hit(CoherentTransaction& t, LlcLine& e, Tick at_slice) {
    const int self = static_cast<int>(local(t.core));
    t.source = DataSource::kLlc;
    Tick ready = at_slice;
    // Those who wait for a line that was just written are served one after the other. A reader that
    // met nobody keeps nobody waiting.
    t.hold = t.from_queue;
    if (e.owner >= 0 && e.owner != self) {
        const SnoopTransaction s = downgrade_owner(e, t.line, at_slice, t.core, t.field);
        t.source = s.dirty ? DataSource::kSameSocketDirty : DataSource::kSameSocketClean;
        ready = s.answer_at;
        t.hold = true;
    }
    const bool sole = (e.core_valid & ~bit(t.core)) == 0;
    const bool may_own =
        sole && (e.state == SocketState::kExclusive || e.state == SocketState::kModified);
    t.grant =
        may_own && t.kind != RequestKind::kCodeRead ? LineState::kExclusive : LineState::kShared;
    e.owner = t.grant == LineState::kExclusive ? static_cast<std::int8_t>(self) : std::int8_t{-1};
    e.core_valid |= bit(t.core);
    t.token = e.token;
    t.done_at = ready + timing_.fill_leg;
    t.hold_until = t.done_at;
}

void Llc::serve_ownership(CoherentTransaction& t, LlcLine& e, Tick at_slice) {
    const std::uint64_t others = e.core_valid & ~bit(t.core);
    Tick ready = at_slice;
    t.source = t.has_shared_copy ? DataSource::kUpgrade : DataSource::kLlc;
    if (others != 0) {
        const SnoopTransaction s =
            invalidate_cores(e, t.line, others, at_slice, t.core, t.field, false);
        ready = s.answer_at;
        if (!t.has_shared_copy) {
            t.source = s.dirty ? DataSource::kSameSocketDirty : DataSource::kSameSocketClean;
        }
    }
    const unsigned home = home_of(t.line);
    Tick hold = 0;
    if (e.state == SocketState::kShared || e.state == SocketState::kForward) {
        // Other sockets may share it: the data is here, the right to write it is not.
        Tick unused = 0;
        const PeerTransaction p =
            snoop_peers(t.line, true, at_slice, t.from_queue, home, t.core, t.field, unused);
        // The peer answers to the home agent, which completes the request.
        Tick at_home = p.answer_at;
        if (!wiring_.links.empty()) {
            const Tick hop = timing_.link;
            at_home += (home == socket_ ? hop : 0) + timing_.home_processing;
            at_home += home == socket_ ? 0 : hop;
        }
        ready = std::max(ready, at_home);
        hold = ready;
        if (p.had_copy) {
            t.source =
                t.has_shared_copy ? DataSource::kUpgradeRemote : DataSource::kOtherSocketClean;
        }
    }
    e.state = SocketState::kModified;
    e.owner = static_cast<std::int8_t>(local(t.core));
    e.core_valid = bit(t.core);
    t.grant = LineState::kModified;
    t.token = e.token;
    t.done_at = ready + timing_.fill_leg;
    t.hold_until = std::max(t.done_at, hold);
}

void Llc::serve_miss(CoherentTransaction& t, Tick at_slice) {
    const unsigned home = home_of(t.line);
    const bool own = wants_ownership(t.kind);
    Tick data_here = 0;
    PeerTransaction p;
    const bool peers = wiring_.peers.size() > 1;
    if (peers) {
        p = snoop_peers(t.line, own, at_slice, t.from_queue, home, t.core, t.field, data_here);
    }
    if (p.forwards) {
        LlcLine& e = install(t.line, at_slice);
        t.source = p.dirty ? DataSource::kOtherSocketDirty : DataSource::kOtherSocketClean;
        e.token = p.token;
        finish_across(t, p, home, data_here);
        if (p.dirty && !own) write_memory(t.line, p.token, p.answer_at);
        grant(t, e, p.had_copy);
        return;
    }
    t.peer_had_copy = p.had_copy;
    // The home agent waits for the peer's answer before it completes.
    t.peer_answered = peers ? p.answer_at + (home == socket_ ? timing_.link : 0) : 0;
    const bool later = wiring_.memory[home]->answers_later();
    // Until memory has answered the line is nowhere: it is held in flight.
    LlcLine* e = later ? nullptr : &install(t.line, at_slice);
    Tick start = at_slice;
    if (home != socket_ && !t.from_queue) {
        start = wiring_.links[home]->send(at_slice, 0);  // goes out with the snoop
    }
    const Tick ready = read_memory(t.line, home, start + timing_.home_processing, t.requester);
    if (later) {
        t.awaits_memory = true;
    } else {
        finish_from_memory(t, *e, ready);
    }
}

void Llc::finish_awaited(CoherentTransaction& t) {
    assert(array_.find(t.line) == CacheArray<LlcLine>::kMiss && "the line was held in flight");
    t.awaits_memory = false;
    finish_from_memory(t, install(t.line, t.memory_answered), t.memory_answered);
}

void Llc::finish_from_memory(CoherentTransaction& t, LlcLine& e, Tick ready) {
    const unsigned home = home_of(t.line);
    t.source = home == socket_ ? DataSource::kDramLocal : DataSource::kDramRemote;
    ready = std::max(ready, t.peer_answered);
    if (home != socket_) ready = wiring_.links_back[home]->send(ready, Link::kDataBytes);
    if (memory_tokens_ != nullptr) {
        const auto found = memory_tokens_->find(t.line);
        e.token = found == memory_tokens_->end() ? 0 : found->second;
    }
    t.done_at = ready + timing_.fill_leg;
    t.hold_until = t.done_at;
    grant(t, e, t.peer_had_copy);
}

void Llc::grant(CoherentTransaction& t, LlcLine& e, bool peer_had_copy) {
    t.token = e.token;
    e.core_valid = bit(t.core);
    if (wants_ownership(t.kind)) {
        e.state = SocketState::kModified;
        e.owner = static_cast<std::int8_t>(local(t.core));
        t.grant = LineState::kModified;
    } else if (peer_had_copy) {
        e.state = SocketState::kForward;
        t.grant = LineState::kShared;
    } else {
        e.state = SocketState::kExclusive;
        if (t.kind == RequestKind::kCodeRead) {
            t.grant = LineState::kShared;
        } else {
            t.grant = LineState::kExclusive;
            e.owner = static_cast<std::int8_t>(local(t.core));
        }
    }
}

void Llc::finish_across(CoherentTransaction& t, const PeerTransaction& p, unsigned home,
                        Tick data_here) {
    // Data comes straight from the peer; the peer also tells the home agent, which completes.
    const unsigned peer_is_home = home != socket_ ? 1U : 0U;
    const Tick told = p.answer_at + (peer_is_home != 0 ? 0 : timing_.link);
    const Tick completion = told + timing_.home_processing + (peer_is_home != 0 ? timing_.link : 0);
    t.done_at = data_here + timing_.fill_leg;
    // A request that waited in a conflict at the home needs the completion before it owns the line;
    // one that met no conflict uses the data as it comes.
    if (t.from_queue) t.done_at = std::max(t.done_at, completion + timing_.fill_leg);
    t.hold_until = std::max(t.done_at, completion);
}

PeerTransaction Llc::snoop_peers(Addr line, bool ownership, Tick at, bool from_home, unsigned home,
                                 unsigned by, FieldId field, Tick& data_here) {
    PeerTransaction all;
    all.answer_at = at;
    for (unsigned s = 0; s < wiring_.peers.size(); ++s) {
        if (wiring_.peers[s] == nullptr) continue;
        PeerTransaction p;
        p.line = line;
        p.ownership = ownership;
        p.by_core = by;
        p.by_field = field;
        // A request that waited at the home goes on from there; otherwise the snoop leaves from here.
        const bool already_there = from_home && home == s;
        p.at = already_there ? at : wiring_.links[s]->send(at, Link::kHeaderBytes);
        wiring_.peers[s]->peer(p);
        all.had_copy |= p.had_copy;
        all.answer_at = std::max(all.answer_at, p.answer_at);
        if (p.forwards) {
            all.forwards = true;
            all.dirty = p.dirty;
            all.token = p.token;
            data_here = wiring_.links_back[s]->send(p.answer_at, Link::kDataBytes);
        }
    }
    return all;
}

void Llc::peer(PeerTransaction& t) {
    const Tick looked_up = t.at + timing_.request_leg;
    t.answer_at = looked_up;
    const std::size_t slot = array_.find(t.line);
    if (slot == CacheArray<LlcLine>::kMiss) return;
    LlcLine& e = array_.meta(slot);
    t.had_copy = true;
    t.forwards = e.state != SocketState::kShared;
    if (t.ownership) {
        if (e.core_valid != 0) {
            const SnoopTransaction s =
                invalidate_cores(e, t.line, e.core_valid, looked_up, t.by_core, t.by_field, false);
            t.answer_at = s.answer_at;
        }
    } else if (e.owner >= 0) {
        const SnoopTransaction s = downgrade_owner(e, t.line, looked_up, t.by_core, t.by_field);
        t.answer_at = s.answer_at;
    }
    t.dirty = e.dirty;
    t.token = e.token;
    if (t.ownership) {
        array_.invalidate(slot);
    } else {
        e.state = state_after_peer_read(e.state);
        e.dirty = false;  // written back to memory on the way
        e.owner = -1;
    }
}

SocketState Llc::state_after_peer_read(SocketState) { return SocketState::kShared; }

SnoopTransaction Llc::downgrade_owner(LlcLine& e, Addr line, Tick at, unsigned by, FieldId field) {
    SnoopTransaction s;
    s.line = line;
    s.invalidate = false;
    s.at = at;
    s.by_core = by;
    s.by_field = field;
    wiring_.cores[static_cast<unsigned>(e.owner)]->snoop(s);
    s.answer_at += s.dirty ? timing_.snoop_dirty : timing_.snoop_clean;
    if (s.dirty) {
        e.dirty = true;
        e.token = s.token;
    }
    if (!s.had_copy) e.core_valid &= ~(std::uint64_t{1} << static_cast<unsigned>(e.owner));
    e.owner = -1;
    return s;
}

SnoopTransaction Llc::invalidate_cores(LlcLine& e, Addr line, std::uint64_t mask, Tick at,
                                       unsigned by, FieldId field, bool back_invalidate) {
    SnoopTransaction all;
    all.answer_at = at;
    for (unsigned c = 0; c < cores_; ++c) {
        if ((mask >> c & 1) == 0) continue;
        SnoopTransaction s;
        s.line = line;
        s.invalidate = true;
        s.at = at;
        s.by_core = by;
        s.by_field = field;
        s.back_invalidate = back_invalidate;
        wiring_.cores[c]->snoop(s);
        s.answer_at += s.dirty ? timing_.snoop_dirty : timing_.snoop_clean;
        if (s.dirty) {
            all.dirty = true;
            e.dirty = true;
            e.token = s.token;
        }
        all.had_copy |= s.had_copy;
        all.answer_at = std::max(all.answer_at, s.answer_at);
    }
    e.core_valid &= ~mask;
    if (e.owner >= 0 && (mask >> static_cast<unsigned>(e.owner) & 1) != 0) e.owner = -1;
    return all;
}

LlcLine& Llc::install(Addr line, Tick at) {
    const std::size_t slot = array_.slot_for(line);
    if (array_.valid(slot)) {
        LlcLine& victim = array_.meta(slot);
        const Addr old = array_.line_at(slot);
        if (victim.core_valid != 0) {
            ++back_invalidations_;
            invalidate_cores(victim, old, victim.core_valid, at, socket_ * cores_, kNoField, true);
        }
        if (victim.dirty) write_memory(old, victim.token, at);
        array_.invalidate(slot);
    }
    array_.fill(slot, line, LlcLine{});
    return array_.meta(slot);
}

void Llc::write_back(unsigned core, Addr line, std::uint32_t token, Tick) {
    const std::size_t slot = array_.find(line);
    assert(slot != CacheArray<LlcLine>::kMiss && "the LLC is inclusive");
    LlcLine& e = array_.meta(slot);
    e.dirty = true;
    e.state = SocketState::kModified;
    e.token = token;
    if (e.owner == static_cast<std::int8_t>(local(core))) e.owner = -1;
    e.core_valid &= ~bit(core);
}

Tick Llc::read_memory(Addr line, unsigned home, Tick at, Schedulable* requester) {
    MemoryTransaction m;
    m.line = line;
    m.at = at;
    m.requester = requester;
    wiring_.memory[home]->access(m);
    return m.done_at;
}

void Llc::write_memory(Addr line, std::uint32_t token, Tick at) {
    if (memory_tokens_ != nullptr) (*memory_tokens_)[line] = token;
    MemoryTransaction m;
    m.line = line;
    m.write = true;
    m.at = at;
    wiring_.memory[home_of(line)]->access(m);
}

}  // namespace linefill::model
