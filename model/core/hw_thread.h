// SPDX-License-Identifier: Apache-2.0
// A hardware thread: interval timing of an instruction stream that the code above describes as it
// runs. Straight-line instructions, accesses with what their addresses depend on, locked operations,
// barriers, waits. All times it hands out are global modelled time.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/cache/tlb.h"
#include "model/core/access.h"
#include "model/core/counters.h"
#include "model/core/execution_context.h"
#include "model/core/pending_loads.h"
#include "model/core/store_buffer.h"
#include "model/core/timing.h"
#include "model/sim/scheduler.h"

namespace linefill::model {

class BatchObserver;
class Core;
class LruShadow;
class Machine;

enum class PrefetchKind : std::uint8_t { kNta, kT0 };

/// What a waiting loop executes per iteration (charged in bulk while the line does not change).
struct SpinLoop {
    unsigned instructions = 4;  ///< load, compare, PAUSE, branch
    unsigned loads = 1;
    bool pause = true;  ///< PAUSE in the loop: gives issue slots to the sibling
};

/// What the layer above installs: called on the interrupted fiber, with interrupts off.
struct InterruptSink {
    virtual ~InterruptSink() = default;
    virtual void interrupt(unsigned cpu, unsigned vector) = 0;
};

class HwThread final : public Agent {
public:
    HwThread(Machine& machine, Core& core, unsigned cpu);
    ~HwThread() override;

    unsigned cpu() const { return cpu_; }
    Core& core() { return core_; }
    Machine& machine() { return machine_; }

    // ---- time -------------------------------------------------------------------------------
    /// Local time: when the next instruction issues.
    Tick now() const { return now_; }
    /// Period of the core clock now.
    Tick period() const { return timing_->period; }
    /// rdtsc: TSC ticks (at the TSC rate), with its cost charged.
    std::uint64_t rdtsc();
    /// The TSC at local time, without cost (the layer above reads its own clock for bookkeeping).
    std::uint64_t peek_tsc() const;

    // ---- instruction stream -----------------------------------------------------------------
    /// `n` straight-line instructions that touch nothing shared (private stack hits included).
    void execute(unsigned n) {
        if (!functional_ && n != 0) execute_detailed(n);
    }
    /// `n` pops or other loads, and `m` pushes, that hit the hot lines of the own stack.
    void stack_accesses(unsigned loads, unsigned stores) {
        if (!functional_) stack_accesses_detailed(loads, stores);
    }
    /// A call into a function whose code lies at `code` (L1I and ITLB are looked up when needed), and
    /// the return from it. CALL and RET themselves are counted with the stack accesses that they make.
    void enter_function(FunctionId f, Addr code, unsigned code_bytes);
    void leave_function();
    /// The same for a function that is inlined into its caller: it has neither call nor code.
    void enter_inlined(FunctionId f) {
        keep_deferred();
        context_->push(f);
    }
    void leave_inlined() {
        keep_deferred();
        context_->pop();
    }
    /// Time for a cost that the platform gives in cycles or ns, booked under `component`.
    void charge(Tick cost, CpiComponent component);

    /// A load of `size` bytes whose address needs `dep`.
    Token load(Addr addr, unsigned size, FieldId field, Token dep = {}) {
        return plain_ ? load_detailed(addr, size, field, dep) : load_other(addr, size, field, dep);
    }
    /// A store: retires into the store buffer, becomes visible when it drains. `effect`, if given,
    /// runs at the drain, in global time order (the release of a lock).
    void store(Addr addr, unsigned size, FieldId field, Token dep = {}, StoreEffect effect = {});
    /// A LOCK-prefixed read-modify-write or XCHG: drains, takes the line, then calls `operation` on
    /// the values, at the point in global order where the line is held.
    template <class Operation>
    auto locked(Addr addr, unsigned size, FieldId field, Operation&& operation, Token dep = {}) {
        HwThread& here = begin_locked(addr, size, field, dep);
        if constexpr (std::is_void_v<decltype(operation())>) {
            operation();
            here.end_locked(addr, field);
        } else {
            auto result = operation();
            here.end_locked(addr, field);
            return result;
        }
    }
    /// Software prefetch with read intent. Takes a fill buffer, waits for nothing.
    void prefetch(Addr addr, FieldId field, PrefetchKind kind, Token dep = {});
    /// MFENCE / smp_mb: drains the store buffer and the loads.
    void fence();
    /// A serialising instruction (CR3 write, WRMSR, IRET): drains everything.
    void serialise(Tick cost, CpiComponent component);
    /// A branch that was predicted wrongly once `condition` is known; cuts the overlap.
    void mispredict(Token condition = {});
    /// Waits until the value of `t` is there (a use that the window cannot hide).
    void use(Token t);

    /// Waits as a polling loop does until `condition()` holds, checked each time another agent has
    /// taken the line of `addr`; charges what the loop would have executed meanwhile.
    /// If `interruptible`, interrupts are taken while waiting.
    void spin_until(Addr addr, unsigned size, FieldId field, const SpinLoop& loop,
                    const std::function<bool()>& condition);

    // ---- interrupts, halt, context ----------------------------------------------------------
    bool interrupts_enabled() const { return interrupts_enabled_; }
    void disable_interrupts();  ///< cli (cost charged)
    void enable_interrupts();   ///< sti or popf with IF set; pending ones are taken at once
    /// Marks `vector` pending at global time (called from events); wakes a halted thread.
    void raise(unsigned vector);
    bool interrupt_pending() const { return pending_vectors_ != 0; }
    /// HLT or MWAIT with interrupts enabled atomically: returns after an interrupt was taken, or,
    /// if `monitor` is not 0, after another agent wrote that line. `exit_latency` is the idle state's.
    void halt(Addr monitor, Tick exit_latency);
    bool halted() const { return halted_; }
    /// Gives the hardware thread to another task's stack: returns when it is given back.
    void switch_context(ExecutionContext& next);
    ExecutionContext& context() { return *context_; }
    /// Kernel (true) or user mode, for :k and :u counts; set by the system call and interrupt paths.
    void set_kernel_mode(bool kernel);
    bool kernel_mode() const { return kernel_mode_; }
    /// Whether the interrupt that is being taken came in user mode; for InterruptSink.
    bool interrupted_user_mode() const { return interrupted_user_mode_; }

    // ---- counting and attribution -----------------------------------------------------------
    /// Where events are counted from now on; `user` and `kernel` banks. Books time up to now first.
    void select_counters(Counters* user, Counters* kernel);
    Counters& counters() { return *bank_; }
    /// Books time that has passed but was not yet added to the selected bank.
    void settle();
    FunctionId function() const { return context_->top(); }

    // ---- fast-forward -----------------------------------------------------------------------
    /// While on, accesses cost nothing and touch no cache; only advance() moves time.
    void set_functional(bool on) {
        functional_ = on;
        plain_ = !functional_ && !recording_issues_;
    }
    /// Who is told of accesses and time (null: nobody); `shadow`: of the core, for the classes of misses.
    void set_observer(AccessObserver* observer, LruShadow* shadow);
    bool observing() const { return observing_; }
    /// Whether the observer is told of what this thread does from now on; at first it is.
    void set_reporting(bool on) { reporting_ = on && observing_; }
    bool functional() const { return functional_; }
    /// Moves local time on by `cost` in global order, taking interrupts that fall due on the way
    /// (if enabled). Returns when local time has reached the end.
    void advance(Tick cost);
    /// The same up to the first interrupt: local time moves on by `cost` or until an interrupt is
    /// taken, whichever is first, and the time that passed before that interrupt is returned. The
    /// interrupt is taken as the last thing done (it may reschedule, and come back on another CPU).
    Tick advance_some(Tick cost);

    /// advance() returns early, after an interrupt or at once, while `*flag` is true.
    void stop_advance_on(const bool* flag) { stop_advance_ = flag; }
    /// Wakes this thread from advance() now (called from events).
    void interrupt_advance() {
        if (sleeping_in_advance_) scheduler_.schedule(*this, scheduler_.now());
    }
    /// Starts running at `at` (Machine::start).
    void begin_at(Tick at);

    /// Everything before local time has been done by all others when this returns.
    void synchronise();

    // ---- called by the parts of this hardware thread and by its core --------------------------
    Scheduler& scheduler() { return scheduler_; }
    /// Performs a pending access in global order (PendingAccess::fire).
    void perform(PendingAccess& p, Tick now);
    /// Starts getting ownership of a line for a store in the buffer.
    void request_ownership(Addr addr, unsigned size, FieldId field, Tick at);
    /// A store with an effect has drained.
    void store_visible(const StoreBuffer::Entry& e, Tick now);
    void store_buffer_changed();
    void store_buffer_snooped(Addr line, Tick& at) {
        if (!stores_.empty()) stores_.snooped(line, at);
    }
    /// Lookups in L1D that pending accesses are still to make.
    std::int64_t lookups_to_come() const { return pending_.lookups_to_come(); }
    std::uint64_t oldest_unresolved_load() const { return pending_.oldest_unresolved(); }
    /// A watched line was taken or written by another agent at `at`.
    void line_taken(Tick at);
    /// The clock of the core changed; `t` stays.
    void retime(const CoreTiming& t);
    const CoreTiming& timing() const { return *timing_; }
    /// True while it issues instructions at `at` (not halted, stalled or in a PAUSE loop).
    bool issuing_at(Tick at) const { return issuing_from_ <= at; }
    bool spinning() const { return spinning_; }
    Addr waiting_for() const { return watched_; }
    FieldId waiting_for_field() const { return watched_field_; }

private:
    struct Outstanding {  // an access in the reorder window whose value is not there yet
        std::uint64_t instruction;
        Token token;
        FieldId field;
        CpiComponent component;
    };
    static constexpr std::size_t kWindowSlots = 64;  // as many as load buffers go

    void execute_detailed(unsigned n);
    void stack_accesses_detailed(unsigned loads, unsigned stores);
    Token load_detailed(Addr addr, unsigned size, FieldId field, Token dep);
    Token load_other(Addr addr, unsigned size, FieldId field, Token dep);
    /// The rest of a load that has issued and is translated (in `walk`, so that it starts at `at`),
    /// unless it is an L1D hit with nothing special about it.
    Token load_special(Addr addr, unsigned size, FieldId field, Token dep, Tick at, Tick walk);

    /// Returns the hardware thread that goes on: another one after an interrupt that moved the task.
    HwThread& begin_locked(Addr addr, unsigned size, FieldId field, Token dep);
    void end_locked(Addr addr, FieldId field);
    /// These three take interrupts, on whose way out the layer above may have moved the calling fiber
    /// to another hardware thread. They return false then, and `this` must not be touched any more.
    [[nodiscard]] bool at_deadline();
    [[nodiscard]] bool take_interrupts();
    /// Of one iteration, while nobody writes what the loop reads.
    [[nodiscard]] Tick time_of(const SpinLoop& loop) const;
    bool check() { return now_ < deadline_ || at_deadline(); }
    void reset_deadline();
    void end_interrupt(bool was_kernel);
    static HwThread& running() { return *static_cast<HwThread*>(Scheduler::running_agent()); }
    /// Issue slots of `n` instructions.
    void issue(unsigned n) {
        instructions_ += n;
        Counters& c = *bank_;
        c[Event::kInstructions] += n;
        CoreTiming::Issue i;
        if (n < CoreTiming::kIssues && (window_count_ != 0 || deferred_ == 0)) {
            i = (*issues_)[n];
        } else {
            i = timing_->issue((*issues_)[1].base * n + (window_count_ == 0 ? deferred_ : 0));
            if (window_count_ == 0) deferred_ = 0;
        }
        Tick base = i.base;
        Tick lost = i.base_lost;
        if (window_count_ != 0) {
            // An older load is still out: what needs its value is executed when it is there.
            deferred_ += i.deferred;
            base = i.behind;
            lost = i.behind_lost;
        }
        now_ += base;
        if (sibling_ == nullptr || !sibling_->issuing_at(now_)) lost = 0;
        now_ += lost;
        c[CpiComponent::kBase] += base;
        c[CpiComponent::kSmt] += lost;
        unsettled_ += base + lost;
        if (observing_) observe_issue(base, lost, i.deferred);
    }
    /// The observer's part of it: `deferred` if the window is not empty.
    void observe_issue(Tick base, Tick lost, Tick deferred);
    /// What this thread has of the buffers that the core shares out, now.
    void share_buffers();
    void set_halted(bool halted);
    void set_spinning(bool spinning);
    void note_issuing() {
        issuing_from_ = halted_ || spinning_ || blocked_ ? kNever : stalled_until_;
    }
    void retire_window() {
        if (window_count_ == 0) return;
        // As a rule the oldest is still out and holds nothing up yet.
        const bool waits = instructions_ - window_[window_head_].instruction > window_least_;
        if (waits || head_ready_ <= now_) retire_window_slow();
    }
    void retire_window_slow();
    /// How many instructions go on behind the oldest access in the window: as many as the reorder
    /// buffer holds, and as fill the scheduler's entries with those of them that wait for it.
    unsigned window_limit() const {
        // They differ only while there is a sibling that competes.
        if (window_least_ == window_most_) return window_most_;
        const bool none_waits = sibling_->window_count_ == 0 && now_ >= sibling_->waited_until_;
        return none_waits ? window_most_ : window_limit_shared();
    }
    unsigned window_limit_shared() const;
    /// Of these, those that are there at `at` while it is still out.
    unsigned behind_oldest(Tick at) const;
    void pop_window() {
        // An empty one starts over: the first slots are in the host's caches.
        window_head_ = --window_count_ == 0 ? 0 : (window_head_ + 1) % kWindowSlots;
        head_ready_ = 0;
    }
    /// Waits for the oldest access in the window.
    void finish_oldest();
    /// All older loads have completed by then, as far as is known.
    Tick loads_complete() const { return known_ready_; }
    void push_window(Token t, FieldId field, CpiComponent c);
    /// Blocks the host until the token's ready time is known; returns it.
    Tick known(const Token& t);
    void drain_loads();
    void drain_stores();
    void stall_until(Tick t, CpiComponent c, FieldId field = kNoField);
    void count_time(Tick fs, CpiComponent c, FieldId field = kNoField) {
        (*bank_)[c] += fs;
        if (c != CpiComponent::kIdle) unsettled_ += fs;
        if (!observing_) return;
        if (field == kNoField && c <= CpiComponent::kSmt) {
            unreported_[static_cast<std::size_t>(c)] += fs;
        } else {
            observe_time(fs, c, field);
        }
    }
    /// Before the innermost function changes: keeps whose instructions wait, so that their time is
    /// booked there and not where it passes.
    void keep_deferred() {
        if (observing_ && deferred_here_ != 0) keep_deferred_slow();
    }
    void keep_deferred_slow();
    /// Tells the observer of deferred time, now part of `base` that has passed and has made the
    /// sibling take `lost`.
    void report_deferred(Tick base, Tick lost) {
        keep_deferred();
        if (!deferrals_.empty()) report_deferred_slow(base, lost);
    }
    void report_deferred_slow(Tick base, Tick lost);
    /// Tells the observer of the issue time that has come together in the current function.
    void report_issue_time();
    void observe_time(Tick fs, CpiComponent c, FieldId field);
    void tell_time(FunctionId function, FunctionId caller, FieldId field, CpiComponent c, Tick fs);
    void tell_stack_hits(unsigned loads, unsigned stores);
    void tell_access(const AccessRecord& r);
    /// Address translation of an address that is known at `at` (kNever: not yet): delay from then to
    /// the access's start.
    Tick translate(Addr addr, bool is_store, Tick at) {
        return core_tlbs_.data_hits(addr) ? 0 : translate_slow(addr, is_store, at);
    }
    Tick translate_slow(Addr addr, bool is_store, Tick at);
    /// An access that L1D could not serve: from L2 at once, else pending.
    Token miss(Addr addr, unsigned size, FieldId field, PendingKind kind, Tick issue_at,
               const Token& dep, bool nta);
    std::int32_t new_slot();
    /// The LLC has answered the access's request.
    void filled(PendingAccess& p, const CoherentTransaction& t, Tick now);
    void resolve(PendingAccess& p, Tick ready, DataSource source);
    void report(const PendingAccess& p, MissClass miss, Tick at) {
        if (classifying_) report_performed(p, miss, at);
    }
    void report_performed(const PendingAccess& p, MissClass miss, Tick at);
    void report_hit(AccessKind kind, FieldId field, Addr addr, Tick at, Tick latency,
                    DataSource source) {
        if (classifying_) report_served(kind, field, addr, at, latency, source);
    }
    void report_served(AccessKind kind, FieldId field, Addr addr, Tick at, Tick latency,
                       DataSource source);
    void report_issue(AccessKind kind, Addr addr, unsigned size, FieldId field, const Token& dep,
                      Token* result);
    static CpiComponent component_of(DataSource s);
    CpiComponent component_of(const Token& t) const;
    /// The access that a value comes from, as far as it is still known.
    FieldId field_of(const Token& t) const;
    const Outstanding* in_window(const Token& t) const;
    /// What the thread gives the host away for: of its own accesses a certain one, or this.
    static constexpr std::int32_t kWaitForDrains = -1;    ///< when all stores drain is known
    static constexpr std::int32_t kWaitForRoom = -2;      ///< a change in the store buffer
    static constexpr std::int32_t kWaitForSchedule = -3;  ///< what others schedule it for
    /// Gives the host away until `what`, or until somebody schedules this thread.
    void block(std::int32_t what = kWaitForSchedule);
    void fetch_code(FunctionId f, Addr code, unsigned code_bytes);

    // What every instruction reads or writes comes first, close together.
    Tick now_ = 0;
    Tick deadline_ = 0;  // run-ahead bound or an interrupt to take: whichever is first
    Tick stalled_until_ = 0;
    Tick issuing_from_ = kNever;  // the same if it issues instructions then, else kNever
    bool functional_ = false;
    bool plain_ = true;  // neither functional_ nor recording_issues_
    bool halted_ = true;
    bool spinning_ = false;  // in a polling loop
    bool blocked_ = false;   // host-blocked for any reason
    bool watching_ = false;  // host-blocked until a watched line is taken
    bool interrupts_enabled_ = false;
    bool kernel_mode_ = true;
    bool interrupted_user_mode_ = false;
    bool observing_ = false;         // attribution is on
    bool reporting_ = false;         // and the observer is told of this thread
    bool classifying_ = false;       // it was, once: misses are classified
    bool recording_issues_ = false;  // the observer wants accesses before they happen
    bool locked_fresh_ = false;  // the locked operation's line came by a transaction that holds it
    bool sleeping_in_advance_ = false;
    bool taken_ = false;
    std::int32_t blocked_for_ = kWaitForSchedule;
    HwThread* sibling_ = nullptr;
    Counters* bank_;
    const CoreTiming::Issues* issues_ = nullptr;  // of the mode that it is in
    std::uint64_t instructions_ = 0;              // in the window's numbering
    std::uint64_t sequence_ = 0;                  // program order of loads and stores
    Tick deferred_ = 0;       // base time of instructions that wait for a load in flight
    Tick deferred_here_ = 0;  // of that, in the innermost function and not in deferrals_
    Tick unsettled_ = 0;      // unhalted time not yet in kCycles
    std::size_t window_head_ = 0, window_count_ = 0;
    Tick head_ready_ = 0;        // not before then is the oldest in the window known to be ready
    unsigned window_least_ = 0;  // what window_limit() is at least, and at most
    unsigned window_most_ = 0;
    unsigned waited_behind_ = 0;  // instructions behind the access that was last waited for
    Tick waited_until_ = 0;       // and when it came
    unsigned store_room_ = 0;     // store buffer entries
    Tick known_ready_ = 0;        // latest time known, of the values in the window and before it
    Core& core_;
    Tlbs& core_tlbs_;
    ExecutionContext* context_ = nullptr;
    const CoreTiming* timing_;
    StoreBuffer stores_;
    PendingLoads pending_;
    Machine& machine_;
    Scheduler& scheduler_;
    friend class Machine;
    unsigned cpu_;
    std::array<Outstanding, kWindowSlots> window_;
    std::vector<std::uint64_t> code_generation_;  // per function: L1I generation it was fetched in

    Counters* user_bank_;
    Counters* kernel_bank_;
    Counters own_user_, own_kernel_;    // used when nobody selected others
    std::array<Tick, 2> unreported_{};  // kBase and kSmt of the current function
    struct Deferral {
        FunctionId function, caller;
        Tick fs;
    };
    std::vector<Deferral> deferrals_;  // whose deferred_ is, while observing
    AccessObserver* observer_ = nullptr;
    BatchObserver* batch_ = nullptr;  // the observer, if it is one
    LruShadow* shadow_ = nullptr;
    std::uint32_t last_issue_ = 0;  // number of the last observed load
    const bool* stop_advance_ = nullptr;
    Addr watched_ = 0;
    FieldId watched_field_ = kNoField;
    std::uint64_t pending_vectors_ = 0;
};

}  // namespace linefill::model
