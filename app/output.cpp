// SPDX-License-Identifier: Apache-2.0
// Writing with every error seen, those of close() included.
#include "app/output.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "model/sim/error.h"

namespace linefill::app {
namespace {

/// 0, or errno.
int write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written < 0) {
            if (errno == EINTR) continue;
            return errno;
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

}  // namespace

void write_stdout(std::string_view text) {
    if (const int error = write_all(STDOUT_FILENO, text); error != 0) {
        throw model::InternalError(std::string("standard output cannot be written: ") +
                                   std::strerror(error));
    }
}

void write_stderr(std::string_view text) noexcept { (void)write_all(STDERR_FILENO, text); }

Output::Output(const std::optional<std::string>& file, Stream otherwise) : otherwise_(otherwise) {
    if (!file) return;
    name_ = *file;
    descriptor_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0) {
        throw model::UserError(std::string("the output cannot be opened: ") + std::strerror(errno))
            .file(name_);
    }
}

Output::~Output() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void Output::write(std::string_view text) {
    if (!is_file()) {
        if (otherwise_ == Stream::kStdout) {
            write_stdout(text);
        } else {
            write_stderr(text);
        }
        return;
    }
    written_ += text;
    if (failure_ == 0) failure_ = write_all(descriptor_, text);
}

void Output::finish() {
    if (!is_file()) return;
    const int descriptor = descriptor_;
    descriptor_ = -1;
    if (::close(descriptor) != 0 && failure_ == 0) failure_ = errno;
    if (failure_ != 0) {
        write_stdout(written_);
        throw model::InternalError(name_ + ": cannot be written: " + std::strerror(failure_) +
                                   "; the results went to standard output");
    }
}

}  // namespace linefill::app
