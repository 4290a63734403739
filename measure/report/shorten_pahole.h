// SPDX-License-Identifier: Apache-2.0
// A structure's text cut down to what its heat column has something to say about.
#pragma once

#include <string>

namespace linefill::measure {

/// pahole text with a heat column, in which long stretches of members without a text in that column
/// became one comment each; embedded structures without any went with them. Short texts stay whole.
[[nodiscard]] std::string shorten_pahole(const std::string& text);

}  // namespace linefill::measure
