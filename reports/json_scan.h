/* Going through a JSON text of any length, a value at a time: what is not asked for is stepped
 * over, and only one value is in memory. Errors have their place in the file. */
#ifndef ASSAY_REPORTS_JSON_SCAN_H
#define ASSAY_REPORTS_JSON_SCAN_H

#include <stdbool.h>
#include <stdio.h>

#include "common/error.h"

/* The longest value that is kept, in bytes. */
enum { ASSAY_JSON_LONGEST = 1 << 30 };

struct assay_json_scan {
    FILE *file; /* owned */
    const char *path;
    uint64_t offset; /* in bytes, of what is read next */
    bool first;      /* an object or a list has just been opened */
    char *text;      /* the last value that was kept; owned, not terminated */
    size_t size, room;
    struct assay_diag *diag; /* of the caller */
};

/* Each returns an error that the caller's diag describes: of reading, ASSAY_SYNTAX, ASSAY_TRUNCATED
 * where the file ends within what it began, ASSAY_LIMIT. The scan is to be closed in any case. */

enum assay_error assay_json_scan_open(struct assay_json_scan *scan, const char *path,
                                      struct assay_diag *diag);

/* Goes to a place where a value began (`offset`). */
enum assay_error assay_json_scan_seek(struct assay_json_scan *scan, uint64_t offset);

/* Enters an object, '{', or a list, '['. */
enum assay_error assay_json_scan_enter(struct assay_json_scan *scan, char bracket);

/* The name of the next member of the object that was entered last; one that is longer than `size`
 * allows is cut. At the end, which is stepped over, *more is false. */
enum assay_error assay_json_scan_member(struct assay_json_scan *scan, char *name, size_t size,
                                        bool *more);

/* The same for elements of a list. `offset` is then where the element begins. */
enum assay_error assay_json_scan_item(struct assay_json_scan *scan, bool *more);

/* Steps over a value, or keeps its text; which is only known to have its brackets closed. */
enum assay_error assay_json_scan_skip(struct assay_json_scan *scan);
enum assay_error assay_json_scan_keep(struct assay_json_scan *scan);

/* That nothing but blanks follows. */
enum assay_error assay_json_scan_end(struct assay_json_scan *scan);

void assay_json_scan_close(struct assay_json_scan *scan);

#endif
