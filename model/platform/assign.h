// SPDX-License-Identifier: Apache-2.0
// One written value into one field of a Platform.
#pragma once

#include "model/platform/platform.h"
#include "model/platform/schema.h"
#include "model/platform/toml_reader.h"

namespace linefill::model {

/// Reads `value` as `spec` says and stores it in `platform`. Throws UserError with key, value and
/// what was expected, for a value of the wrong type, without a unit, or out of bounds; the caller
/// adds where it was written.
void assign_value(const KeySpec& spec, const RawValue& value, Platform& platform);

}  // namespace linefill::model
