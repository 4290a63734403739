// SPDX-License-Identifier: Apache-2.0
// SystemC makes threads while it runs only with this set before its header.
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include "model/memory/memory_bridge.h"

#include <algorithm>
#include <exception>
#include <string>

#include "model/memory/tlm_payload.h"
#include "model/sim/error.h"
#include "model/sim/stack_bounds.h"
#include "model/sim/systemc_time.h"

namespace linefill::model {

namespace {

constexpr int kStackBytes = 256 * 1024;  // somebody else's code runs there

}  // namespace

MemoryBridge::MemoryBridge(sc_core::sc_module_name name, Scheduler& scheduler)
    : sc_core::sc_module(name), socket("socket"), scheduler_(scheduler) {
    SC_METHOD(begin_due);
    dont_initialize();
    sensitive << due_;
}

MemoryBridge::~MemoryBridge() = default;

void MemoryBridge::access(MemoryTransaction& t) {
    const Tick at = std::max(t.at, systemc_now());
    jobs_.emplace(at, Job{t.line, t.write ? nullptr : t.requester});
    if (!t.write) ++reads_open_;
    t.done_at = t.write ? at : kNever;
    // Of several pending notifications the earliest stays.
    due_.notify(time_of(at - systemc_now()));
    scheduler_.refresh_external();
}

void MemoryBridge::begin_due() {
    const Tick now = systemc_now();
    while (!jobs_.empty() && jobs_.begin()->first <= now) {
        const Job job = jobs_.begin()->second;
        jobs_.erase(jobs_.begin());
        if (!idle_.empty()) {
            Worker* w = idle_.back();
            idle_.pop_back();
            w->job = job;
            w->begin.notify();
            continue;
        }
        workers_.push_back(std::make_unique<Worker>());
        Worker* w = workers_.back().get();
        w->job = job;
        sc_core::sc_spawn_options options;
        options.set_stack_size(kStackBytes);
        sc_core::sc_spawn([this, w] { work(*w); }, sc_core::sc_gen_unique_name("transport"),
                          &options);
    }
    if (!jobs_.empty()) due_.notify(time_of(jobs_.begin()->first - now));
}

void MemoryBridge::work(Worker& w) {
    const StackBounds stack = StackBounds::from_here(kStackBytes / 2);
    for (;;) {
        stack.announce();
        try {
            serve(w);
        } catch (const sc_core::sc_unwind_exception&) {
            throw;  // SystemC ends the process
        } catch (...) {
            scheduler_.request_stop(std::current_exception());
        }
        idle_.push_back(&w);
        wait(w.begin);
    }
}

void MemoryBridge::serve(Worker& w) {
    const bool read = w.job.requester != nullptr;
    tlm::tlm_generic_payload& p = w.payload;
    begin_payload(p, read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND, w.job.line << kLineBits,
                  w.data, sizeof w.data);
    sc_core::sc_time delay;
    const StackBounds stack = StackBounds::from_here(kStackBytes / 2);
    socket->b_transport(p, delay);
    stack.announce();  // others ran while the target waited
    if (p.is_response_error()) {
        throw InternalError("memory answered " + p.get_response_string());
    }
    if (!read) return;
    --reads_open_;
    scheduler_.schedule(*w.job.requester, systemc_now() + tick_of(delay));
}

}  // namespace linefill::model
