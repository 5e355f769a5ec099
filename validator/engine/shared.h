/* Copies of bytes of which those that are alike are one: many inputs say the same. Private to
 * validator/. */
#ifndef ASSAY_VALIDATOR_SHARED_H
#define ASSAY_VALIDATOR_SHARED_H

#include <stddef.h>

#include "common/arena.h"

/* Each content has one place by its hash and loses it to the next one with the same place: so
 * neither room nor time grows with what differs, and some that are alike are copied again. */
enum { ASSAY_SHARED_PLACES = 4096 };

struct assay_shared {
    struct assay_arena *arena; /* that copies are in */
    struct {
        const void *bytes; /* null: none yet */
        size_t size;
    } places[ASSAY_SHARED_PLACES];
};

/* A copy of `size` bytes, aligned for any type and not to be written to. Null when memory is
 * out. */
const void *assay_shared_copy(struct assay_shared *shared, const void *bytes, size_t size);

#endif
