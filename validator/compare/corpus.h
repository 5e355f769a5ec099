/* An exported corpus (`assay corpus export`), as a decoder is compared over it. */
#ifndef ASSAY_COMPARE_CORPUS_H
#define ASSAY_COMPARE_CORPUS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "model/model.h"

enum assay_corpus_vector_file { ASSAY_VECTOR_TRACE, ASSAY_VECTOR_MANIFEST, ASSAY_VECTOR_EVENTS };
enum { ASSAY_VECTOR_FILES = 3 };

struct assay_corpus_file {
    const char *path;   /* absolute */
    const char *digest; /* "sha256:..." */
};

/* What its author states of a vector, as far as it binds a decoder. */
enum assay_corpus_shows {
    ASSAY_SHOWS_CONFORMS, /* passes, conforms, events: it is decoded */
    ASSAY_SHOWS_REFUSES,  /* a decoder that stops at faults stops */
    ASSAY_SHOWS_VIOLATES, /* fails, violates, nothing: what a decoder makes of it is open */
};

struct assay_corpus_vector {
    const char *name;
    const struct assay_format *format;
    enum assay_corpus_shows shows;
    const char *files[ASSAY_VECTOR_FILES];  /* absolute paths; null where it has none */
    const struct assay_corpus_file *listed; /* these and all others, programs among them */
    size_t listed_count;
};

struct assay_corpus {
    struct assay_arena arena;
    struct assay_corpus_vector *vectors;
    size_t count;
    const char **left_out; /* names of the vectors that were not taken */
    size_t left_out_count;
};

enum { ASSAY_PATTERNS_MOST = 32 };

struct assay_patterns {
    const char *list[ASSAY_PATTERNS_MOST];
    size_t count;
};

/* Which vectors are taken: those that are all of it. Patterns are with * and ? and [..]. What a
 * vector has is kinds of events, features (flags and sizes of its configuration), a framing and a
 * profile. */
struct assay_corpus_choice {
    const char *format;             /* null: all */
    const char *layer;              /* it has events of this layer, or a fault; null: any */
    struct assay_patterns only;     /* its name is one of these; empty: any */
    struct assay_patterns profiles; /* its profile is one of these; empty: any */
    struct assay_patterns with;     /* it has something of each of these */
    struct assay_patterns without;  /* it has nothing of any of these */
};

/* Reads index.json of a folder, which begins zero-initialised and is to be freed in any case. A
 * format that this build does not have is ASSAY_UNSUPPORTED. Paths that leave the folder are
 * ASSAY_OUT_OF_RANGE, an index of another schema ASSAY_UNSUPPORTED; so is one that does not list
 * what vectors have, where the choice is by that. A choice that no vector is of is ASSAY_VACUOUS.
 */
enum assay_error assay_corpus_load(struct assay_corpus *corpus, const char *folder,
                                   const struct assay_corpus_choice *choice,
                                   struct assay_diag *diag);

/* Whether the files of a vector, all that the index lists, are those that were exported:
 * ASSAY_CONTRADICTION, ASSAY_NOT_FOUND or another error names the first that is not. */
enum assay_error assay_corpus_check(const struct assay_corpus_vector *vector,
                                    struct assay_diag *diag);

void assay_corpus_free(struct assay_corpus *corpus);

#endif
