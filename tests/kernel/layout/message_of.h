// SPDX-License-Identifier: Apache-2.0
// The message of a refusal.
#pragma once

#include <functional>
#include <string>

#include "model/sim/error.h"

namespace linefill::kernel {

/// The message of the UserError that `action` throws, "no error" if it throws none.
inline std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const model::UserError& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace linefill::kernel
