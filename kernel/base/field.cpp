// SPDX-License-Identifier: Apache-2.0
#include "kernel/base/field.h"

#include <optional>
#include <string>
#include <unordered_map>

namespace linefill::kernel {

namespace {

/// Where fields lie, as far as they were asked for already: every object of a type asks for the same
/// ones.
class KnownFields {
public:
    struct Where {
        u32 offset = 0;
        u32 size = 0;
        FieldId id = model::kNoField;
    };

    const Where& find(const Place& at, const char* field) {
        // The copy keeps the tables, so that another layout's never have their address.
        if (!layout_ || &layout_->tables() != &at.layout->tables()) {
            layout_ = *at.layout;
            known_.clear();
        }
        key_.assign(at.structure);
        key_ += '.';
        key_ += at.prefix;
        key_ += field;
        const auto known = known_.find(key_);
        if (known != known_.end()) return known->second;
        const std::string path = std::string(at.prefix) + field;
        Where where;
        where.offset = at.layout->offset(at.structure, path);
        where.size = at.layout->size_of(at.structure, path);
        where.id = FieldRegistry::instance().id(at.structure, path, where.offset, where.size);
        return known_.emplace(key_, where).first->second;
    }

private:
    std::optional<Layout> layout_;
    std::unordered_map<std::string, Where> known_;
    std::string key_;
};

}  // namespace

FieldBase::FieldBase(const Place& at, const char* field) {
    static KnownFields known;
    const KnownFields::Where& where = known.find(at, field);
    addr_ = at.base + where.offset;
    size_ = where.size;
    id_ = where.id;
}

Token FieldBase::charge_load() const {
    return model::this_hw_thread().load(addr_, size_, id_, take_dep());
}

void FieldBase::charge_store() const {
    model::this_hw_thread().store(addr_, size_, id_, take_dep());
}

void FieldBase::charge_prefetch(model::PrefetchKind kind) const {
    model::this_hw_thread().prefetch(addr_, id_, kind, take_dep());
}

}  // namespace linefill::kernel
