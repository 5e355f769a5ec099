/* Memory for large tables of which most inputs use a small part. */
#ifndef ASSAY_COMMON_TABLE_H
#define ASSAY_COMMON_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum { ASSAY_CACHE_LINE = 64 };

/* A table comes from the system page by page, when it is first written to: opening one costs little
 * whatever its size.
 *
 * Under the address sanitizer a table is a mapping of its own and not a block of the heap, of which
 * the sanitizer would mark each byte when it is allocated and freed. The mapping ends, but for what
 * is missing to a line, at a page that cannot be touched, and nothing is there when it was closed:
 * to write behind the table or after closing it is found as before. Its pointers into the heap
 * count for the search for leaks. */
struct assay_table {
    void *
        at; /* from the beginning of a line of the processor's cache on; null when it is not open */
    void *whole;
    size_t size; /* bytes of `whole` */
};

/* A table of `size` bytes, which are 0 when it is to be cleared, and unknown otherwise. False:
 * there is no memory, and nothing to close. */
bool assay_table_open(struct assay_table *table, size_t size, bool cleared);

/* Of one that is not open (all 0), too. A copy of the structure will do: the table can hold its
 * own. */
void assay_table_close(struct assay_table *table);

#endif
