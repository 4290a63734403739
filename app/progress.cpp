// SPDX-License-Identifier: Apache-2.0
// The line is rewritten in place.
#include "app/progress.h"

#include <unistd.h>

#include "app/output.h"

namespace linefill::app {

ProgressLine::ProgressLine() : terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::show(const measure::Progress& progress) {
    if (!terminal_) return;
    std::string line = "\r\033[K" + std::to_string(progress.finished + progress.failed) + " of " +
                       std::to_string(progress.total) + " runs";
    if (progress.failed > 0) line += ", " + std::to_string(progress.failed) + " failed";
    write_stderr(line);
    shown_ = true;
}

void ProgressLine::clear() {
    if (!shown_) return;
    write_stderr("\r\033[K");
    shown_ = false;
}

}  // namespace linefill::app
