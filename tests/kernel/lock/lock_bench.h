// SPDX-License-Identifier: Apache-2.0
// CPUs of a modelled machine that run lock code without a kernel around it. One per process.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernel/lock/lock_statistics.h"
#include "kernel/lock/spinlock.h"
#include "model/machine.h"
#include "model/platform/load.h"

namespace linefill::kernel {

/// Hands out addresses: one 4 KiB page per CPU for per-CPU data, lines of their own for the rest.
class BenchSections final : public Sections {
public:
    explicit BenchSections(model::Machine& machine) : machine_(machine) {}
    Addr per_cpu(std::string_view symbol, unsigned cpu, unsigned size, unsigned align) override {
        const auto [at, added] = offsets_.try_emplace(std::string(symbol), next_offset_);
        if (added) next_offset_ += (size + align + 63) / 64 * 64;
        return machine_.node_base(machine_.node_of(cpu)) + 3 * model::Machine::kReservedBytes +
               Addr{cpu} * 65536 + at->second;
    }
    Addr data(std::string_view, unsigned size, unsigned) override {
        const Addr at = next_data_;
        next_data_ += (size + 63) / 64 * 64;
        return at;
    }

private:
    model::Machine& machine_;
    std::map<std::string, Addr> offsets_;
    Addr next_offset_ = 0;
    Addr next_data_ = 2 * model::Machine::kReservedBytes;
};

/// Counts accesses by field and CPU, and those that were no L1 hit.
class AccessCounter final : public model::AccessObserver {
public:
    struct Counts {
        unsigned all = 0, loads = 0, missed_loads = 0;
    };
    void on_access(const model::AccessRecord& r) override {
        Counts& c = counts_[{r.field, r.cpu}];
        ++c.all;
        if (r.kind != model::AccessKind::kLoad && r.kind != model::AccessKind::kSpin) return;
        ++c.loads;
        const bool hit =
            r.source == model::DataSource::kL1 || r.source == model::DataSource::kForward;
        if (!hit) ++c.missed_loads;
    }
    void on_bulk_hits(unsigned, model::FunctionId, FieldId, model::AccessKind, u64) override {}
    void on_time(unsigned, model::FunctionId, model::FunctionId, FieldId, unsigned,
                 model::Tick) override {}
    void on_snoop(Addr, unsigned, unsigned, bool, bool, FieldId) override {}

    Counts of(FieldId field) const {
        Counts sum;
        for (const auto& [key, c] : counts_) {
            if (key.first != field) continue;
            sum.all += c.all;
            sum.loads += c.loads;
            sum.missed_loads += c.missed_loads;
        }
        return sum;
    }
    void clear() { counts_.clear(); }

private:
    std::map<std::pair<FieldId, unsigned>, Counts> counts_;
};

class LockBench {
public:
    /// Without run-ahead unless told: else a holder may be through its critical section, on the host, before others'
    /// requests for the line are looked at.
    explicit LockBench(LockKind kind, bool mcs_queueing = true, model::Tick quantum = 0)
        : machine_(model::load_platform("xeon-snb-2s", {"platforms"}),
                   model::MachineOptions{.seed = 1, .quantum = quantum}),
          sections(machine_) {
        lock_system().configure(kind, mcs_queueing, machine_.cpus(), sections);
        lock_system().set_observer(&statistics);
        for (unsigned cpu = 0; cpu < machine_.cpus(); ++cpu) {
            banks_.push_back(std::make_unique<model::Counters>());
            machine_.hw(cpu).select_counters(banks_.back().get(), banks_.back().get());
        }
    }
    ~LockBench() {
        lock_system().set_observer(nullptr);
        machine_.set_observer(nullptr);
    }

    model::Machine& machine() { return machine_; }
    /// `cpu` runs `body` from `start` ns on, with interrupts off.
    void on(unsigned cpu, double start_ns, std::function<void(model::HwThread&)> body) {
        ++awaited_;
        contexts_.push_back(
            std::make_unique<model::ExecutionContext>([this, cpu, work = std::move(body)] {
                work(machine_.hw(cpu));
                machine_.hw(cpu).fence();
                machine_.hw(cpu).synchronise();  // the last unlock, too, has become visible
                if (--awaited_ == 0) machine_.scheduler().stop();
                for (;;) model::this_hw_thread().halt(0, 0);
            }));
        machine_.start(cpu, *contexts_.back(), model::ticks_from_ns(start_ns));
    }
    void run() { machine_.run(); }
    model::Counters& counters(unsigned cpu) { return *banks_[cpu]; }
    /// A line of its own on node 0, and a field id for it.
    Addr line() { return sections.data("", 64, 64); }
    static FieldId field(const char* name) {
        return FieldRegistry::instance().id("bench", name, 0, 8);
    }

private:
    model::Machine machine_;

public:
    BenchSections sections;
    LockStatistics statistics;

private:
    std::vector<std::unique_ptr<model::Counters>> banks_;
    std::vector<std::unique_ptr<model::ExecutionContext>> contexts_;
    unsigned awaited_ = 0;
};

}  // namespace linefill::kernel
