// SPDX-License-Identifier: Apache-2.0
// Time, instruction issue, the reorder window, waiting for values. Memory accesses are in
// hw_memory.cpp, waits and interrupts in hw_events.cpp.
#include "model/core/hw_thread.h"

#include <algorithm>
#include <utility>

#include "model/core/access_batch.h"
#include "model/core/core.h"
#include "model/machine.h"

namespace linefill::model {

namespace {
constexpr unsigned kRanksPerCpu = 256;
constexpr unsigned kAgentRank = 255;      // an agent acts after the events of its CPU
constexpr unsigned kStoreBufferRank = 0;  // drains come first
constexpr unsigned kFirstPendingRank = 16;
constexpr unsigned kPendingSlots = 160;
const CoreTiming kNoClock;  // until the machine has set one
}  // namespace

HwThread::HwThread(Machine& machine, Core& core, unsigned cpu)
    : Agent(cpu * kRanksPerCpu + kAgentRank),
      bank_(&own_kernel_),
      core_(core),
      core_tlbs_(core.tlbs()),
      timing_(&kNoClock),
      stores_(*this, cpu * kRanksPerCpu + kStoreBufferRank,
              machine.platform().mechanisms.inorder_drain),
      pending_(*this, cpu * kRanksPerCpu + kFirstPendingRank, kPendingSlots, core.socket()),
      machine_(machine),
      scheduler_(machine.scheduler()),
      cpu_(cpu),
      user_bank_(&own_user_),
      kernel_bank_(&own_kernel_) {
    core.add_thread(*this);
    share_buffers();
}

HwThread::~HwThread() = default;

void HwThread::retime(const CoreTiming& t) {
    settle();
    timing_ = &t;
    issues_ = kernel_mode_ ? &t.issue_kernel : &t.issue_user;
}

void HwThread::settle() {
    if (observing_) report_issue_time();
    if (timing_->period == 0) return;
    const Tick cycles = unsettled_ / timing_->period;
    (*bank_)[Event::kCycles] += cycles;
    (*bank_)[Event::kUnhaltedFs] += cycles * timing_->period;
    unsettled_ -= cycles * timing_->period;  // less than a cycle goes to the next bank
}

void HwThread::select_counters(Counters* user, Counters* kernel) {
    settle();
    user_bank_ = user != nullptr ? user : &own_user_;
    kernel_bank_ = kernel != nullptr ? kernel : &own_kernel_;
    bank_ = kernel_mode_ ? kernel_bank_ : user_bank_;
}

void HwThread::set_kernel_mode(bool kernel) {
    if (kernel == kernel_mode_) return;
    settle();
    kernel_mode_ = kernel;
    bank_ = kernel ? kernel_bank_ : user_bank_;
    issues_ = kernel ? &timing_->issue_kernel : &timing_->issue_user;
}

void HwThread::observe_time(Tick fs, CpiComponent c, FieldId field) {
    if (!reporting_ || context_ == nullptr || fs == 0) return;
    tell_time(context_->top(), context_->caller(), field, c, fs);
}

void HwThread::tell_time(FunctionId function, FunctionId caller, FieldId field, CpiComponent c,
                         Tick fs) {
    const auto component = static_cast<unsigned>(c);
    if (batch_ != nullptr) {
        batch_->on_time(cpu_, function, caller, field, component, fs);
    } else {
        observer_->on_time(cpu_, function, caller, field, component, fs);
    }
}

void HwThread::tell_stack_hits(unsigned loads, unsigned stores) {
    const FunctionId function = context_->top();
    if (batch_ != nullptr) {
        batch_->add_stack_hits(cpu_, function, loads, stores);
        return;
    }
    if (loads != 0) observer_->on_bulk_hits(cpu_, function, kNoField, AccessKind::kLoad, loads);
    if (stores != 0) observer_->on_bulk_hits(cpu_, function, kNoField, AccessKind::kStore, stores);
}

void HwThread::report_issue_time() {
    for (std::size_t c = 0; c < unreported_.size(); ++c) {
        const Tick fs = std::exchange(unreported_[c], 0);
        if (fs != 0) observe_time(fs, static_cast<CpiComponent>(c), kNoField);
    }
}

void HwThread::keep_deferred_slow() {
    const Tick fs = std::exchange(deferred_here_, 0);
    if (context_ == nullptr) return;
    const FunctionId function = context_->top();
    const FunctionId caller = context_->caller();
    if (!deferrals_.empty() && deferrals_.back().function == function &&
        deferrals_.back().caller == caller) {
        deferrals_.back().fs += fs;
    } else {
        deferrals_.push_back({function, caller, fs});
    }
}

void HwThread::report_deferred_slow(Tick base, Tick lost) {
    constexpr auto kBase = static_cast<unsigned>(CpiComponent::kBase);
    constexpr auto kSmt = static_cast<unsigned>(CpiComponent::kSmt);
    for (const Deferral& d : deferrals_) {
        const Tick smt = static_cast<Tick>(static_cast<double>(lost) * static_cast<double>(d.fs) /
                                           static_cast<double>(base));
        // It was counted for the current function a moment ago.
        unreported_[kBase] -= d.fs;
        unreported_[kSmt] -= smt;
        if (!reporting_) continue;
        tell_time(d.function, d.caller, kNoField, CpiComponent::kBase, d.fs);
        if (smt != 0) tell_time(d.function, d.caller, kNoField, CpiComponent::kSmt, smt);
    }
    deferrals_.clear();
}

void HwThread::set_observer(AccessObserver* observer, LruShadow* shadow) {
    observer_ = observer;
    batch_ = observer != nullptr ? observer->batch() : nullptr;
    observing_ = reporting_ = observer != nullptr;
    recording_issues_ = observer != nullptr && observer->wants_issues();
    set_functional(functional_);
    shadow_ = shadow;
    classifying_ = shadow != nullptr;
    unreported_ = {};
    deferrals_.clear();
    deferred_here_ = 0;
}

void HwThread::observe_issue(Tick base, Tick lost, Tick deferred) {
    unreported_[static_cast<std::size_t>(CpiComponent::kBase)] += base;
    unreported_[static_cast<std::size_t>(CpiComponent::kSmt)] += lost;
    if (window_count_ != 0) {
        deferred_here_ += deferred;
    } else {
        report_deferred(base, lost);
    }
}

void HwThread::execute_detailed(unsigned n) {
    // Behind an access that is still out, only as many go as the window holds; the rest wait for it.
    retire_window();
    while (window_count_ != 0) {
        const std::uint64_t behind = instructions_ - window_[window_head_].instruction;
        if (behind + n <= window_least_) break;
        const unsigned limit = window_limit();
        const std::uint64_t room = behind < limit ? limit - behind : 0;
        if (n <= room) break;
        issue(static_cast<unsigned>(room) + 1);
        n -= static_cast<unsigned>(room) + 1;
        retire_window();
    }
    if (n != 0) {
        issue(n);
        retire_window();
    }
    check();
}

void HwThread::stack_accesses_detailed(unsigned loads, unsigned stores) {
    Counters& c = *bank_;
    c[Event::kLoads] += loads;
    c[Event::kStores] += stores;
    c[Event::kL1dHit] += loads + stores;
    if (reporting_ && context_ != nullptr) tell_stack_hits(loads, stores);
    execute(loads + stores);
}

void HwThread::charge(Tick cost, CpiComponent component) {
    if (functional_ || cost == 0) return;
    now_ += cost;
    count_time(cost, component);
    check();
}

std::uint64_t HwThread::peek_tsc() const {
    return static_cast<std::uint64_t>(static_cast<double>(now_) * 1e-6 * machine_.tsc_ghz());
}

std::uint64_t HwThread::rdtsc() {
    if (!functional_) {
        issue(1);
        instructions_ += machine_.platform().core.rdtsc_uops - 1;  // it is microcode
        charge(timing_->rdtsc, CpiComponent::kBase);
        return running().peek_tsc();
    }
    return peek_tsc();
}

// ---- the reorder window ---------------------------------------------------------------------

void HwThread::share_buffers() {
    // Reorder and store buffer are split while both threads run; for the scheduler they compete.
    const Platform& platform = machine_.platform();
    const CoreConfig& core = platform.core;
    const bool split = sibling_ != nullptr && !sibling_->halted_;
    store_room_ = split ? core.store_buffer / 2 : core.store_buffer;
    const unsigned reorder = split ? core.window / 2 : core.window;
    const unsigned fill_it = machine_.scheduler_window();
    window_most_ = std::min(reorder, fill_it);
    window_least_ = split ? std::min(reorder, fill_it - fill_it / 2) : window_most_;
    if (!platform.mechanisms.finite_window) window_least_ = window_most_ = ~0U >> 1;
}

unsigned HwThread::behind_oldest(Tick at) const {
    unsigned behind = at < waited_until_ ? waited_behind_ : 0;
    if (window_count_ != 0) {
        const Outstanding& o = window_[window_head_];
        if (pending_.ready_of(o.token) > at) {
            behind = std::max(behind, static_cast<unsigned>(instructions_ - o.instruction));
        }
    }
    return behind;
}

unsigned HwThread::window_limit_shared() const {
    // The entries of the scheduler that the sibling's waiting instructions leave.
    const unsigned fill_it = machine_.scheduler_window();
    const unsigned left = fill_it - std::min(sibling_->behind_oldest(now_), fill_it);
    return std::clamp(left, window_least_, window_most_);
}

void HwThread::set_halted(bool halted) {
    halted_ = halted;
    note_issuing();
    if (sibling_ != nullptr) sibling_->share_buffers();
}

void HwThread::set_spinning(bool spinning) {
    spinning_ = spinning;
    note_issuing();
}

void HwThread::push_window(Token t, FieldId field, CpiComponent c) {
    if (window_count_ == kWindowSlots) {
        // More misses in flight than any load buffer holds: the oldest must finish first.
        const Outstanding& o = window_[window_head_];
        stall_until(known(o.token), component_of(o.token), o.field);
        pop_window();
    }
    const Tick ready = pending_.ready_of(t);
    if (ready == kNever) {
        pending_.at(t.pending).in_window = true;
    } else {
        known_ready_ = std::max(known_ready_, ready);
    }
    Outstanding& o = window_[(window_head_ + window_count_) % kWindowSlots];
    o.instruction = instructions_;
    o.token.ready = t.ready;
    o.token.pending = t.pending;
    o.token.generation = t.generation;
    o.field = field;
    o.component = c;
    ++window_count_;
}

void HwThread::finish_oldest() {
    // Nobody else changes the window while this thread waits.
    const Outstanding& o = window_[window_head_];
    const Tick when = known(o.token);
    waited_behind_ = static_cast<unsigned>(instructions_ - o.instruction);
    waited_until_ = when;
    stall_until(when, o.token.pending >= 0 ? component_of(o.token) : o.component, o.field);
    pop_window();
}

void HwThread::retire_window_slow() {
    do {
        const Outstanding& o = window_[window_head_];
        head_ready_ = pending_.ready_of(o.token);
        if (head_ready_ > now_) {
            const std::uint64_t behind = instructions_ - o.instruction;
            if (behind <= window_least_ || behind <= window_limit()) return;
            finish_oldest();
        } else {
            pop_window();
        }
    } while (window_count_ != 0);
}

void HwThread::drain_loads() {
    while (window_count_ != 0) finish_oldest();
    if (deferred_ != 0) {
        now_ += deferred_;
        count_time(deferred_, CpiComponent::kBase);
        if (observing_) report_deferred(deferred_, 0);
        deferred_ = 0;
    }
}

void HwThread::drain_stores() {
    if (stores_.empty() && stores_.drained_at() <= now_) return;
    do {
        while (stores_.drained_at() == kNever) block(kWaitForDrains);
        if (observing_) {
            stores_.each_drain([this](Tick at, FieldId field) {
                stall_until(at, CpiComponent::kStoreBuffer, field);
            });
        }
        stall_until(stores_.drained_at(), CpiComponent::kStoreBuffer);
        // Others act up to then, and may take a line that a store was about to drain into: it asks for
        // the line again, and what waits for the drain waits on.
        scheduler_.sync(*this, now_);
    } while (stores_.drained_at() > now_);
}

Tick HwThread::known(const Token& t) {
    for (;;) {
        const Tick ready = pending_.ready_of(t);
        if (ready != kNever) return ready;
        block(t.pending);
    }
}

void HwThread::use(Token t) {
    if (functional_) return;
    const Tick when = known(t);
    stall_until(when, component_of(t), field_of(t));
}

void HwThread::mispredict(Token condition) {
    if (functional_) return;
    use(condition);
    charge(timing_->mispredict, CpiComponent::kBranch);
}

void HwThread::stall_until(Tick t, CpiComponent c, FieldId field) {
    if (t <= now_) return;
    count_time(t - now_, spinning_ ? CpiComponent::kLockWait : c, field);
    now_ = t;
    stalled_until_ = t;
    note_issuing();
}

void HwThread::block(std::int32_t what) {
    blocked_for_ = what;
    blocked_ = true;
    note_issuing();
    scheduler_.block(*this);
    blocked_ = false;
    note_issuing();
}

void HwThread::fence() {
    if (functional_) return;
    issue(1);
    drain_loads();
    drain_stores();
    charge(timing_->mfence, CpiComponent::kStoreBuffer);
}

void HwThread::serialise(Tick cost, CpiComponent component) {
    if (functional_) return;
    issue(1);
    drain_loads();
    drain_stores();
    charge(cost, component);
}

// ---- calls ----------------------------------------------------------------------------------

void HwThread::enter_function(FunctionId f, Addr code, unsigned code_bytes) {
    if (observing_) report_issue_time();
    enter_inlined(f);
    if (functional_) return;
    if (f >= code_generation_.size()) code_generation_.resize(f + 1U, 0);
    // Nothing was filled into or taken from L1I since this function was last fetched: all there.
    if (code_generation_[f] != core_.l1i_generation()) fetch_code(f, code, code_bytes);
}

void HwThread::leave_function() {
    if (observing_) report_issue_time();
    leave_inlined();
}

CpiComponent HwThread::component_of(DataSource s) {
    switch (s) {
        case DataSource::kL2:
            return CpiComponent::kL2;
        case DataSource::kLlc:
            return CpiComponent::kLlc;
        case DataSource::kSameSocketClean:
        case DataSource::kSameSocketDirty:
        case DataSource::kUpgrade:
            return CpiComponent::kSameSocket;
        case DataSource::kOtherSocketClean:
        case DataSource::kOtherSocketDirty:
        case DataSource::kUpgradeRemote:
            return CpiComponent::kOtherSocket;
        case DataSource::kDramLocal:
        case DataSource::kDramRemote:
            return CpiComponent::kDram;
        default:
            return CpiComponent::kBase;
    }
}

const HwThread::Outstanding* HwThread::in_window(const Token& t) const {
    for (std::size_t i = 0; i < window_count_; ++i) {
        const Outstanding& o = window_[(window_head_ + i) % kWindowSlots];
        if (o.token.pending < 0 && o.token.ready == t.ready) return &o;
    }
    return nullptr;
}

FieldId HwThread::field_of(const Token& t) const {
    if (t.pending < 0) {
        const Outstanding* o = t.ready > now_ ? in_window(t) : nullptr;
        return o != nullptr ? o->field : kNoField;
    }
    return pending_.is_current(t) ? pending_.at(t.pending).field : kNoField;
}

CpiComponent HwThread::component_of(const Token& t) const {
    if (t.pending < 0) {
        // A value on its way in a fill that something else began.
        const Outstanding* o = t.ready > now_ ? in_window(t) : nullptr;
        return o != nullptr ? o->component : CpiComponent::kBase;
    }
    return pending_.is_current(t) ? component_of(pending_.at(t.pending).source)
                                  : CpiComponent::kBase;
}

}  // namespace linefill::model
