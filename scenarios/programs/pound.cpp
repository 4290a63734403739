// SPDX-License-Identifier: Apache-2.0
#include "scenarios/programs/pound.h"

#include "model/sim/error.h"

namespace linefill::scenarios {
namespace {

class Pound final : public Workload {
public:
    Pound(const std::string& name, PoundKind::Call call, std::uint64_t threads, std::uint64_t calls,
          bool calls_given)
        : name_(name), call_(call), threads_(threads), calls_(calls), calls_given_(calls_given) {}

    const std::string& name() const override { return name_; }
    std::string command_line() const override {
        std::string line = name_ + " --threads " + std::to_string(threads_);
        if (calls_given_) line += " --calls " + std::to_string(calls_);
        return line;
    }
    std::string parameter() const override { return std::to_string(threads_); }

    WorkPlan plan() const override {
        WorkPlan plan;
        plan.units = calls_ / threads_ * threads_;
        plan.threads = static_cast<unsigned>(threads_);
        // A call locks every thread that runs; of those that wait it reads three lines.
        plan.visits_per_unit = [threads = threads_](unsigned running) {
            const auto waiting = static_cast<double>(threads) - running;
            return running + (waiting > 0 ? 0.06 * waiting : 0);
        };
        return plan;
    }

    void main(UserTask& first) const override {
        for (std::uint64_t i = 0; i < threads_; ++i) {
            first.pthread_create([this](UserTask& own) {
                own.repeat(calls_ / threads_, [this, &own] {
                    own.run(8, 1, 0);  // loop counter, test, arguments
                    call_(own);
                });
            });
        }
        first.pthread_exit();
    }

private:
    std::string name_;
    PoundKind::Call call_;
    std::uint64_t threads_, calls_;
    bool calls_given_;
};

}  // namespace

const std::vector<ArgumentSpec>& PoundKind::arguments() const {
    static const std::vector<ArgumentSpec> kTable{
        {"--threads", "", "N", "threads that call", 1, kMostThreads, true, 0, true},
        {"--calls", "", "N", "calls in all, divided over the threads (5000000)", 1,
         1'000'000'000'000, false, kCalls, false},
    };
    return kTable;
}

std::unique_ptr<Workload> PoundKind::make(const Arguments& given) const {
    const std::uint64_t threads = given.at("--threads");
    const auto calls = given.find("--calls");
    const std::uint64_t total = calls == given.end() ? kCalls : calls->second;
    if (total < threads) {
        model::UserError error("fewer calls than threads");
        error.key("--calls").value(std::to_string(total));
        error.expected("at least " + std::to_string(threads) + ", one per thread");
        throw error;
    }
    return std::make_unique<Pound>(name_, call_, threads, total, calls != given.end());
}

}  // namespace linefill::scenarios
