// SPDX-License-Identifier: Apache-2.0
// What the poundtime programs have in common: N threads that make one call over and over, 5,000,000
// in all; the first thread starts them and leaves.
#pragma once

#include <memory>
#include <string>

#include "scenarios/user.h"
#include "scenarios/workload.h"

namespace linefill::scenarios {

class PoundKind : public WorkloadKind {
public:
    static constexpr std::uint64_t kCalls = 5'000'000;
    static constexpr std::uint64_t kMostThreads = 4096;

    using Call = void (*)(UserTask&);
    PoundKind(std::string name, std::string summary, Call call)
        : name_(std::move(name)), summary_(std::move(summary)), call_(call) {}

    const std::string& name() const override { return name_; }
    std::string summary() const override { return summary_; }
    const std::vector<ArgumentSpec>& arguments() const override;
    std::unique_ptr<Workload> make(const Arguments& given) const override;

private:
    std::string name_, summary_;
    Call call_;
};

}  // namespace linefill::scenarios
