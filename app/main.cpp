// SPDX-License-Identifier: Apache-2.0
// The linefill command.
#include "app/run.h"

int main(int argc, char** argv) { return linefill::app::run_command_line({argv + 1, argv + argc}); }
