// SPDX-License-Identifier: Apache-2.0
// Load tracking of kernels before v4.3: a runnable fraction per entity, and a queue's load as the sum
// of its entities' contributions, those that sleep decaying together.
#pragma once

#include "kernel/sched/sched.h"

namespace linefill::kernel::v3_18 {

void update_entity_load_avg(KPtr<CfsRq> cfs, KPtr<SchedEntity> se, bool update_queue);
void update_cfs_rq_blocked_load(KPtr<CfsRq> cfs, bool force);
void enqueue_entity_load_avg(KPtr<CfsRq> cfs, KPtr<SchedEntity> se, unsigned flags);
void dequeue_entity_load_avg(KPtr<CfsRq> cfs, KPtr<SchedEntity> se, unsigned flags);
void init_task_runnable_average(KPtr<SchedEntity> se);
/// The entity leaves its queue for another CPU's while asleep.
void remove_entity_load_avg(KPtr<SchedEntity> se);
void update_rq_runnable_avg(KPtr<Rq> rq, bool runnable);

}  // namespace linefill::kernel::v3_18
