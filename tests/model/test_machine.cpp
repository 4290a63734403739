// SPDX-License-Identifier: Apache-2.0
#include "tests/model/test_machine.h"

#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>

#include <sys/wait.h>
#include <unistd.h>

#include "model/sim/error.h"
#include "tests/model/platform/platform_text.h"

namespace linefill::model {

std::vector<Override> round_figures() {
    return {parse_override("clock.turbo=2GHz"), parse_override("clock.base=2GHz"),
            parse_override("clock.tsc=2GHz"),   parse_override("core.cpi_kernel=1"),
            parse_override("core.cpi_user=1"),  parse_override("core.dependent_share=0")};
}

Platform test_platform(const std::vector<std::string>& overrides, std::vector<Override> base) {
    // Sums of latencies come out exact only when nothing is drawn.
    base.push_back(parse_override("fabric.request_spread=0ns"));
    base.push_back(parse_override("link.socket.spread=0ns"));
    for (const std::string& text : overrides) base.push_back(parse_override(text));
    return load_platform("xeon-snb-2s", {platforms_dir()}, base);
}

TestMachine::TestMachine(const Platform& platform, const MachineOptions& options)
    : machine_(std::make_unique<Machine>(platform, options)) {
    for (unsigned cpu = 0; cpu < machine_->cpus(); ++cpu) {
        banks_.push_back(std::make_unique<Banks>());
        machine_->hw(cpu).select_counters(&banks_[cpu]->user, &banks_[cpu]->kernel);
    }
}

TestMachine::~TestMachine() = default;

void TestMachine::on(unsigned cpu, Body body) { add(cpu, std::move(body), true); }

void TestMachine::background(unsigned cpu, Body body) { add(cpu, std::move(body), false); }

void TestMachine::add(unsigned cpu, Body body, bool awaited) {
    if (awaited) ++awaited_;
    contexts_.push_back(
        std::make_unique<ExecutionContext>([this, cpu, awaited, work = std::move(body)] {
            HwThread& hw = machine_->hw(cpu);
            std::exception_ptr error;
            try {
                work(hw);
                hw.synchronise();  // what it left under way up to now happens
            } catch (const std::exception&) {
                error = std::current_exception();
            }
            if (error) machine_->scheduler().stop(error);
            if (awaited && --awaited_ == 0) machine_->scheduler().stop();
            for (;;) hw.halt(0, 0);
        }));
    machine_->start(cpu, *contexts_.back());
}

void TestMachine::run() {
    try {
        machine_->run();
    } catch (const SimulationError& error) {
        throw std::runtime_error(std::string(error.what()) + "\n" + error.report());
    }
}

Counters TestMachine::counters(unsigned cpu) {
    machine_->hw(cpu).settle();
    Counters sum = banks_.at(cpu)->user;
    sum += banks_.at(cpu)->kernel;
    return sum;
}

Counters TestMachine::total() {
    Counters sum;
    for (unsigned cpu = 0; cpu < machine_->cpus(); ++cpu) sum += counters(cpu);
    return sum;
}

Addr TestMachine::line_on(unsigned node, unsigned number) const {
    // Stride 65 lines: consecutive numbers fall into consecutive L1D sets and different L2 sets.
    return machine_->node_base(node) + 2 * Machine::kReservedBytes + Addr{number} * 65 * kLineBytes;
}

Tick TestMachine::cycles(unsigned cpu, double n) {
    return static_cast<Tick>(n * static_cast<double>(machine_->hw(cpu).period()));
}

std::vector<double> in_child(const std::function<std::vector<double>()>& body) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("pipe failed");
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("fork failed");
    if (child == 0) {
        close(ends[0]);
        int code = 0;
        try {
            const std::vector<double> numbers = body();
            const std::size_t bytes = numbers.size() * sizeof(double);
            if (write(ends[1], numbers.data(), bytes) != static_cast<ssize_t>(bytes)) code = 3;
        } catch (const std::exception& error) {
            std::fprintf(stderr, "in the child: %s\n", error.what());
            code = 2;
        }
        _exit(code);
    }
    close(ends[1]);
    std::vector<double> numbers;
    double number = 0;
    while (read(ends[0], &number, sizeof number) == sizeof number) numbers.push_back(number);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) throw std::runtime_error("the child failed");
    return numbers;
}

}  // namespace linefill::model
