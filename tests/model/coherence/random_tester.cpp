// SPDX-License-Identifier: Apache-2.0
#include "tests/model/coherence/random_tester.h"

#include <array>
#include <set>
#include <sstream>

#include "model/coherence/llc.h"
#include "model/core/core.h"
#include "model/sim/error.h"
#include "model/sim/random.h"

namespace linefill::model {

namespace {

constexpr std::size_t kMiss = ~std::size_t{0};
constexpr std::size_t kMessages = 5;

const char* name_of(LineState s) {
    switch (s) {
        case LineState::kInvalid:
            return "I";
        case LineState::kShared:
            return "S";
        case LineState::kExclusive:
            return "E";
        case LineState::kModified:
            return "M";
    }
    return "?";
}

bool owns(LineState s) { return s == LineState::kExclusive || s == LineState::kModified; }

class Tester final : public AccessObserver {
public:
    Tester(const Platform& platform, const TesterOptions& options, LlcFactory* factory)
        : options_(options),
          test_(platform, {options.seed, options.quantum, true, factory, options.memory}),
          machine_(test_.machine()) {}

    TesterReport run();

    void on_access(const AccessRecord& r) override {
        // A store that has been accepted but not performed leaves its line as it was; a forwarded
        // load reads no copy.
        if (r.source == DataSource::kForward || r.source == DataSource::kFillBuffer) return;
        check_copy(machine_.core_of(r.cpu), line_of(r.addr), r.cpu, "performed", r.at);
    }
    void on_bulk_hits(unsigned, FunctionId, FieldId, AccessKind, std::uint64_t) override {}
    void on_time(unsigned, FunctionId, FunctionId, FieldId, unsigned, Tick) override {}
    void on_snoop(Addr, unsigned, unsigned, bool, bool, FieldId) override {}

private:
    static constexpr unsigned kCounterLines = 4;

    void body(HwThread& hw);
    void operation(HwThread& hw, Random& random, Token& last);
    Addr pick(Random& random) const;
    Addr hot(unsigned i) const;
    Addr counter(unsigned i) const;
    void check_copy(unsigned core, Addr line, unsigned cpu, const char* what, Tick at);
    void sweep();
    void sweep_line(Addr line);
    void complain(std::uint64_t& count, const std::string& text);
    std::string where(Addr line) const;

    TesterOptions options_;
    TestMachine test_;
    Machine& machine_;
    TesterReport report_;
    std::array<std::int64_t, kCounterLines> counters_{};
    std::uint64_t since_sweep_ = 0;
};

Addr Tester::hot(unsigned i) const {
    return machine_.node_base(i % machine_.sockets()) + Machine::kReservedBytes * 2 +
           Addr{i} * kLineBytes;
}

Addr Tester::counter(unsigned i) const { return hot(options_.hot_lines + i); }

Addr Tester::pick(Random& random) const {
    const std::uint64_t kind = random.below(16);
    const Addr word = random.below(8) * 8;
    if (kind < 8) return hot(static_cast<unsigned>(random.below(options_.hot_lines))) + word;
    const Addr base = machine_.node_base(static_cast<unsigned>(random.below(machine_.sockets()))) +
                      Machine::kReservedBytes * 3;
    const std::uint64_t lines = kind < 13 ? options_.warm_lines : options_.cold_lines;
    return base + random.below(lines) * kLineBytes + word;
}

std::string Tester::where(Addr line) const {
    std::ostringstream out;
    out << "address 0x" << std::hex << (line << kLineBits) << std::dec << " at "
        << ns_from_ticks(machine_.scheduler().now()) << " ns (seed " << options_.seed << ")";
    return out.str();
}

void Tester::complain(std::uint64_t& count, const std::string& text) {
    ++count;
    if (report_.messages.size() < kMessages) report_.messages.push_back(text);
}

void Tester::check_copy(unsigned core, Addr line, unsigned cpu, const char* what, Tick at) {
    Core& c = machine_.core(core);
    const std::size_t slot = c.l1d().find(line);
    if (slot == kMiss) return;  // it came and went: nobody reads it here any more
    const std::uint32_t found = c.l1d().meta(slot).token;
    const std::uint32_t expected = machine_.reference_token(line);
    ++report_.checked_reads;
    if (found == expected) return;
    std::ostringstream out;
    out << "CPU " << cpu << " reads a stale copy (" << what << " for " << ns_from_ticks(at)
        << " ns): " << where(line) << ": expected the write " << expected << ", found " << found
        << ", state " << name_of(c.l1d().meta(slot).state);
    complain(report_.stale_reads, out.str());
}

void Tester::sweep() {
    ++report_.sweeps;
    std::set<Addr> lines;
    for (unsigned c = 0; c < machine_.cores(); ++c) {
        for (auto* array : {&machine_.core(c).l1d(), &machine_.core(c).l2()}) {
            for (std::size_t s = 0; s < array->slots(); ++s) {
                if (array->valid(s)) lines.insert(array->line_at(s));
            }
        }
    }
    for (const Addr line : lines) sweep_line(line);
}

void Tester::sweep_line(Addr line) {
    const unsigned per_socket = machine_.cores() / machine_.sockets();
    int owner = -1;
    unsigned holders = 0;
    std::ostringstream copies;
    for (unsigned c = 0; c < machine_.cores(); ++c) {
        Core& core = machine_.core(c);
        const LineState state = core.state_of(line);
        if (state == LineState::kInvalid) continue;
        ++holders;
        copies << ' ' << c << ':' << name_of(state);
        if (owns(state)) {
            if (owner >= 0) {
                complain(
                    report_.broken_invariants,
                    "two owners: " + where(line) + ": expected at most one, found" + copies.str());
            }
            owner = static_cast<int>(c);
        }
        const unsigned socket = c / per_socket;
        auto& llc = machine_.llc(socket).array();
        const std::size_t slot = llc.find(line);
        if (slot == kMiss) {
            complain(report_.broken_invariants, "not included: " + where(line) +
                                                    ": expected a line of core " +
                                                    std::to_string(c) + " in the LLC, found none");
            continue;
        }
        const LlcLine& e = llc.meta(slot);
        const unsigned local = c % per_socket;
        if ((e.core_valid >> local & 1) == 0) {
            complain(report_.broken_invariants, "core-valid bit missing: " + where(line) +
                                                    ": expected one for core " + std::to_string(c));
        }
        if (owns(state)) {
            if (e.owner != static_cast<int>(local)) {
                complain(report_.broken_invariants, "owner wrong: " + where(line) +
                                                        ": expected core " + std::to_string(local) +
                                                        ", found " + std::to_string(e.owner));
            }
            if (e.state != SocketState::kExclusive && e.state != SocketState::kModified) {
                complain(report_.broken_invariants,
                         "socket without the right its core has: " + where(line));
            }
        }
        const std::size_t in_l1 = core.l1d().find(line);
        const auto& meta =
            in_l1 != kMiss ? core.l1d().meta(in_l1) : core.l2().meta(core.l2().find(line));
        if (meta.token != machine_.reference_token(line)) {
            complain(report_.broken_invariants, "stale copy in core " + std::to_string(c) + ": " +
                                                    where(line) + ": expected the write " +
                                                    std::to_string(machine_.reference_token(line)) +
                                                    ", found " + std::to_string(meta.token));
        }
    }
    if (owner >= 0 && holders > 1) {
        complain(report_.broken_invariants, "an owner beside other copies: " + where(line) +
                                                ": expected one copy, found" + copies.str());
    }
    unsigned sockets_that_own = 0;
    unsigned sockets_that_have = 0;
    for (unsigned s = 0; s < machine_.sockets(); ++s) {
        auto& llc = machine_.llc(s).array();
        const std::size_t slot = llc.find(line);
        if (slot == kMiss) continue;
        ++sockets_that_have;
        const SocketState state = llc.meta(slot).state;
        if (state == SocketState::kExclusive || state == SocketState::kModified) ++sockets_that_own;
    }
    if (sockets_that_own > 0 && sockets_that_have > 1) {
        complain(report_.broken_invariants,
                 "a socket owns beside another that has a copy: " + where(line));
    }
}

void Tester::operation(HwThread& hw, Random& random, Token& last) {
    const Addr addr = pick(random);
    const Addr line = line_of(addr);
    const auto check = [&] {
        check_copy(machine_.core_of(hw.cpu()), line, hw.cpu(), "loaded", hw.now());
    };
    const std::uint64_t kind = random.below(100);
    if (kind < 50) {
        // One in four addresses depends on the load before.
        const Token dep = random.below(4) == 0 ? last : Token{};
        last = hw.load(addr, 8, kNoField, dep);
        if (random.below(3) == 0) hw.use(last);
        check();
    } else if (kind < 78) {
        hw.store(addr, 8, kNoField, random.below(4) == 0 ? last : Token{});
    } else if (kind < 88) {
        const auto i = static_cast<unsigned>(random.below(kCounterLines));
        ++report_.locked_increments;
        hw.locked(counter(i), 8, kNoField, [&] { ++counters_[i]; });
        check_copy(machine_.core_of(hw.cpu()), line_of(counter(i)), hw.cpu(), "locked", hw.now());
    } else if (kind < 91) {
        hw.locked(addr, 8, kNoField, [] {});
        check();
    } else if (kind < 96) {
        hw.prefetch(addr, kNoField, random.below(2) == 0 ? PrefetchKind::kNta : PrefetchKind::kT0);
    } else if (kind < 97) {
        hw.fence();
    } else {
        hw.execute(static_cast<unsigned>(1 + random.below(120)));
    }
    if (random.below(4) == 0) hw.execute(static_cast<unsigned>(1 + random.below(20)));
}

void Tester::body(HwThread& hw) {
    Random random(options_.seed, "coherence tester, CPU " + std::to_string(hw.cpu()));
    Token last;
    const std::uint64_t mine = options_.operations / machine_.cpus();
    for (std::uint64_t i = 0; i < mine; ++i) {
        operation(hw, random, last);
        ++report_.operations;
        if (++since_sweep_ >= options_.sweep_every) {
            since_sweep_ = 0;
            sweep();
        }
    }
    hw.fence();
    hw.execute(100000);  // prefetches still under way come in
    hw.synchronise();
}

TesterReport Tester::run() {
    if (options_.observe) machine_.set_observer(this);
    for (unsigned cpu = 0; cpu < machine_.cpus(); ++cpu) {
        test_.on(cpu, [this](HwThread& hw) { body(hw); });
    }
    test_.run();
    sweep();
    report_.total = test_.total();
    for (unsigned s = 0; s < machine_.sockets(); ++s) {
        report_.back_invalidations += machine_.llc(s).back_invalidations();
    }
    for (const std::int64_t c : counters_) report_.counted += c;
    try {
        machine_.check_identities(report_.total);
    } catch (const SimulationError& error) {
        report_.identities = error.what();
    }
    for (unsigned c = 0; c < machine_.cores(); ++c) {
        report_.total += machine_.core(c).unattributed();
    }
    return report_;
}

}  // namespace

std::string TesterReport::text() const {
    std::ostringstream out;
    out << stale_reads << " stale reads and " << broken_invariants << " broken invariants in "
        << operations << " operations";
    for (const std::string& m : messages) out << "\n  " << m;
    return out.str();
}

TesterReport run_tester(const Platform& platform, const TesterOptions& options,
                        LlcFactory* factory) {
    Tester tester(platform, options, factory);
    return tester.run();
}

std::vector<std::string> small_caches() {
    return {"cache.l1d.size=2KiB",  "cache.l1i.size=2KiB", "cache.l1d.ways=4",
            "cache.l1i.ways=4",     "cache.l2.size=8KiB",  "cache.l2.ways=4",
            "cache.llc.size=80KiB", "cache.llc.ways=5"};
}

}  // namespace linefill::model
