#include "execution/process.h"

#include "execution/execution.h"

enum { PAGE_BITS = 12, BEGINNING = ASSAY_WINDOW_MAX / 2 };

static bool has_page(const struct assay_process *p, uint64_t page)
{
    for (unsigned i = 0; i < p->count; i++) {
        if (p->pages[i] == page) {
            return true;
        }
    }
    return false;
}

void assay_process_begin(struct assay_process *p, struct assay_window *window)
{
    *p = (struct assay_process){.recorded = !assay_execution_header(window->execution)->system};
    const unsigned count = p->recorded ? assay_window_fill(window, BEGINNING) : 0;
    for (unsigned i = 0; i < count && p->count < ASSAY_PROCESS_PAGES; i++) {
        const uint64_t page = assay_window_at(window, i)->pc >> PAGE_BITS;
        if (!has_page(p, page)) {
            p->pages[p->count++] = page;
        }
    }
}

bool assay_process_lacks(struct assay_process *p, uint64_t address)
{
    if (!p->decided) {
        p->decided = true;
        p->recorded = p->recorded && !has_page(p, address >> PAGE_BITS);
    }
    return p->recorded;
}
