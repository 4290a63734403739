// SPDX-License-Identifier: Apache-2.0
// Waits, interrupts, idle, context switches, code fetch of a hardware thread.
#include <algorithm>

#include "model/core/access_batch.h"
#include "model/core/core.h"
#include "model/core/hw_thread.h"
#include "model/machine.h"

namespace linefill::model {

// ---- run-ahead bound and interrupts ---------------------------------------------------------

void HwThread::reset_deadline() {
    deadline_ = now_ + machine_.quantum();
    if (pending_vectors_ != 0 && interrupts_enabled_) deadline_ = 0;
}

bool HwThread::at_deadline() {
    if (pending_vectors_ != 0 && interrupts_enabled_ && !take_interrupts()) return false;
    scheduler_.sync(*this, now_);
    reset_deadline();
    // One may have become pending while others ran.
    if (deadline_ == 0) {
        if (!take_interrupts()) return false;
        reset_deadline();
    }
    return true;
}

void HwThread::synchronise() {
    scheduler_.sync(*this, now_);
    if (now_ < scheduler_.now()) now_ = scheduler_.now();
}

void HwThread::raise(unsigned vector) {
    pending_vectors_ |= std::uint64_t{1} << vector;
    if (halted_ || sleeping_in_advance_ || (watching_ && interrupts_enabled_)) {
        scheduler_.schedule(*this, scheduler_.now());
    }
    if (interrupts_enabled_) deadline_ = 0;
}

bool HwThread::take_interrupts() {
    while (pending_vectors_ != 0 && interrupts_enabled_) {
        const auto vector = static_cast<unsigned>(__builtin_ctzll(pending_vectors_));
        pending_vectors_ &= pending_vectors_ - 1;
        const bool was_kernel = kernel_mode_;
        interrupts_enabled_ = false;
        const bool was_spinning = spinning_;
        set_spinning(false);
        if (!functional_) drain_loads();
        set_kernel_mode(true);
        ++(*bank_)[Event::kInterrupts];
        charge(timing_->interrupt_entry, CpiComponent::kIrq);
        interrupted_user_mode_ = !was_kernel;
        if (machine_.interrupt_sink() != nullptr)
            machine_.interrupt_sink()->interrupt(cpu_, vector);
        HwThread& here = running();
        here.end_interrupt(was_kernel);
        if (&here != this) return false;
        set_spinning(was_spinning);
    }
    reset_deadline();
    return true;
}

void HwThread::end_interrupt(bool was_kernel) {
    interrupts_enabled_ = false;
    charge(timing_->interrupt_exit, CpiComponent::kIrq);
    set_kernel_mode(was_kernel);
    interrupts_enabled_ = true;
    reset_deadline();
}

void HwThread::disable_interrupts() {
    interrupts_enabled_ = false;
    if (functional_) return;
    issue(1);
    charge(timing_->irq_off, CpiComponent::kBase);
}

void HwThread::enable_interrupts() {
    interrupts_enabled_ = true;
    if (!functional_) {
        issue(1);
        charge(timing_->irq_on, CpiComponent::kBase);
    }
    if (pending_vectors_ != 0) {
        // An interrupt that lies in this thread's past or present; others act first.
        scheduler_.sync(*this, now_);
        if (!take_interrupts()) return;
    }
    reset_deadline();
}

// ---- waiting on a line ----------------------------------------------------------------------

void HwThread::line_taken(Tick at) {
    taken_ = true;
    if (watching_) scheduler_.schedule(*this, std::max(at, scheduler_.now()));
}

Tick HwThread::time_of(const SpinLoop& loop) const {
    // All that the loop needs is at hand, so that it goes at the core's width.
    const unsigned width = machine_.platform().core.width;
    const unsigned cycles = (loop.instructions + width - 1) / width;
    return timing_->period * cycles + (loop.pause ? timing_->pause : 0);
}

void HwThread::spin_until(Addr addr, unsigned size, FieldId field, const SpinLoop& loop,
                          const std::function<bool()>& condition) {
    const Addr line = line_of(physical(addr));
    set_spinning(true);
    watched_ = addr;
    watched_field_ = field;
    bool waited = false;
    for (;;) {
        if (!functional_) {
            const Token t = load(addr, size, field);
            stall_until(known(t), CpiComponent::kLockWait, field);
            if (loop.instructions > 1) issue(loop.instructions - 1);
            if (window_count_ != 0) drain_loads();
        }
        if (condition()) break;
        waited = true;
        core_.watch(*this, line);
        taken_ = false;
        watching_ = true;
        block();
        watching_ = false;
        core_.unwatch(*this);
        const Tick resumed = scheduler_.now();
        if (!functional_ && resumed > now_) {
            // What the loop would have executed meanwhile, up to the next iteration's boundary.
            const Tick iteration = time_of(loop);
            const auto n = static_cast<std::uint64_t>((resumed - now_ + iteration - 1) / iteration);
            Counters& c = *bank_;
            c[Event::kInstructions] += static_cast<std::int64_t>(n * loop.instructions);
            c[Event::kLoads] += static_cast<std::int64_t>(n * loop.loads);
            c[Event::kL1dHit] += static_cast<std::int64_t>(n * loop.loads);
            c[Event::kSpinIterations] += static_cast<std::int64_t>(n);
            if (reporting_) {
                observer_->on_bulk_hits(cpu_, context_->top(), field, AccessKind::kSpin,
                                        n * loop.loads);
            }
            stall_until(now_ + static_cast<Tick>(n) * iteration, CpiComponent::kLockWait, field);
        } else if (resumed > now_) {
            now_ = resumed;
        }
        if (pending_vectors_ != 0 && interrupts_enabled_ && !take_interrupts()) {
            // The loop goes on where the task is now.
            running().spin_until(addr, size, field, loop, condition);
            return;
        }
    }
    set_spinning(false);
    watched_ = 0;
    // Leaving the loop is a branch the predictor had learnt to be taken.
    if (waited && !functional_) charge(timing_->mispredict, CpiComponent::kBranch);
}

// ---- idle -----------------------------------------------------------------------------------

void HwThread::halt(Addr monitor, Tick exit_latency) {
    if (!functional_) {
        drain_loads();
        drain_stores();
    }
    scheduler_.sync(*this, now_);
    if (pending_vectors_ == 0) {
        settle();
        set_halted(true);
        machine_.activity_changed(core_.socket());
        taken_ = false;
        if (monitor != 0) machine_.add_monitor(line_of(physical(monitor)), *this);
        watching_ = true;
        while (pending_vectors_ == 0 && !taken_) block();
        watching_ = false;
        if (monitor != 0) machine_.remove_monitor(*this);
        const Tick woken = std::max(now_, scheduler_.now()) + (functional_ ? 0 : exit_latency);
        count_time(woken - now_, CpiComponent::kIdle);
        now_ = woken;
        set_halted(false);
        machine_.activity_changed(core_.socket());
    }
    interrupts_enabled_ = true;
    scheduler_.sync(*this, now_);
    if (pending_vectors_ != 0 && !take_interrupts()) return;
    reset_deadline();
}

void HwThread::begin_at(Tick at) {
    now_ = at;
    set_halted(false);
    reset_deadline();
}

// ---- context switch, fast-forward -----------------------------------------------------------

void HwThread::switch_context(ExecutionContext& next) {
    if (&next == context_) return;
    if (observing_) report_issue_time();
    keep_deferred();
    context_ = &next;
    scheduler_.change_fiber(*this, next.fiber());
}

void HwThread::advance(Tick cost) {
    Tick left = cost;
    while (left > 0) {
        const Tick start = now_;
        sleeping_in_advance_ = true;
        scheduler_.schedule(*this, now_ + left);
        scheduler_.block(*this);
        sleeping_in_advance_ = false;
        const Tick passed = std::min(left, std::max<Tick>(0, scheduler_.now() - start));
        now_ = start + passed;
        left -= passed;
        if (!functional_) count_time(passed, CpiComponent::kBase);
        if (pending_vectors_ != 0 && interrupts_enabled_) {
            if (!take_interrupts()) {
                running().advance(left);
                return;
            }
        } else if (passed == 0 && left > 0 && scheduler_.now() < start) {
            continue;  // woken before our time by something that does not concern us
        }
        if (stop_advance_ != nullptr && *stop_advance_) break;
    }
}

Tick HwThread::advance_some(Tick cost) {
    const Tick start = now_;
    const Tick end = start + std::max<Tick>(cost, 0);
    while (now_ < end && (pending_vectors_ == 0 || !interrupts_enabled_)) {
        sleeping_in_advance_ = true;
        scheduler_.schedule(*this, end);
        scheduler_.block(*this);
        sleeping_in_advance_ = false;
        now_ = std::clamp(scheduler_.now(), now_, end);
    }
    const Tick passed = now_ - start;
    if (!functional_) count_time(passed, CpiComponent::kBase);
    if (pending_vectors_ != 0 && interrupts_enabled_) (void)take_interrupts();
    return passed;
}

// ---- code -----------------------------------------------------------------------------------

void HwThread::fetch_code(FunctionId f, Addr code, unsigned code_bytes) {
    if (core_.tlbs().code(code, !kernel_mode_) != TlbResult::kHit) {
        ++(*bank_)[Event::kItlbWalk];
        charge(timing_->walk, CpiComponent::kTlb);
    }
    const Addr first = line_of(physical(code));
    const Addr last = line_of(physical(code) + (code_bytes == 0 ? 0 : code_bytes - 1));
    for (Addr line = first; line <= last; ++line) {
        if (core_.l1i_hit(line)) continue;
        ++(*bank_)[Event::kL1iMiss];
        if (core_.in_l2(line)) {
            charge(timing_->l2, CpiComponent::kL1i);
        } else {
            const Token t =
                miss(line << kLineBits, 64, kNoField, PendingKind::kCode, now_, {}, false);
            stall_until(known(t), CpiComponent::kL1i);
            core_.install_code_line_in_l2(line, now_, *bank_);
        }
        // The sibling may have fetched it meanwhile.
        if (!core_.l1i_hit(line)) core_.fill_l1i(line);
    }
    code_generation_[f] = core_.l1i_generation();
}

// ---- attribution ----------------------------------------------------------------------------

void HwThread::report_performed(const PendingAccess& p, MissClass miss, Tick at) {
    shadow_->touch(line_of(physical(p.addr)));
    if (!reporting_ || p.kind == PendingKind::kCode || p.kind == PendingKind::kWalk) return;
    AccessKind kind = spinning_ ? AccessKind::kSpin : AccessKind::kLoad;
    if (p.kind == PendingKind::kStore) {
        kind = AccessKind::kStore;
    } else if (p.kind == PendingKind::kLocked) {
        kind = AccessKind::kRmw;
    } else if (p.kind == PendingKind::kPrefetch || p.kind == PendingKind::kPrefetchOwn) {
        kind = AccessKind::kPrefetch;
    }
    tell_access({.cpu = cpu_,
                 .function = p.function,
                 .caller = p.caller,
                 .field = p.field,
                 .kind = kind,
                 .source = p.source,
                 .miss = miss,
                 .addr = physical(p.addr),
                 .at = at,
                 .latency = p.ready == kNever ? 0 : p.ready - at});
}

void HwThread::tell_access(const AccessRecord& r) {
    if (batch_ != nullptr) {
        batch_->on_access(r);
    } else {
        observer_->on_access(r);
    }
}

void HwThread::report_issue(AccessKind kind, Addr addr, unsigned size, FieldId field,
                            const Token& dep, Token* result) {
    if (!reporting_ || functional_) return;
    if (result != nullptr && result->pending < 0) result->generation = ++last_issue_;
    IssueRecord r{.cpu = cpu_,
                  .size = size,
                  .field = field,
                  .kind = kind,
                  .addr = addr,
                  .dep = dep,
                  .result = {}};
    if (result != nullptr) r.result = *result;
    observer_->on_issue(r);
}

void HwThread::report_served(AccessKind kind, FieldId field, Addr addr, Tick at, Tick latency,
                             DataSource source) {
    const Addr byte = physical(addr);
    shadow_->touch(line_of(byte));
    if (!reporting_) return;
    if (spinning_ && kind == AccessKind::kLoad) kind = AccessKind::kSpin;
    const FunctionId function = context_ != nullptr ? context_->top() : kNoFunction;
    if (batch_ != nullptr) {  // most of all accesses come by here
        batch_->add({line_of(byte), AccessSite::of(field, function, kind, byte), latency,
                     static_cast<std::uint16_t>(cpu_), source, MissClass::kHit});
        return;
    }
    observer_->on_access({.cpu = cpu_,
                          .function = function,
                          .caller = context_ != nullptr ? context_->caller() : kNoFunction,
                          .field = field,
                          .kind = kind,
                          .source = source,
                          .miss = MissClass::kHit,
                          .addr = byte,
                          .at = at,
                          .latency = latency});
}

}  // namespace linefill::model
