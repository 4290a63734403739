// SPDX-License-Identifier: Apache-2.0
// pound_clock_gettime: threads that read the CPU clock of their process.
#include "scenarios/programs/pound.h"

namespace linefill::scenarios {
namespace {

struct PoundClockGettime final : PoundKind {
    PoundClockGettime()
        : PoundKind("pound_clock_gettime",
                    "N threads call clock_gettime(CLOCK_PROCESS_CPUTIME_ID) as fast as they can",
                    [](UserTask& own) { (void)own.clock_gettime(kernel::CpuClock::kProcess); }) {}
};

const RegisterWorkload<PoundClockGettime> kRegistered;

}  // namespace
}  // namespace linefill::scenarios
