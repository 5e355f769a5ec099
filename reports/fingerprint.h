/* What makes a finding the same one in another run. Private to reports/. */
#ifndef ASSAY_REPORTS_FINGERPRINT_H
#define ASSAY_REPORTS_FINGERPRINT_H

#include "validator/engine/results.h"

/* 32 hexadecimal digits, terminated. */
enum { ASSAY_FINGERPRINT_TEXT = 32 + 1 };

/* FNV-1a of 128 bits (Fowler, Noll and Vo): it takes no memory, and need not withstand anybody. */
struct assay_hash {
    uint64_t high;
    uint64_t low;
};
void assay_hash_begin(struct assay_hash *hash);
void assay_hash_add(struct assay_hash *hash, const char *data, size_t size);

/* A hash of the rule, the path of the input, the id of the stream, the kind of the event, and the
 * values that the rule's condition reads. The place is not in it, so that it stays when something
 * is traced before it; findings of a rule that are alike in all of this have the same one. */
void assay_fingerprint(const struct assay_found *found, char text[ASSAY_FINGERPRINT_TEXT]);

/* Counts fingerprints, so that those of several findings can be told apart. Begins
 * zero-initialised. */
struct assay_fingerprints {
    struct assay_fingerprint_count *slots;
    size_t used;
    size_t room; /* a power of two */
};

/* Counts this one: how often it came, now included. False when memory is out. */
bool assay_fingerprints_count(struct assay_fingerprints *all,
                              const char text[ASSAY_FINGERPRINT_TEXT], uint64_t *count);

void assay_fingerprints_free(struct assay_fingerprints *all);

#endif
