// SPDX-License-Identifier: Apache-2.0
// A signal handler that sets a flag and writes one byte to a pipe, so that poll() sees it as well.
#include "measure/interrupt.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <stdexcept>

#include <fcntl.h>
#include <unistd.h>

namespace linefill::measure {
namespace {

constexpr std::array<int, 2> kSignals = {SIGINT, SIGTERM};

volatile std::sig_atomic_t g_requested = 0;
volatile std::int64_t g_first_ns = 0;
std::array<int, 2> g_pipe = {-1, -1};
std::array<struct sigaction, kSignals.size()> g_previous = {};

std::int64_t now_ns() {
    struct timespec now = {};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    constexpr std::int64_t kNsPerSecond = 1000000000;
    return now.tv_sec * kNsPerSecond + now.tv_nsec;
}

/// Tools such as timeout send one interrupt twice, to the command and to its group.
constexpr std::int64_t kSameInterruptNs = 300000000;

void note_signal(int signal) {
    const int saved = errno;
    if (g_requested != 0) {
        // A second ^C means it.
        if (now_ns() - g_first_ns > kSameInterruptNs) {
            ::signal(signal, SIG_DFL);
            ::raise(signal);
        }
        errno = saved;
        return;
    }
    g_first_ns = now_ns();
    g_requested = 1;
    const char byte = 0;
    // A full pipe is readable too, so nothing is lost when this fails.
    [[maybe_unused]] const ssize_t written = ::write(g_pipe[1], &byte, 1);
    errno = saved;
}

}  // namespace

InterruptGuard::InterruptGuard() {
    if (g_pipe[0] >= 0) throw std::logic_error("two interrupt guards at a time");
    if (::pipe2(g_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
        throw std::runtime_error("no pipe for signals");
    }
    g_requested = 0;
    struct sigaction action = {};
    action.sa_handler = note_signal;
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        ::sigaction(kSignals[i], &action, &g_previous[i]);
    }
}

InterruptGuard::~InterruptGuard() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        ::sigaction(kSignals[i], &g_previous[i], nullptr);
    }
    ::close(g_pipe[0]);
    ::close(g_pipe[1]);
    g_pipe = {-1, -1};
}

bool InterruptGuard::requested() const { return g_requested != 0; }

int InterruptGuard::descriptor() const { return g_pipe[0]; }

void InterruptGuard::reset_in_child() {
    ::signal(SIGINT, SIG_IGN);
    ::signal(SIGTERM, SIG_DFL);
}

}  // namespace linefill::measure
