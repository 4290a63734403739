// SPDX-License-Identifier: Apache-2.0
// A spec through the scenarios layer and back.
#include "measure/run_once.h"

#include <cmath>
#include <memory>
#include <utility>

#include "measure/count_parts.h"
#include "measure/event_counts.h"
#include "measure/report/report.h"
#include "model/sim/error.h"
#include "model/sim/time.h"
#include "scenarios/run.h"

namespace linefill::measure {
namespace {

/// Whether more than one sum of counts is asked for.
bool is_split(const RunSpec& spec) {
    return spec.interval_ms.has_value() ||
           (spec.scope != CountScope::kWorkload && spec.scope != CountScope::kSystem);
}

void check_identities(const scenarios::ScenarioResult& result) {
    std::string broken;
    for (const scenarios::IdentityCheck& identity : result.identities) {
        if (identity.holds()) continue;
        if (!broken.empty()) broken += '\n';
        broken += identity.name + ": " + std::to_string(identity.left) + " is not " +
                  std::to_string(identity.right);
    }
    if (!broken.empty()) {
        throw model::SimulationError("an identity of the counters does not hold", broken);
    }
}

}  // namespace

RunOutcome run_once(const RunSpec& spec, const DataDirs& dirs) {
    const PreparedRun prepared = prepare(spec, dirs);
    scenarios::RunRequest request;
    request.platform = prepared.platform;
    request.kernel = prepared.kernel;
    request.layout = &*prepared.layout;
    request.workload = prepared.workload.get();
    request.seed = spec.seed;
    request.sampling = prepared.sampling;
    if (!spec.draws) request.draws = scenarios::DrawOptions::none();
    if (spec.quantum_ns) {
        request.quantum = static_cast<model::Tick>(*spec.quantum_ns) * model::kNanosecond;
    }
    request.mcs_queueing = prepared.mcs_queueing;
    request.page_aligned_percpu = prepared.page_aligned_percpu;

    request.split = is_split(spec) || counts_cpus(spec.scope);
    if (spec.interval_ms) {
        request.interval = std::llround(*spec.interval_ms * model::kMillisecond);
    }

    std::unique_ptr<AttributionRecorder> recorder;
    if (spec.attribution.accesses) {
        recorder = make_attribution_recorder(prepared);
        request.observer = recorder->accesses();
        request.lock_observer = recorder->locks();
        request.on_window = [&recorder] { recorder->begin_window(); };
    }
    const scenarios::ScenarioResult result = scenarios::run_workload(request);
    check_identities(result);

    RunOutcome outcome;
    outcome.result =
        to_run_result(result, whole_view(result, spec.scope), prepared.platform.pmu, spec.events);
    if (is_split(spec)) {
        outcome.result.parts = count_parts(result, spec.scope, prepared.platform.pmu, spec.events);
    }
    outcome.accesses = result.modelled_accesses;
    if (recorder) outcome.attribution = recorder->finish(result);
    return outcome;
}

RunFunction real_runs(const DataDirs& dirs) {
    return [dirs](const RunSpec& spec) { return run_once(spec, dirs); };
}

}  // namespace linefill::measure
