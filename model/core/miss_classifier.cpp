// SPDX-License-Identifier: Apache-2.0
#include "model/core/miss_classifier.h"

#include <algorithm>

namespace linefill::model {

namespace {
constexpr unsigned kWordBytes = 8;
constexpr unsigned kCoreBits = 8;

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

void MissClassifier::enable(unsigned cores, std::size_t lines) {
    enabled_ = true;
    cores_ = cores;
    shadow_.assign(cores, LruShadow(lines));
}

std::uint64_t* MissClassifier::record_of(Addr line) {
    const std::size_t length = cores_ + kWords;
    std::uint32_t& number = numbers_[LineKey{line}];
    if (number == 0) {
        records_.resize(records_.size() + length);
        number = static_cast<std::uint32_t>(records_.size() / length);
    }
    return &records_[(number - 1) * length];
}

void MissClassifier::on_write(unsigned core, Addr addr, unsigned size) {
    if (!enabled_) return;
    std::uint64_t* words = record_of(line_of(addr)) + cores_;
    const WordRange range(addr, size);
    ++sequence_;
    for (unsigned w = range.first; w <= range.last; ++w) words[w] = sequence_ << kCoreBits | core;
}

MissClass MissClassifier::classify(unsigned core, Addr addr, unsigned size) {
    if (!enabled_) return MissClass::kCold;
    const Addr line = line_of(addr);
    const std::uint64_t* record = record_of(line);
    const std::uint64_t lost = record[core];
    if (lost == 0) return MissClass::kCold;
    if ((lost & 1U) == 0) {
        // A fully associative cache of the same size would have kept it: a conflict.
        return shadow_[core].contains(line) ? MissClass::kConflict : MissClass::kCapacity;
    }
    // True sharing: another core wrote, since the line was lost, a word that is used now. The write
    // that took the line is itself later than the loss.
    const WordRange range(addr, size);
    for (unsigned w = range.first; w <= range.last; ++w) {
        const std::uint64_t written = record[cores_ + w];
        const bool by_other = (written & ((1U << kCoreBits) - 1)) != core;
        if (by_other && written >> kCoreBits > lost >> 1U) return MissClass::kTrueSharing;
    }
    return MissClass::kFalseSharing;
}

}  // namespace linefill::model
