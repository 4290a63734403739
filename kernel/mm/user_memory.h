// SPDX-License-Identifier: Apache-2.0
// A process's memory as its system calls and page faults see it: anonymous mappings, first touches.
#pragma once

#include "kernel/base/field.h"

namespace linefill::kernel {

/// mmap() of anonymous private memory; returns the mapping's user address. `bytes` is rounded up to
/// pages. Nothing is populated.
Addr sys_mmap(u64 bytes);
/// mprotect() of a part of a mapping (a thread's guard page).
void sys_mprotect(Addr start, u64 bytes);
/// munmap(), or madvise(MADV_DONTNEED) of a stack: gives back the populated pages.
void sys_munmap(Addr start, u64 bytes);

/// A page fault of current at a user address that is not populated: an anonymous page is taken from
/// the CPU's node, cleared and mapped. Counts kPageFaults. Returns the page's physical address.
Addr handle_page_fault(Addr user_address);

}  // namespace linefill::kernel
