// SPDX-License-Identifier: Apache-2.0
// pound_times: threads that read the times of their process.
#include "scenarios/programs/pound.h"

namespace linefill::scenarios {
namespace {

struct PoundTimes final : PoundKind {
    PoundTimes()
        : PoundKind("pound_times", "N threads call times() as fast as they can",
                    [](UserTask& own) { (void)own.times(); }) {}
};

const RegisterWorkload<PoundTimes> kRegistered;

}  // namespace
}  // namespace linefill::scenarios
