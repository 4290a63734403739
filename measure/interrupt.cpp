// SPDX-License-Identifier: Apache-2.0
// A signal handler that sets a flag and writes one byte to a pipe, so that poll() sees it as well.
#include "measure/interrupt.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <stdexcept>

#include <fcntl.h>
#include <unistd.h>

namespace linefill::measure {
namespace {

constexpr std::array<int, 2> kSignals = {SIGINT, SIGTERM};

volatile std::sig_atomic_t g_requested = 0;
std::array<int, 2> g_pipe = {-1, -1};
std::array<struct sigaction, kSignals.size()> g_previous = {};

void note_signal(int /*signal*/) {
    const int saved = errno;
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
    // A second ^C means it.
    action.sa_flags = SA_RESETHAND | SA_RESTART;
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
