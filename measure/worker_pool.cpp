// SPDX-License-Identifier: Apache-2.0
// One fork, one pipe and one wait per job.
#include "measure/worker_pool.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace linefill::measure {
namespace {

[[noreturn]] void fail(const std::string& what) {
    throw std::runtime_error(what + ": " + std::strerror(errno));
}

struct Child {
    std::size_t index = 0;
    pid_t pid = -1;
    int pipe = -1;
    std::string bytes;
};

bool write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0) {
            if (errno == EINTR) continue;
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

[[noreturn]] void be_child(const std::function<std::string(std::size_t)>& job, std::size_t index,
                           int pipe, pid_t parent) {
    InterruptGuard::reset_in_child();
    // A child must not outlive a parent that nobody can ask to stop it any more.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    int code = 1;
    if (::getppid() == parent) {
        try {
            code = write_all(pipe, job(index)) ? 0 : 1;
        } catch (...) {
            code = 1;
        }
    }
    // At once: buffers and exit handlers are the parent's.
    ::_exit(code);
}

/// The children that are running; those left over at the end are killed.
class Children {
public:
    Children() = default;
    ~Children() {
        for (Child& child : running_) {
            ::kill(child.pid, SIGKILL);
            ::close(child.pipe);
            while (::waitpid(child.pid, nullptr, 0) < 0 && errno == EINTR) {
            }
        }
    }
    Children(const Children&) = delete;
    Children& operator=(const Children&) = delete;

    [[nodiscard]] std::size_t size() const { return running_.size(); }

    void start(const std::function<std::string(std::size_t)>& job, std::size_t index) {
        std::array<int, 2> pipe{};
        if (::pipe2(pipe.data(), O_CLOEXEC) != 0) fail("no pipe for a worker process");
        const pid_t parent = ::getpid();
        const pid_t pid = ::fork();
        if (pid < 0) {
            const int saved = errno;
            ::close(pipe[0]);
            ::close(pipe[1]);
            errno = saved;
            fail("no worker process");
        }
        if (pid == 0) {
            ::close(pipe[0]);
            be_child(job, index, pipe[1], parent);
        }
        ::close(pipe[1]);
        running_.push_back({index, pid, pipe[0], {}});
    }

    /// Waits until some child has something to say or the interrupt comes, and moves the children
    /// that ended to `ended`. With `block` false it only looks. Returns whether any child spoke.
    bool wait(const InterruptGuard* interrupt, bool block,
              std::vector<std::pair<std::size_t, JobEnd>>& ended) {
        std::vector<pollfd> polled;
        for (const Child& child : running_) polled.push_back({child.pipe, POLLIN, 0});
        if (interrupt != nullptr) polled.push_back({interrupt->descriptor(), POLLIN, 0});
        if (::poll(polled.data(), polled.size(), block ? -1 : 0) < 0) {
            if (errno != EINTR) fail("waiting for worker processes");
            return true;
        }
        bool spoke = false;
        // From the back, because a child that ended is taken out.
        for (std::size_t i = running_.size(); i-- > 0;) {
            if (polled[i].revents == 0) continue;
            spoke = true;
            if (read_some(running_[i])) {
                ended.emplace_back(running_[i].index, reap(running_[i]));
                running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
            }
        }
        return spoke;
    }

private:
    /// True at the end of what the child has to say.
    static bool read_some(Child& child) {
        std::array<char, 65536> buffer;
        const ssize_t got = ::read(child.pipe, buffer.data(), buffer.size());
        if (got < 0) {
            if (errno == EINTR) return false;
            fail("reading from a worker process");
        }
        child.bytes.append(buffer.data(), static_cast<std::size_t>(got));
        return got == 0;
    }

    static JobEnd reap(Child& child) {
        ::close(child.pipe);
        int status = 0;
        rusage usage{};
        while (::wait4(child.pid, &status, 0, &usage) < 0) {
            if (errno != EINTR) fail("waiting for a worker process");
        }
        JobEnd end;
        end.bytes = std::move(child.bytes);
        end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
        const auto seconds = [](const timeval& time) {
            return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
        };
        end.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
        end.peak_kib = usage.ru_maxrss;
        return end;
    }

    std::vector<Child> running_;
};

}  // namespace

bool run_in_processes(std::size_t count, unsigned workers,
                      const std::function<std::string(std::size_t)>& job,
                      const std::function<void(std::size_t, JobEnd)>& on_end,
                      const InterruptGuard* interrupt) {
    Children children;
    std::size_t next = 0;
    const auto stopped = [&] { return interrupt != nullptr && interrupt->requested(); };
    const auto collect = [&](bool block) {
        std::vector<std::pair<std::size_t, JobEnd>> ended;
        const bool spoke = children.wait(interrupt, block, ended);
        for (auto& [index, end] : ended) on_end(index, std::move(end));
        return spoke;
    };
    while (!stopped() && (next < count || children.size() > 0)) {
        while (next < count && children.size() < std::max(1U, workers)) {
            children.start(job, next++);
        }
        collect(true);
    }
    // What had ended before the interrupt is not lost.
    while (children.size() > 0 && collect(false)) {
    }
    return next == count && children.size() == 0;
}

unsigned host_cpus() { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace linefill::measure
