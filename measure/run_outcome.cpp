// SPDX-License-Identifier: Apache-2.0
// Outcomes as bytes: fields of known length one after the other, the result itself as JSON.
#include "measure/run_outcome.h"

#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "measure/run_result_json.h"
#include "model/sim/error.h"

namespace linefill::measure {
namespace {

void put(std::string& bytes, std::string_view field) {
    bytes += std::to_string(field.size());
    bytes += '\n';
    bytes += field;
}

std::string_view take(std::string_view& rest) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), length);
    const auto digits = static_cast<std::size_t>(end - rest.data());
    if (error != std::errc() || digits >= rest.size() || rest[digits] != '\n' ||
        rest.size() - digits - 1 < length) {
        throw std::runtime_error("the result of a run is cut short");
    }
    const std::string_view field = rest.substr(digits + 1, length);
    rest.remove_prefix(digits + 1 + length);
    return field;
}

std::uint64_t to_number(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) {
        throw std::runtime_error("the result of a run holds no number where one belongs");
    }
    return number;
}

RunOutcome failure(RunStatus status, std::string message, std::string report = {}) {
    RunOutcome outcome;
    outcome.status = status;
    outcome.message = std::move(message);
    outcome.report = std::move(report);
    return outcome;
}

}  // namespace

RunOutcome guarded_run(const RunFunction& run, const RunSpec& spec) {
    try {
        return run(spec);
    } catch (const model::UserError& error) {
        return failure(RunStatus::kUserError, error.what());
    } catch (const model::SimulationError& error) {
        return failure(RunStatus::kSimulationError, error.what(), error.report());
    } catch (const std::exception& error) {
        return failure(RunStatus::kInternalError, error.what());
    } catch (...) {
        return failure(RunStatus::kInternalError, "an exception of unknown type");
    }
}

std::string encode(const RunOutcome& outcome) {
    std::string bytes;
    put(bytes, std::to_string(static_cast<int>(outcome.status)));
    put(bytes, to_json(outcome.result));
    put(bytes, outcome.attribution);
    put(bytes, std::to_string(outcome.accesses));
    put(bytes, outcome.message);
    put(bytes, outcome.report);
    return bytes;
}

RunOutcome decode(std::string_view bytes) {
    RunOutcome outcome;
    const std::uint64_t status = to_number(take(bytes));
    if (status > static_cast<std::uint64_t>(RunStatus::kCrashed)) {
        throw std::runtime_error("the result of a run has an unknown status");
    }
    outcome.status = static_cast<RunStatus>(status);
    outcome.result = run_result_from_json(take(bytes));
    outcome.attribution = take(bytes);
    outcome.accesses = to_number(take(bytes));
    outcome.message = take(bytes);
    outcome.report = take(bytes);
    if (!bytes.empty()) throw std::runtime_error("the result of a run has bytes left over");
    return outcome;
}

int exit_code_of(RunStatus status) {
    switch (status) {
        case RunStatus::kDone:
            return 0;
        case RunStatus::kUserError:
            return model::kExitUserError;
        case RunStatus::kSimulationError:
            return model::kExitSimulationError;
        case RunStatus::kInternalError:
        case RunStatus::kCrashed:
            break;
    }
    return model::kExitInternalError;
}

}  // namespace linefill::measure
