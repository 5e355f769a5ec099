/* Where in a stream its violations are: at places, with all right between them, or throughout. What
 * a register, a parameter or a habit of an encoder gets wrong shows wherever it matters; lost data
 * shows at one place, up to the next synchronisation. */
#ifndef ASSAY_VALIDATOR_EXTENT_H
#define ASSAY_VALIDATOR_EXTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum assay_extent {
    ASSAY_EXTENT_ANY,       /* of a diagnosis: it may be either */
    ASSAY_EXTENT_AT_PLACES, /* most of the stream is right */
    ASSAY_EXTENT_THROUGHOUT /* it is not, or is too short to tell */
};

/* "places", "throughout"; null for any. */
const char *assay_extent_name(uint8_t extent);

/* The most places that are told apart. */
enum { ASSAY_EXTENT_MOST = 64 };

/* Violations that follow each other closely. */
struct assay_extent_place {
    size_t first;    /* number of its first violation in the list */
    uint64_t at, to; /* offsets of its first and last violation */
};

struct assay_extent_found {
    enum assay_extent extent; /* AT_PLACES or THROUGHOUT, as of no violation */
    struct assay_extent_place list[ASSAY_EXTENT_MOST];
    size_t count; /* 0 unless the extent is AT_PLACES */
};

/* Finds the places of violations with these offsets, in ascending order, in a stream that is known
 * up to the offset `end`. */
void assay_extent_find(const uint64_t *offsets, size_t count, uint64_t end,
                       struct assay_extent_found *found);

struct assay_rule;
struct assay_finding;

/* What is known of the violations of a rule, or of where a diagnosis was recognised. */
struct assay_extent_rule {
    const struct assay_rule *rule;
    uint64_t exercised, violated;
    struct assay_finding *const *findings; /* the first ones, in the order of their events */
    size_t count;
};

/* Whether the diagnosis rules[number] is told of a stream that is known up to the offset `end`. The
 * extent is that of the violations of rules of level must, and of what diagnoses of the extent
 * THROUGHOUT recognise. One of these is also told where it is recognised at most places, and at
 * several; then none of the extent AT_PLACES is, nor where a rule fails in all of several checks.
 * Without memory it is told. */
bool assay_extent_is_told(const struct assay_extent_rule *rules, size_t rule_count, size_t number,
                          uint64_t end);

#endif
