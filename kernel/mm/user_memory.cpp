// SPDX-License-Identifier: Apache-2.0
// Instruction counts are estimates for v4.7 (no count is published for these paths); they matter to
// start-up only, which no published workload is dominated by.
#include "kernel/mm/user_memory.h"

#include <map>
#include <memory>

#include "kernel/base/function.h"
#include "kernel/kernel.h"
#include "kernel/mm/memory.h"
#include "kernel/sched/sched.h"
#include "kernel/syscall/syscall.h"
#include "model/machine.h"

namespace linefill::kernel {
namespace {

const KernelFunction kSysMmap{"SyS_mmap", "arch/x86/kernel/sys_x86_64.c v4.7", 160, 4};
const KernelFunction kDoMmap{"do_mmap", "mm/mmap.c v4.7", 2200, 6};
const KernelFunction kSysMprotect{"SyS_mprotect", "mm/mprotect.c v4.7", 1500, 6};
const KernelFunction kSysMunmap{"SyS_munmap", "mm/mmap.c v4.7", 1400, 6};
const KernelFunction kDoPageFault{"__do_page_fault", "arch/x86/mm/fault.c v4.7", 1200, 6};
const KernelFunction kHandleMmFault{"handle_mm_fault", "mm/memory.c v4.7", 2600, 6};
const KernelFunction kAllocPages{"__alloc_pages_nodemask", "mm/page_alloc.c v4.7", 2400, 6};
const KernelFunction kClearPage{"clear_page_erms", "arch/x86/lib/clear_page_64.S v4.7", 16, 0};

constexpr u64 kPage = 4096;

/// Fields of mm_struct that only memory management uses.
struct MmFields {
    explicit MmFields(const Place& at)
        : mmap_sem(at, "mmap_sem"),
          page_table_lock(at, "page_table_lock"),
          mm_rb(at, "mm_rb"),
          mmap_base(at, "mmap_base"),
          rss_stat(at, "rss_stat") {}
    Field<s64> mmap_sem;
    Field<u32> page_table_lock;
    Field<u64> mm_rb, mmap_base, rss_stat;
    std::map<Addr, Addr> pages;  ///< populated: user page to physical page
    Addr next = 0x7f0000000000;  ///< the next mapping ends here
};

MmFields& fields_of(MmStruct& mm) {
    static std::map<const MmStruct*, std::unique_ptr<MmFields>> all;
    std::unique_ptr<MmFields>& own = all[&mm];
    if (!own) {
        const Layout& layout = kernel().layout();
        const Place at{&layout, "mm_struct", "", mm.pgd.addr() - layout.offset("mm_struct", "pgd")};
        own = std::make_unique<MmFields>(at);
    }
    return *own;
}

MmFields& current_mm() { return fields_of(*current().mm.peek()); }

/// Holds mmap_sem; readers and writers pay the same locked add when nobody else holds it, and only
/// one thread at a time maps memory in the workloads that are built.
class MmapSem {
public:
    explicit MmapSem(MmFields& mm) : mm_(mm) { mm_.mmap_sem.fetch_add(1); }
    ~MmapSem() noexcept(false) {
        if (model::Scheduler::running_agent() != nullptr) mm_.mmap_sem.fetch_add(-1);
    }
    MmapSem(const MmapSem&) = delete;
    MmapSem& operator=(const MmapSem&) = delete;

private:
    MmFields& mm_;
};

/// A page of zeros, and where it lies.
Addr new_page() {
    Frame frame(kAllocPages);
    run(180);
    model::HwThread& hw = model::this_hw_thread();
    const Addr page = kernel().memory().alloc_pages(kernel().machine().node_of(hw.cpu()), 0);
    Frame clear(kClearPage);
    for (Addr line = 0; line < kPage; line += model::kLineBytes) {
        hw.store(page + line, 8, model::kNoField);
    }
    return page;
}

}  // namespace

Addr sys_mmap(u64 bytes) {
    const SyscallScope scope;
    Frame frame(kSysMmap);
    run(40);
    MmFields& mm = current_mm();
    const MmapSem held(mm);
    Frame map(kDoMmap);
    run(700);
    (void)mm.mm_rb.load();
    mm.mm_rb = mm.mm_rb.peek() + 1;
    MmStruct& m = *current().mm.peek();
    m.total_vm = m.total_vm.peek() + (bytes + kPage - 1) / kPage;
    ++m.map_count;
    mm.next -= (bytes + kPage - 1) / kPage * kPage;
    return mm.next;
}

void sys_mprotect(Addr start, u64 bytes) {
    (void)start;
    (void)bytes;
    const SyscallScope scope;
    Frame frame(kSysMprotect);
    MmFields& mm = current_mm();
    const MmapSem held(mm);
    run(800);
    (void)mm.mm_rb.load();
    ++current().mm.peek()->map_count;
}

void sys_munmap(Addr start, u64 bytes) {
    const SyscallScope scope;
    Frame frame(kSysMunmap);
    MmFields& mm = current_mm();
    const MmapSem held(mm);
    run(600);
    for (auto at = mm.pages.lower_bound(start);
         at != mm.pages.end() && at->first < start + bytes;) {
        run(150);
        mm.rss_stat.fetch_add(static_cast<u64>(-1));
        kernel().memory().free_pages(at->second, 0);
        at = mm.pages.erase(at);
    }
}

Addr handle_page_fault(Addr user_address) {
    model::HwThread& hw = model::this_hw_thread();
    hw.set_kernel_mode(true);
    Addr page = 0;
    {
        Frame frame(kDoPageFault);
        run(180);
        count_software_event(current(), model::Event::kPageFaults);
        MmFields& mm = current_mm();
        const MmapSem held(mm);
        (void)mm.mm_rb.load();
        Frame fault(kHandleMmFault);
        run(350);
        page = new_page();
        mm.page_table_lock.locked([](u32& v) { v = 1; });
        mm.page_table_lock = 0;
        mm.rss_stat.fetch_add(1);
        mm.pages[user_address & ~(kPage - 1)] = page;
    }
    model::this_hw_thread().set_kernel_mode(false);
    return page;
}

}  // namespace linefill::kernel
