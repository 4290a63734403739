// SPDX-License-Identifier: Apache-2.0
// Fields with simulated addresses: reading or writing one charges a load or a store at its address
// through the current hardware thread; the value lives in the host object. Kernel code reads like
// kernel code:
//
//     KPtr<SchedEntity> curr = cfs_rq->curr;         // a load; curr remembers which one
//     u64 start = curr->exec_start;                  // a load whose address depends on it
//     curr->exec_start = now;                        // a store
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernel/base/registry.h"
#include "kernel/layout/layout.h"
#include "model/core/hw_thread.h"
#include "model/core/this_hw_thread.h"

namespace linefill::kernel {

using model::Addr;
using model::FieldId;
using model::Token;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

/// The address dependence of the next field access: set by KPtr's ->, taken by the access.
inline Token g_next_dep{};
inline Token take_dep() { return std::exchange(g_next_dep, Token{}); }

/// A value that was loaded, with the load it came from.
template <class T>
struct Loaded {
    T value{};
    Token token{};
    operator T() const { return value; }  // NOLINT: reads like a plain value
};

/// A pointer to a kernel object that remembers the load it came from, so that what it points to is
/// reached no earlier.
template <class T>
class KPtr {
public:
    KPtr() = default;
    KPtr(T* p, Token t = {}) : p_(p), token_(t) {}  // NOLINT: as a plain pointer
    KPtr(std::nullptr_t) {}                         // NOLINT
    T* operator->() const {
        g_next_dep = token_;
        return p_;
    }
    T& operator*() const {
        g_next_dep = token_;
        return *p_;
    }
    /// Host access, charged to nobody.
    T* get() const { return p_; }
    Token token() const { return token_; }
    explicit operator bool() const { return p_ != nullptr; }
    friend bool operator==(const KPtr& a, const KPtr& b) { return a.p_ == b.p_; }
    friend bool operator==(const KPtr& a, const T* b) { return a.p_ == b; }
    friend bool operator==(const KPtr& a, std::nullptr_t) { return a.p_ == nullptr; }

private:
    T* p_ = nullptr;
    Token token_{};
};

/// Where an object lies and which layout places its fields. `structure` is the layout's outermost
/// structure ("task_struct"), `prefix` the path of an embedded member ("se." for its sched_entity),
/// `base` the address of the outermost object.
struct Place {
    const Layout* layout = nullptr;
    const char* structure = "";
    const char* prefix = "";
    Addr base = 0;
};

/// Common part of all fields: address and id.
class FieldBase {
public:
    Addr addr() const { return addr_; }
    FieldId id() const { return id_; }
    unsigned size() const { return size_; }

protected:
    FieldBase() = default;
    /// Asks the layout; a field that the layout does not have is a UserError.
    FieldBase(const Place& at, const char* field);
    /// At an explicit address (per-CPU scalars, arrays, stack slots).
    FieldBase(Addr addr, unsigned size, FieldId id) : addr_(addr), id_(id), size_(size) {}

    // What an access charges. Not inline: kernel code is full of them, and with it all in place the
    // kernel's functions would drive the model's own out of the host's instruction cache.
    Token charge_load() const;
    void charge_store() const;
    void charge_prefetch(model::PrefetchKind kind) const;

    Addr addr_ = 0;
    FieldId id_ = model::kNoField;
    u32 size_ = 0;
};

template <class T>
class Field : public FieldBase {
public:
    Field() = default;
    Field(const Place& at, const char* field, T initial = {})
        : FieldBase(at, field), value_(initial) {}
    Field(Addr addr, unsigned size, FieldId id, T initial = {})
        : FieldBase(addr, size, id), value_(initial) {}

    Loaded<T> load() const { return {value_, charge_load()}; }
    operator T() const { return load().value; }  // NOLINT: reads like the kernel's field
    void store(T v) {
        value_ = v;
        charge_store();
    }
    T operator=(T v) {  // NOLINT
        store(v);
        return v;
    }
    Field(const Field&) = delete;
    Field& operator=(const Field& o) {
        store(static_cast<T>(o));
        return *this;
    }
    /// Plain read-modify-write: a load and a store, not atomic.
    template <class U>
    Field& operator+=(U d) {
        const Token dep = g_next_dep;
        const T v = load();
        g_next_dep = dep;
        store(static_cast<T>(v + d));
        return *this;
    }
    template <class U>
    Field& operator-=(U d) {
        return *this += static_cast<T>(0) - static_cast<T>(d);
    }
    Field& operator++() { return *this += 1; }
    Field& operator--() { return *this -= 1; }

    /// LOCK-prefixed operation on the value: `f(T&)` runs while the line is held.
    template <class F>
    auto locked(F&& f) {
        return model::this_hw_thread().locked(
            addr_, size_, id_, [&] { return f(value_); }, take_dep());
    }
    /// atomic_add / lock xadd; returns the value before.
    T fetch_add(T d) {
        return locked([&](T& v) { return std::exchange(v, static_cast<T>(v + d)); });
    }
    T xchg(T n) {
        return locked([&](T& v) { return std::exchange(v, n); });
    }
    /// lock cmpxchg; true if it stored.
    bool cmpxchg(T expected, T desired) {
        return locked([&](T& v) {
            if (v != expected) return false;
            v = desired;
            return true;
        });
    }
    /// Software prefetch of the line, read intent.
    void prefetch(model::PrefetchKind kind = model::PrefetchKind::kNta) const {
        charge_prefetch(kind);
    }

    /// Host access, charged to nobody: initialisation, checks, reports.
    T peek() const { return value_; }
    void poke(T v) { value_ = v; }
    T& host() { return value_; }

protected:
    T value_{};
};

/// A pointer field: reading it gives a KPtr that carries the load.
template <class T>
class PtrField : public Field<T*> {
public:
    using Field<T*>::Field;
    operator KPtr<T>() const { return get(); }  // NOLINT
    KPtr<T> get() const {
        const Loaded<T*> l = this->load();
        return KPtr<T>(l.value, l.token);
    }
    KPtr<T> operator->() const =
        delete;           // write `KPtr<T> p = obj->field; p->...` so the load shows
    T* operator=(T* p) {  // NOLINT
        this->store(p);
        return p;
    }
    PtrField& operator=(const PtrField&) = delete;
};

}  // namespace linefill::kernel
