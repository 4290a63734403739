// SPDX-License-Identifier: Apache-2.0
#include "model/core/miss_classifier.h"

namespace linefill::model {

void MissClassifier::enable(unsigned cores, std::size_t lines) {
    enabled_ = true;
    capacity_ = lines;
    lost_.assign(cores, {});
    shadow_.assign(cores, {});
}

void MissClassifier::lose(unsigned core, Addr line, Loss how) {
    lost_[core][line] = {how, ++sequence_};
}

void MissClassifier::on_write(unsigned core, Addr addr, unsigned size) {
    if (!enabled_) return;
    Words& w = words_[line_of(addr)];
    ++sequence_;
    for (unsigned word = (addr & 63) / 8; word <= ((addr & 63) + (size == 0 ? 0 : size - 1)) / 8 && word < 8;
         ++word) {
        w.written[word] = sequence_;
        w.by[word] = static_cast<std::uint8_t>(core);
    }
}

void MissClassifier::on_access(unsigned core, Addr line) {
    if (!enabled_) return;
    Shadow& s = shadow_[core];
    if (const auto found = s.where.find(line); found != s.where.end()) {
        s.order.splice(s.order.begin(), s.order, found->second);
        return;
    }
    s.order.push_front(line);
    s.where[line] = s.order.begin();
    if (s.order.size() > capacity_) {
        s.where.erase(s.order.back());
        s.order.pop_back();
    }
}

MissClass MissClassifier::classify(unsigned core, Addr addr, unsigned size) {
    if (!enabled_) return MissClass::kCold;
    const Addr line = line_of(addr);
    const auto found = lost_[core].find(line);
    if (found == lost_[core].end()) return MissClass::kCold;
    if (found->second.how == Loss::kEvicted) {
        // A fully associative cache of the same size would have kept it: a conflict.
        return shadow_[core].where.count(line) != 0 ? MissClass::kConflict : MissClass::kCapacity;
    }
    // True sharing: another core wrote, since the line was lost, a word that is used now. The write
    // that took the line is itself later than the loss.
    const auto words = words_.find(line);
    if (words != words_.end()) {
        for (unsigned w = (addr & 63) / 8; w <= ((addr & 63) + (size == 0 ? 0 : size - 1)) / 8 && w < 8; ++w) {
            if (words->second.written[w] > found->second.sequence && words->second.by[w] != core) {
                return MissClass::kTrueSharing;
            }
        }
    }
    return MissClass::kFalseSharing;
}

}  // namespace linefill::model
