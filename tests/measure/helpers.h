// SPDX-License-Identifier: Apache-2.0
// Short ways to make runs with chosen counts.
#pragma once

#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "measure/run_result.h"

namespace linefill::measure {

/// A count that ran all the time (or `pct` of it).
inline EventCount counted(double value, double running_ns = 1e9, double pct = 100) {
    return {value, true, pct, running_ns};
}

inline EventCount unsupported() { return {0, false, 0, 0}; }

/// Runs with seeds 1, 2, ... and these values of one figure of the workload.
inline std::vector<RunResult> runs_with(const std::string& metric,
                                        const std::vector<double>& values) {
    std::vector<RunResult> runs;
    for (const double value : values) {
        RunResult run;
        run.seed = runs.size() + 1;
        run.metrics[metric] = value;
        runs.push_back(run);
    }
    return runs;
}

/// The value of run `i` of ten whose mean is `mean` and whose `+-` figure is `pct`: half of them lie
/// above, half below, by three standard errors.
inline double one_of_ten(int i, double mean, double pct) {
    return mean * (1 + (i % 2 == 0 ? 3 : -3) * pct / 100);
}

inline std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        throw std::runtime_error("cannot open " + path);
    }
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace linefill::measure
