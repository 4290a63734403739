// SPDX-License-Identifier: Apache-2.0
// One line on a terminal that says how far long work is; nothing if stderr is no terminal.
#pragma once

#include <string>

#include "measure/experiment.h"

namespace linefill::app {

class ProgressLine {
public:
    ProgressLine();
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(const measure::Progress& progress);
    /// Takes the line away, so that results can be printed; the next show() brings it back.
    void clear();

private:
    bool terminal_;
    bool shown_ = false;
};

}  // namespace linefill::app
