/* Memory for large tables of which most inputs use a small part. */
#ifndef ASSAY_COMMON_ZEROED_H
#define ASSAY_COMMON_ZEROED_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { ASSAY_CACHE_LINE = 64 };

/* Zeroes, from the beginning of a line of the processor's cache on. A large table comes from the
 * system page by page, when it is first written to: to set it to zero would touch all of it. The
 * caller frees *whole, not what is returned. Null: there is no memory. */
static inline void *assay_zeroed_lines(size_t size, void **whole)
{
    *whole = size <= SIZE_MAX - ASSAY_CACHE_LINE ? calloc(1, size + ASSAY_CACHE_LINE) : NULL;
    if (*whole == NULL) {
        return NULL;
    }
    const size_t after = (uintptr_t)*whole % ASSAY_CACHE_LINE;
    return (char *)*whole + (after > 0 ? ASSAY_CACHE_LINE - after : 0);
}

#endif
