// SPDX-License-Identifier: Apache-2.0
#include "tests/scenarios/run_in_child.h"

#include <cstring>
#include <stdexcept>

#include <sys/wait.h>
#include <unistd.h>

#include "model/platform/load.h"

namespace linefill::scenarios {

RequestOwner::RequestOwner(const TestRun& run)
    : layout(kernel::Layout::for_kernel(kernel::parse_kernel_spec(run.spec).version, "x86_64")),
      workload(parse_workload(split_command(run.command))) {
    request.platform = model::load_platform("xeon-snb-2s", {"platforms"});
    request.platform.mechanisms.finite_window = run.finite_window;
    request.kernel = kernel::parse_kernel_spec(run.spec);
    request.layout = &layout;
    request.workload = workload.get();
    request.seed = run.seed;
    request.sampling.full = run.full;
    request.sampling.units = run.sample_units;
    if (!run.draws) request.draws = DrawOptions::none();
    request.mcs_queueing = run.mcs_queueing;
    request.page_aligned_percpu = run.page_aligned_percpu;
    stop = run.stopped;
    request.stop = &stop;
}

Summary summarise(const ScenarioResult& r) {
    Summary s;
    std::memset(static_cast<void*>(&s), 0, sizeof s);
    s.user = r.counts.user.event;
    s.kernel = r.counts.kernel.event;
    s.error = r.sampling_error;
    s.cpi = r.counts.total().cpi_fs;
    s.elapsed_s = r.elapsed_s;
    s.task_clock_s = r.task_clock_s;
    s.units = r.units;
    s.sampled_share = r.sampled_share;
    s.running_threads = r.running_threads;
    // Windows stand in the order of the work: here those at 15 to 50 % of it, past the start and
    // before the first threads end.
    double sum = 0;
    unsigned n = 0;
    const std::size_t all = r.window_cycles_per_unit.size();
    for (std::size_t i = all * 15 / 100; i < (all + 1) / 2; ++i, ++n)
        sum += r.window_cycles_per_unit[i];
    s.steady_cycles_per_unit = n > 0 ? sum / n : 0;
    s.windows = r.windows;
    s.tasks = static_cast<unsigned>(r.tasks.size());
    for (const IdentityCheck& c : r.identities) s.failed_identities += c.holds() ? 0 : 1;
    s.interrupted = r.interrupted;
    return s;
}

Summary run_in_child(const TestRun& run) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no child process");
    if (child == 0) {
        close(ends[0]);
        std::string message(1, '+');
        try {
            RequestOwner owner(run);
            const Summary s = summarise(run_workload(owner.request));
            message.append(reinterpret_cast<const char*>(&s), sizeof s);
        } catch (const std::exception& e) {
            message = std::string("-") + e.what();
        }
        for (std::size_t at = 0; at < message.size();) {
            const ssize_t n = write(ends[1], message.data() + at, message.size() - at);
            if (n <= 0) break;
            at += static_cast<std::size_t>(n);
        }
        _exit(0);
    }
    close(ends[1]);
    std::string message;
    char buffer[4096];
    for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) > 0;) {
        message.append(buffer, static_cast<std::size_t>(n));
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (message.size() != 1 + sizeof(Summary) || message[0] != '+') {
        throw std::runtime_error("the run failed: " + (message.empty()
                                                           ? "status " + std::to_string(status)
                                                           : message.substr(1)));
    }
    Summary s;
    std::memcpy(static_cast<void*>(&s), message.data() + 1, sizeof s);
    return s;
}

}  // namespace linefill::scenarios
