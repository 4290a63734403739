// SPDX-License-Identifier: Apache-2.0
#include "kernel/base/field.h"

#include <string>

namespace linefill::kernel {

FieldBase::FieldBase(const Place& at, const char* field) {
    const std::string path = std::string(at.prefix) + field;
    const u32 offset = at.layout->offset(at.structure, path);
    addr_ = at.base + offset;
    size_ = at.layout->size_of(at.structure, path);
    id_ = FieldRegistry::instance().id(at.structure, path, offset, size_);
}

}  // namespace linefill::kernel
