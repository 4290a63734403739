// SPDX-License-Identifier: Apache-2.0
// fork, exec, and reading two pipes at once.
#include "tests/app/command_runner.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace linefill::app {
namespace {

[[noreturn]] void become(const std::string& program, const std::vector<std::string>& arguments,
                         const CommandOptions& options, int out, int err) {
    if (!options.directory.empty() && ::chdir(options.directory.c_str()) != 0) ::_exit(126);
    for (const std::string& variable : options.environment) ::putenv(strdup(variable.c_str()));
    if (!options.stdout_file.empty()) {
        out = ::open(options.stdout_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    }
    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    std::vector<char*> argv = {const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments)
        argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
}

}  // namespace

CommandResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const CommandOptions& options) {
    std::array<int, 2> out{};
    std::array<int, 2> err{};
    if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error("no pipe");
    }
    const pid_t pid = ::fork();
    if (pid < 0) throw std::runtime_error("no process");
    if (pid == 0) become(program, arguments, options, out[1], err[1]);
    ::close(out[1]);
    ::close(err[1]);
    CommandResult result;
    bool interrupted = options.interrupt_when.empty();
    std::array<pollfd, 2> polled = {{{out[0], POLLIN, 0}, {err[0], POLLIN, 0}}};
    while (polled[0].fd >= 0 || polled[1].fd >= 0) {
        if (::poll(polled.data(), polled.size(), -1) < 0) continue;
        for (std::size_t i = 0; i < polled.size(); ++i) {
            if (polled[i].fd < 0 || polled[i].revents == 0) continue;
            std::array<char, 65536> buffer;
            const ssize_t got = ::read(polled[i].fd, buffer.data(), buffer.size());
            if (got <= 0) {
                ::close(polled[i].fd);
                polled[i].fd = -1;
                continue;
            }
            (i == 0 ? result.out : result.err).append(buffer.data(), static_cast<std::size_t>(got));
        }
        if (!interrupted &&
            (result.out + result.err).find(options.interrupt_when) != std::string::npos) {
            for (unsigned i = 0; i < options.interrupts; ++i) ::kill(pid, SIGINT);
            interrupted = true;
        }
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

CommandResult run_linefill(const std::vector<std::string>& arguments,
                           const CommandOptions& options) {
    return run_program(LINEFILL_BINARY, arguments, options);
}

TemporaryFolder::TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "linefill-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
}

std::string TemporaryFolder::file(const std::string& name, const std::string& text) const {
    std::string path = path_ + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace linefill::app
