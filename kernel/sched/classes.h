// SPDX-License-Identifier: Apache-2.0
// The scheduling classes of this kernel. Stop, deadline and real-time tasks do not exist; their
// queues are looked at where the kernel looks at them.
#pragma once

#include <memory>

#include "kernel/sched/rq.h"

namespace linefill::kernel {

std::unique_ptr<SchedClass> make_fair_class(const Place& at);
std::unique_ptr<SchedClass> make_idle_class(const Place& at);

/// The load of a class's function pointer and the indirect call through it:
/// call_class(p, &SchedClass::ptr_task_tick, [&](const SchedClass& c) { c.task_tick(rq, p); });
template <class Call>
auto call_class(KPtr<TaskStruct> p, Field<u64> SchedClass::*pointer, Call&& call) {
    const KPtr<const SchedClass> cls = p->sched_class.get();
    const SchedClass& c = *cls.get();
    g_next_dep = cls.token();
    (void)(c.*pointer).load();
    run(1);
    return call(c);
}

}  // namespace linefill::kernel
