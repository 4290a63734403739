// SPDX-License-Identifier: Apache-2.0
// Seeded random numbers in named streams: a draw added in one place moves no draw elsewhere.
#pragma once

#include <cstdint>
#include <string_view>

namespace linefill::model {

/// SplitMix64 (Steele, Lea, Flood 2014): small, fast, good enough for placement and phases.
class Random {
public:
    /// `seed` of the run and the name of what is drawn.
    Random(std::uint64_t seed, std::string_view stream) : state_(seed * 0x9e3779b97f4a7c15ULL) {
        for (const char c : stream) state_ = mix(state_ ^ static_cast<unsigned char>(c));
    }
    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15ULL;
        return mix(state_);
    }
    /// Uniform in [0, bound); bound > 0.
    std::uint64_t below(std::uint64_t bound) {
        return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
    }
    /// Uniform in [0, 1).
    double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

private:
    static std::uint64_t mix(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }
    std::uint64_t state_;
};

}  // namespace linefill::model
