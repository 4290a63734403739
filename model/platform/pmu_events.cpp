// SPDX-License-Identifier: Apache-2.0
// Reads sums of model events.
#include "model/platform/pmu_events.h"

#include <algorithm>

#include "model/core/counters.h"
#include "model/sim/error.h"

namespace linefill::model {

namespace {

std::string trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return std::string(text);
}

}  // namespace

const std::vector<std::string>& model_event_names() {
    static const std::vector<std::string> kNames = [] {
        std::vector<std::string> result{"cycles"};  // counted as time at the core clock
        for (std::size_t i = 0; i < kEventCount; ++i) {
            const std::string name = event_name(static_cast<Event>(i));
            if (name != result.front()) result.push_back(name);
        }
        return result;
    }();
    return kNames;
}

std::vector<std::string> parse_event_sum(const std::string& text) {
    if (text == kNotSupported) return {};
    const auto& known = model_event_names();
    std::vector<std::string> terms;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('+', begin), text.size());
        const std::string term = trimmed(std::string_view(text).substr(begin, end - begin));
        begin = end + 1;
        if (std::find(known.begin(), known.end(), term) == known.end()) {
            UserError error(term.empty() ? "sum of model events lacks a name"
                                         : "unknown model event \"" + term + "\"");
            error.value(text).expected(
                "model events joined by \"+\", such as llc_rfo + l1d_fill, or \"not supported\"");
            error.nearest(term, known);
            throw error;
        }
        if (std::find(terms.begin(), terms.end(), term) != terms.end()) {
            throw UserError("model event \"" + term + "\" counted twice")
                .value(text)
                .expected("each event once");
        }
        terms.push_back(term);
    }
    return terms;
}

}  // namespace linefill::model
