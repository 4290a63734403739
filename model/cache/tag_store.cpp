// SPDX-License-Identifier: Apache-2.0
#include "model/cache/tag_store.h"

#include "model/sim/error.h"

namespace linefill::model {

void TagStore::too_high() { throw InternalError("an address is too high for the caches' tags"); }

}  // namespace linefill::model
