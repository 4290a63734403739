// SPDX-License-Identifier: Apache-2.0
// Names behind the ids that accesses carry: structure fields and kernel functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/core/access.h"

namespace linefill::kernel {

struct FieldInfo {
    std::string structure;  ///< as in the layout: "task_struct", "rq", "signal_struct"
    std::string field;      ///< dotted: "se.exec_start"
    std::uint32_t offset = 0;
    std::uint32_t size = 0;  ///< bytes
};

/// Ids are handed out in order of first registration, the same in every run of a program.
class FieldRegistry {
public:
    static FieldRegistry& instance();
    /// Id of structure.field (the same for every object of the structure).
    model::FieldId id(std::string_view structure, std::string_view field, std::uint32_t offset,
                      std::uint32_t size);
    const FieldInfo& info(model::FieldId id) const { return infos_.at(id); }
    std::size_t size() const { return infos_.size(); }

private:
    FieldRegistry() : infos_(1) {}
    std::vector<FieldInfo> infos_;
};

struct FunctionInfo {
    std::string symbol;
    std::string source;  ///< kernel file and version it models
    std::uint32_t code_bytes = 0;
    model::Addr address = 0;  ///< in kernel text
};

class FunctionRegistry {
public:
    static FunctionRegistry& instance();
    model::FunctionId add(std::string_view symbol, std::string_view source,
                          std::uint32_t code_bytes);
    const FunctionInfo& info(model::FunctionId id) const { return infos_.at(id); }
    std::size_t size() const { return infos_.size(); }
    /// kNoFunction if there is none of that symbol.
    model::FunctionId find(std::string_view symbol) const;

private:
    FunctionRegistry() : infos_(1) {}
    std::vector<FunctionInfo> infos_;
    model::Addr next_address_ = 0x1000000;  // kernel text starts at 16 MiB physical
};

}  // namespace linefill::kernel
