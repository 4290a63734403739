// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/child.h"

#include <cstdio>
#include <ctime>
#include <exception>

#include <sys/wait.h>
#include <unistd.h>

namespace linefill::bench {

double cpu_seconds() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

Measured in_child(const std::function<Measured()>& body) {
    int ends[2];
    if (pipe(ends) != 0) return {};
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        Measured m;
        try {
            m = body();
        } catch (const std::exception& error) {
            std::fprintf(stderr, "%s\n", error.what());
        }
        const bool written = write(ends[1], &m, sizeof m) == sizeof m;
        _exit(written ? 0 : 1);
    }
    close(ends[1]);
    Measured m;
    if (child < 0 || read(ends[0], &m, sizeof m) != sizeof m) m = {};
    close(ends[0]);
    if (child > 0) waitpid(child, nullptr, 0);
    return m;
}

}  // namespace linefill::bench
