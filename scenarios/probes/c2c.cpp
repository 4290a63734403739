// SPDX-License-Identifier: Apache-2.0
// What it costs to get a line from another CPU: plain loads of lines that the other has read or
// written, and a line handed back and forth by locked compare-and-exchange, as core-to-core-latency
// does (half a round trip).
#include "scenarios/probes/probe_machine.h"
#include "scenarios/probes/targets.h"

namespace linefill::scenarios {
namespace {

using model::Addr;
using model::HwThread;
using model::Tick;

constexpr unsigned kLines = 128;  ///< per measurement of plain loads
constexpr unsigned kRoundTrips = 1000;
constexpr Tick kStep = 200 * model::kMicrosecond;  ///< each measurement has a time slot of its own

struct Pair {
    std::string name;    ///< "same socket"
    std::string suffix;  ///< of the targets' keys
    unsigned other;
    Tick clean = 0, dirty = 0, exchange = 0;
};

/// `lines` lines that nobody has touched, half of them at home on either node.
std::vector<Addr> fresh_lines(ProbeMachine& probe, unsigned slot) {
    std::vector<Addr> chain;
    const unsigned nodes = probe.machine().sockets();
    for (unsigned i = 0; i < kLines; ++i) {
        // Lines far apart, each in another set.
        const Addr offset = (Addr{slot} << 22) + Addr{i} * 8256;
        chain.push_back(probe.memory(i % nodes, offset & ~(model::kLineBytes - 1)));
    }
    return chain;
}

/// Hands the line over `kRoundTrips` times: sets the flag from `mine` to `other` as soon as it may.
void ping_pong(HwThread& hw, Addr line, int& flag, int mine, int other) {
    for (unsigned i = 0; i < kRoundTrips; ++i) {
        for (;;) {
            const bool done = hw.locked(line, 8, model::kNoField, [&] {
                if (flag != mine) return false;
                flag = other;
                return true;
            });
            hw.execute(3);  // test, branch, reload of the expected value
            if (done) break;
        }
    }
}

}  // namespace

ProbeTable probe_c2c(const model::Platform& platform, const ProbeOptions& options) {
    ProbeMachine probe(platform, options.seed);
    std::vector<Pair> pairs;
    const auto add_pair = [&pairs](const char* name, const char* suffix, unsigned other) {
        if (other == 0) return;
        Pair p;
        p.name = name;
        p.suffix = suffix;
        p.other = other;
        pairs.push_back(p);
    };
    add_pair("same core", "same_core", probe.same_core());
    add_pair("same socket", "same_socket", probe.same_socket());
    add_pair("other socket", "other_socket", probe.other_socket());

    // Time slots of pair i: 3 i reads, 3 i + 1 writes, 3 i + 2 exchanges.
    std::vector<int> flags(pairs.size(), 0);
    std::vector<Tick> ends(pairs.size(), 0);
    Tick period = 1;
    const auto slot_at = [](std::size_t slot) { return static_cast<Tick>(slot + 1) * kStep; };
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        probe.add(pairs[i].other, [&, i](HwThread& hw) {
            wait_until(hw, slot_at(3 * i));
            (void)chase(hw, fresh_lines(probe, static_cast<unsigned>(3 * i)));
            wait_until(hw, slot_at(3 * i + 1));
            for (const Addr a : fresh_lines(probe, static_cast<unsigned>(3 * i + 1))) {
                hw.store(a, 8, model::kNoField);
            }
            hw.fence();
            wait_until(hw, slot_at(3 * i + 2));
            ping_pong(hw, fresh_lines(probe, static_cast<unsigned>(3 * i + 2)).front(), flags[i], 1,
                      0);
            ends[i] = hw.now();
        });
    }
    probe.add(0, [&](HwThread& hw) {
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            Pair& p = pairs[i];
            wait_until(hw, slot_at(3 * i) + kStep / 2);
            p.clean = chase(hw, fresh_lines(probe, static_cast<unsigned>(3 * i)));
            wait_until(hw, slot_at(3 * i + 1) + kStep / 2);
            p.dirty = chase(hw, fresh_lines(probe, static_cast<unsigned>(3 * i + 1)));
            wait_until(hw, slot_at(3 * i + 2));
            const Tick start = hw.now();
            ping_pong(hw, fresh_lines(probe, static_cast<unsigned>(3 * i + 2)).front(), flags[i], 0,
                      1);
            p.exchange = (hw.now() - start) / (2 * Tick{kRoundTrips});
        }
        period = hw.period();
    });
    probe.run();

    ProbeTable table;
    table.title = "Transfer of a line between two CPUs";
    for (const Pair& p : pairs) {
        const auto add = [&](const char* what, const char* target, Tick time) {
            ProbeRow row;
            row.what = p.name + ", " + what;
            row.parameter = "CPU 0, CPU " + std::to_string(p.other);
            row.unit = "ns";
            set_target(row, platform, std::string(target) + "_" + p.suffix, kTransferTolerance);
            set_time(row, time, period);
            table.rows.push_back(std::move(row));
        };
        add("load of a clean line", "load_clean", p.clean);
        add("load of a dirty line", "load_dirty", p.dirty);
        add("locked exchange", "rmw", p.exchange);
    }
    return table;
}

}  // namespace linefill::scenarios
