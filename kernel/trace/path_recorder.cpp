// SPDX-License-Identifier: Apache-2.0
// Finds the accesses that belong to a call, and prints them.
#include "kernel/trace/path_recorder.h"

#include <algorithm>
#include <utility>

#include "kernel/base/registry.h"

namespace linefill::kernel {

namespace {

/// Depth of the outermost activation of `function` on a stack; 0: none.
unsigned find_call(const model::ExecutionContext& context, model::FunctionId function) {
    for (unsigned depth = 1; depth <= context.depth(); ++depth) {
        if (context.at(depth) == function) return depth;
    }
    return 0;
}

const char* kind_name(model::AccessKind kind) {
    switch (kind) {
        case model::AccessKind::kLoad:
            return "load";
        case model::AccessKind::kStore:
            return "store";
        case model::AccessKind::kRmw:
            return "lock rmw";
        case model::AccessKind::kPrefetch:
            return "prefetch";
        case model::AccessKind::kSpin:
            return "spin";
    }
    return "";
}

std::string padded(std::string text, std::size_t width, bool right = false) {
    if (text.size() < width) text.insert(right ? 0 : text.size(), width - text.size(), ' ');
    return text;
}

}  // namespace

void PathRecorder::on_issue(const model::IssueRecord& r) {
    Open& call = open_[r.cpu];
    model::HwThread& hw = machine_.hw(r.cpu);
    const model::ExecutionContext& context = hw.context();
    const unsigned depth = find_call(context, function_);
    if (depth == 0) {
        close(call);
        return;
    }
    if (call.context != &context || call.depth != depth) {
        close(call);
        call.context = &context;
        call.depth = depth;
        call.path.cpu = r.cpu;
        call.first_instruction = hw.counters()[model::Event::kInstructions] - 1;
    }
    PathStep step;
    step.depth = context.depth() - depth;
    step.function = context.top();
    step.field = r.field;
    step.kind = r.kind;
    step.depends_on = step_of(call, r.dep);
    step.instructions = hw.counters()[model::Event::kInstructions] - call.first_instruction;
    call.path.steps.push_back(step);
    call.values.push_back(r.result);
}

int PathRecorder::step_of(const Open& call, const model::Token& dep) {
    if (dep.generation == 0) return -1;
    for (std::size_t i = call.values.size(); i-- > 0;) {
        const model::Token& v = call.values[i];
        if (v.pending == dep.pending && v.generation == dep.generation) return static_cast<int>(i);
    }
    return -1;
}

void PathRecorder::close(Open& call) {
    if (call.path.steps.size() >= longest_.steps.size() && !call.path.steps.empty()) {
        longest_ = std::move(call.path);
    }
    call = Open{};
}

std::string format_path(const RecordedPath& path) {
    std::string text =
        "step instr  access    field                                      line  "
        "needs  function\n";
    for (std::size_t i = 0; i < path.steps.size(); ++i) {
        const PathStep& s = path.steps[i];
        const FieldInfo& f = FieldRegistry::instance().info(s.field);
        const std::string needs = s.depends_on < 0 ? "" : std::to_string(s.depends_on + 1);
        text += padded(std::to_string(i + 1), 4, true) + ' ' +
                padded(std::to_string(s.instructions), 5, true) + "  " +
                padded(kind_name(s.kind), 8) + "  " + padded(f.structure + "." + f.field, 42) +
                padded("L" + std::to_string(f.offset / model::kLineBytes), 5, true) + "  " +
                padded(needs, 5, true) + "  " + std::string(2 * s.depth, ' ') +
                FunctionRegistry::instance().info(s.function).symbol +
                (s.drains() ? "  (drains)" : "") + "\n";
    }
    return text;
}

}  // namespace linefill::kernel
