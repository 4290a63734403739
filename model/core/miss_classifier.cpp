// SPDX-License-Identifier: Apache-2.0
#include "model/core/miss_classifier.h"

#include <algorithm>
#include <cassert>

namespace linefill::model {

namespace {
constexpr unsigned kWordBytes = 8;

/// First and last word of a line that an access touches.
struct WordRange {
    unsigned first, last;
    WordRange(Addr addr, unsigned size)
        : first(static_cast<unsigned>(addr % kLineBytes) / kWordBytes),
          last(std::min(
              (static_cast<unsigned>(addr % kLineBytes) + std::max(size, 1U) - 1) / kWordBytes,
              static_cast<unsigned>(kLineBytes) / kWordBytes - 1)) {}
};
}  // namespace

void MissClassifier::enable(unsigned cores, std::size_t lines, std::uint32_t most_events) {
    assert(cores <= 256 && most_events <= kMostEvents && most_events >= 2 * (cores + kWords));
    enabled_ = true;
    cores_ = cores;
    blocks_per_line_ = (cores + kCoresPerBlock - 1) / kCoresPerBlock;
    most_events_ = most_events;
    shadow_.assign(cores, LruShadow(lines));
}

MissClassifier::Record MissClassifier::record_of(Addr line) {
    if (line != last_line_) {
        std::uint32_t& number = numbers_[LineKey{line}];
        if (number == 0) {
            blocks_.resize(blocks_.size() + blocks_per_line_);
            writes_.emplace_back();
            number = static_cast<std::uint32_t>(writes_.size());
        }
        last_line_ = line;
        last_number_ = number;
    }
    return {&blocks_[(last_number_ - 1) * blocks_per_line_], &writes_[last_number_ - 1]};
}

// What is compared is which of two events of the line was first, and at most one number for each core
// and each word is kept: their ranks say the same.
void MissClassifier::renumber(const Record& r) const {
    std::vector<std::uint32_t> kept;
    for (unsigned c = 0; c < cores_; ++c) kept.push_back(r.lost(c) >> 1U);
    kept.insert(kept.end(), std::begin(r.writes->written), std::end(r.writes->written));
    kept.push_back(0);  // never happened, and remains so
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    const auto rank = [&kept](std::uint32_t number) {
        return static_cast<std::uint32_t>(std::lower_bound(kept.begin(), kept.end(), number) -
                                          kept.begin());
    };
    for (unsigned c = 0; c < cores_; ++c) {
        r.lost(c) = rank(r.lost(c) >> 1U) << 1U | (r.lost(c) & 1U);
    }
    for (std::uint32_t& w : r.writes->written) w = rank(w);
    r.writes->events = static_cast<std::uint32_t>(kept.size());
}

void MissClassifier::on_write(unsigned core, Addr addr, unsigned size) {
    if (!enabled_) return;
    const Record r = record_of(line_of(addr));
    const WordRange range(addr, size);
    const std::uint32_t event = next_event(r);
    for (unsigned w = range.first; w <= range.last; ++w) {
        r.writes->written[w] = event;
        r.writes->writer[w] = static_cast<std::uint8_t>(core);
    }
}

MissClass MissClassifier::classify(unsigned core, Addr addr, unsigned size) {
    if (!enabled_) return MissClass::kCold;
    const Addr line = line_of(addr);
    const Record r = record_of(line);
    const std::uint32_t lost = r.lost(core);
    if (lost == 0) return MissClass::kCold;
    if ((lost & 1U) == 0) {
        // A fully associative cache of the same size would have kept it: a conflict.
        return shadow_[core].contains(line) ? MissClass::kConflict : MissClass::kCapacity;
    }
    // True sharing: another core wrote, since the line was lost, a word that is used now. The write
    // that took the line is itself later than the loss.
    const WordRange range(addr, size);
    for (unsigned w = range.first; w <= range.last; ++w) {
        if (r.writes->writer[w] != core && r.writes->written[w] > lost >> 1U) {
            return MissClass::kTrueSharing;
        }
    }
    return MissClass::kFalseSharing;
}

}  // namespace linefill::model
