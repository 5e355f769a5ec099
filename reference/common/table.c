#include "common/table.h"

#include <stdint.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MAPPED 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define MAPPED 1
#endif

/* What is to be had so that `size` bytes from a line on are in it; 0: more than there can be. */
static size_t with_alignment(size_t size, size_t more)
{
    return size <= SIZE_MAX / 2 ? size + more : 0;
}

static void *next_line(char *memory)
{
    const size_t after = (uintptr_t)memory % ASSAY_CACHE_LINE;
    return memory + (after > 0 ? ASSAY_CACHE_LINE - after : 0);
}

#ifdef MAPPED
#include <sanitizer/lsan_interface.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

bool assay_table_open(struct assay_table *table, size_t size, bool cleared)
{
    (void)cleared;
    *table = (struct assay_table){0};
    const size_t lines =
        with_alignment(size, ASSAY_CACHE_LINE - 1) / ASSAY_CACHE_LINE * ASSAY_CACHE_LINE;
    const size_t pages = (lines + PAGE - 1) / PAGE * PAGE;
    if (lines == 0) {
        return false;
    }
    char *whole = mmap(NULL, pages + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (whole == MAP_FAILED) {
        return false;
    }
    if (mprotect(whole, pages, PROT_READ | PROT_WRITE) != 0) {
        munmap(whole, pages + PAGE);
        return false;
    }
    __lsan_register_root_region(whole, pages);
    *table =
        (struct assay_table){.at = next_line(whole + pages - lines), .whole = whole, .size = pages};
    return true;
}

void assay_table_close(struct assay_table *table)
{
    const struct assay_table closed = *table;
    *table = (struct assay_table){0};
    if (closed.whole != NULL) {
        __lsan_unregister_root_region(closed.whole, closed.size);
        munmap(closed.whole, closed.size + PAGE);
    }
}

#else

bool assay_table_open(struct assay_table *table, size_t size, bool cleared)
{
    const size_t whole = with_alignment(size, ASSAY_CACHE_LINE);
    *table = (struct assay_table){.size = whole};
    if (whole > 0) {
        table->whole = cleared ? calloc(1, whole) : malloc(whole);
    }
    table->at = table->whole != NULL ? next_line(table->whole) : NULL;
    return table->at != NULL;
}

void assay_table_close(struct assay_table *table)
{
    void *const whole = table->whole;
    *table = (struct assay_table){0};
    free(whole);
}

#endif
