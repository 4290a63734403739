// SPDX-License-Identifier: Apache-2.0
// Why a miss was a miss: cold, capacity, conflict, true or false sharing. Works only while attribution
// is on; costs one test per event otherwise.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "model/core/access.h"

namespace linefill::model {

class MissClassifier {
public:
    /// `lines`: capacity of one L1D, for the fully associative shadow.
    void enable(unsigned cores, std::size_t lines);
    bool enabled() const { return enabled_; }

    void on_evict(unsigned core, Addr line) {
        if (enabled_) lose(core, line, Loss::kEvicted);
    }
    void on_invalidate(unsigned core, Addr line, bool back) {
        if (enabled_) lose(core, line, back ? Loss::kEvicted : Loss::kSnooped);
    }
    /// A store or locked operation of `core` to `addr`.
    void on_write(unsigned core, Addr addr, unsigned size);
    /// Every demand access, hits too (keeps the shadow's order).
    void on_access(unsigned core, Addr line);
    /// Class of a miss of `core` on `addr`; call before on_access of the same access.
    MissClass classify(unsigned core, Addr addr, unsigned size);

private:
    enum class Loss : std::uint8_t { kNever, kEvicted, kSnooped };
    struct Lost {
        Loss how = Loss::kNever;
        std::uint64_t sequence = 0;
    };
    struct Shadow {
        std::list<Addr> order;  // most recent first
        std::unordered_map<Addr, std::list<Addr>::iterator> where;
    };
    void lose(unsigned core, Addr line, Loss how);

    bool enabled_ = false;
    std::size_t capacity_ = 0;
    std::uint64_t sequence_ = 0;
    std::vector<std::unordered_map<Addr, Lost>> lost_;
    std::vector<Shadow> shadow_;
    /// Sequence of the last write to each 8-byte word of a line, and the core that wrote.
    struct Words {
        std::array<std::uint64_t, 8> written{};
        std::array<std::uint8_t, 8> by{};
    };
    std::unordered_map<Addr, Words> words_;
};

}  // namespace linefill::model
