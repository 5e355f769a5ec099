/* Failures of a decoder that are known: a baseline. They do not decide the exit status; one that
 * does not occur any more is an error, so that the list stays true. */
#ifndef ASSAY_COMPARE_EXPECTED_H
#define ASSAY_COMPARE_EXPECTED_H

#include "common/arena.h"
#include "validator/compare/compare.h"

struct assay_expected {
    const char *vector; /* a pattern of names, with * and ? and [..] */
    int outcome;        /* enum assay_compare_outcome; -1: any failure */
    const char *reason;
    uint32_t line;
    size_t used; /* vectors that failed so */
    bool stale;  /* none did, and none that was left out could: see assay_expected_settle */
};

struct assay_expected_list {
    struct assay_arena arena;
    const char *path;
    struct assay_expected *list;
    size_t count;
    size_t room;
};

/* Reads a file, a mapping whose key `failures` is a list of mappings with `vector`, a pattern or a
 * list of them, each of which is an entry, `reason` and, if it is to be one outcome only,
 * `outcome`. The list begins zero-initialised and is to be freed in any case. */
enum assay_error assay_expected_load(struct assay_expected_list *list, const char *path,
                                     struct assay_diag *diag);

/* The entry that expects the failure of a vector, which is counted as used; or null. */
const struct assay_expected *assay_expected_of(struct assay_expected_list *list, const char *vector,
                                               enum assay_compare_outcome outcome);

/* Says which entries are stale, once all failures were looked up. Returns their number. */
size_t assay_expected_settle(struct assay_expected_list *list, const struct assay_corpus *corpus);

void assay_expected_free(struct assay_expected_list *list);

#endif
