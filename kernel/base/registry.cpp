// SPDX-License-Identifier: Apache-2.0
#include "kernel/base/registry.h"

namespace linefill::kernel {

FieldRegistry& FieldRegistry::instance() {
    static FieldRegistry registry;
    return registry;
}

model::FieldId FieldRegistry::id(std::string_view structure, std::string_view field,
                                 std::uint32_t offset, std::uint32_t size) {
    for (std::size_t i = 1; i < infos_.size(); ++i) {
        if (infos_[i].field == field && infos_[i].structure == structure) {
            return static_cast<model::FieldId>(i);
        }
    }
    infos_.push_back({std::string(structure), std::string(field), offset, size});
    return static_cast<model::FieldId>(infos_.size() - 1);
}

FunctionRegistry& FunctionRegistry::instance() {
    static FunctionRegistry registry;
    return registry;
}

model::FunctionId FunctionRegistry::add(std::string_view symbol, std::string_view source,
                                        std::uint32_t code_bytes) {
    infos_.push_back({std::string(symbol), std::string(source), code_bytes, next_address_});
    // Functions start on 16-byte boundaries, as gcc aligns them.
    next_address_ += (code_bytes + 15U) & ~15U;
    return static_cast<model::FunctionId>(infos_.size() - 1);
}

model::FunctionId FunctionRegistry::find(std::string_view symbol) const {
    for (std::size_t i = 1; i < infos_.size(); ++i) {
        if (infos_[i].symbol == symbol) return static_cast<model::FunctionId>(i);
    }
    return model::kNoFunction;
}

}  // namespace linefill::kernel
