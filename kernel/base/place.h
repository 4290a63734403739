// SPDX-License-Identifier: Apache-2.0
// Places of embedded members, fields that only some kernel versions have, and list links.
#pragma once

#include <set>
#include <string>

#include "kernel/base/field.h"

namespace linefill::kernel {

/// A string that lives as long as the program, for Place's prefix.
inline const char* interned(std::string text) {
    static std::set<std::string> strings;
    return strings.insert(std::move(text)).first->c_str();
}

/// The place of the embedded structure `member` ("se") of what lies at `at`.
inline Place inside(const Place& at, const char* member) {
    Place p = at;
    p.prefix = interned(std::string(at.prefix) + member + ".");
    return p;
}

inline bool has_field(const Place& at, const char* field) {
    return at.layout->has(at.structure, std::string(at.prefix) + field);
}

/// The field if this kernel's layout has it; else one without an address, which must not be touched.
template <class T>
Field<T> optional_field(const Place& at, const char* field, T initial = {}) {
    if (!has_field(at, field)) return Field<T>();
    return Field<T>(at, field, initial);
}

/// The first of two names that this kernel's layout has: fields that were renamed.
inline const char* either(const Place& at, const char* name, const char* other) {
    return has_field(at, name) ? name : other;
}

/// An 8-byte word of a bigger member (a list head, an array) as a field of its own: same name in
/// reports, address `offset` bytes into the member.
template <class T>
Field<T> word_of(const Place& at, const char* member, u32 offset, unsigned size = 8,
                 T initial = {}) {
    const std::string path = std::string(at.prefix) + member;
    const u32 start = at.layout->offset(at.structure, path);
    const u32 bytes = at.layout->size_of(at.structure, path);
    return Field<T>(at.base + start + offset, size,
                    FieldRegistry::instance().id(at.structure, path, start, bytes), initial);
}

/// The two words of a list_head in an object of type T (or of a head: `owner` stays null there).
/// Links point to objects; null stands for the head, so an empty list has null links.
template <class T>
struct ListLinks {
    ListLinks(const Place& at, const char* member)
        : next(word_of<T*>(at, member, 0)), prev(word_of<T*>(at, member, 8)) {}

    KPtr<T> first() const {
        const Loaded<T*> l = next.load();
        return KPtr<T>(l.value, l.token);
    }
    KPtr<T> last() const {
        const Loaded<T*> l = prev.load();
        return KPtr<T>(l.value, l.token);
    }

    Field<T*> next, prev;
};

/// list_add_tail: `links` is the member of T that the list goes through.
template <class T>
void list_add_tail(ListLinks<T>& head, T& object, ListLinks<T> T::*links) {
    const KPtr<T> last = head.last();
    (object.*links).next = nullptr;
    (object.*links).prev = last.get();
    if (last) {
        ((*last).*links).next = &object;
    } else {
        head.next = &object;
    }
    head.prev = &object;
}

template <class T>
void list_add_head(ListLinks<T>& head, T& object, ListLinks<T> T::*links) {
    const KPtr<T> first = head.first();
    (object.*links).prev = nullptr;
    (object.*links).next = first.get();
    if (first) {
        ((*first).*links).prev = &object;
    } else {
        head.prev = &object;
    }
    head.next = &object;
}

template <class T>
void list_del(ListLinks<T>& head, T& object, ListLinks<T> T::*links) {
    const KPtr<T> next = (object.*links).first();
    const KPtr<T> prev = (object.*links).last();
    if (prev) {
        ((*prev).*links).next = next.get();
    } else {
        head.next = next.get();
    }
    if (next) {
        ((*next).*links).prev = prev.get();
    } else {
        head.prev = prev.get();
    }
    (object.*links).next.poke(nullptr);
    (object.*links).prev.poke(nullptr);
}

}  // namespace linefill::kernel
