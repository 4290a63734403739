// SPDX-License-Identifier: Apache-2.0
// Records calls of a kernel function as ordered lists of accesses, to be held beside a disassembly:
// field, line of the structure, kind, what the address depends on, what drains.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/core/access.h"
#include "model/machine.h"

namespace linefill::kernel {

struct PathStep {
    unsigned depth = 0;                               ///< of calls below the recorded function
    model::FunctionId function = model::kNoFunction;  ///< that makes the access
    model::FieldId field = model::kNoField;
    model::AccessKind kind = model::AccessKind::kLoad;
    int depends_on = -1;  ///< index of the step whose value the address needs; -1: of none
    std::int64_t instructions = 0;  ///< executed since the first step, this one included

    /// LOCK-prefixed: store buffer and loads drain before it.
    [[nodiscard]] bool drains() const { return kind == model::AccessKind::kRmw; }
};

struct RecordedPath {
    std::vector<PathStep> steps;
    unsigned cpu = 0;
};

/// Watches one machine, once installed as its observer, for calls of one function.
class PathRecorder final : public model::AccessObserver {
public:
    PathRecorder(model::Machine& machine, model::FunctionId function)
        : machine_(machine), function_(function), open_(machine.cpus()) {}

    /// The call with the most accesses, the last of equals; no steps if there was none.
    [[nodiscard]] const RecordedPath& longest() const { return longest_; }

    void on_issue(const model::IssueRecord& r) override;
    [[nodiscard]] bool wants_issues() const override { return true; }
    void on_access(const model::AccessRecord&) override {}
    void on_bulk_hits(unsigned, model::FunctionId, model::FieldId, model::AccessKind,
                      std::uint64_t) override {}
    void on_time(unsigned, model::FunctionId, model::FunctionId, model::FieldId, unsigned,
                 model::Tick) override {}
    void on_snoop(model::Addr, unsigned, unsigned, bool, bool, model::FieldId) override {}

private:
    struct Open {  // the call that a CPU is inside of
        RecordedPath path;
        std::vector<model::Token> values;  // of each step
        std::int64_t first_instruction = 0;
        const model::ExecutionContext* context = nullptr;
        unsigned depth = 0;
    };
    void close(Open& call);
    [[nodiscard]] static int step_of(const Open& call, const model::Token& dep);

    model::Machine& machine_;
    model::FunctionId function_;
    std::vector<Open> open_;
    RecordedPath longest_;
};

/// One line per step: number, instructions so far, kind, structure.field, line of the structure,
/// what it depends on, the function (indented by depth), `drains`.
[[nodiscard]] std::string format_path(const RecordedPath& path);

}  // namespace linefill::kernel
