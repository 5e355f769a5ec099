/* Computes digests of bytes while they are being used: on its own thread, if that is allowed and
 * the input is long enough. Nothing is copied: the bytes must stay unchanged until
 * assay_hasher_wait returns. */
#ifndef ASSAY_COMMON_HASHER_H
#define ASSAY_COMMON_HASHER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "io/digest.h"

/* What is digested: all bytes, and those of the part that is being read. */
enum assay_hash_scope { ASSAY_HASH_ALL, ASSAY_HASH_PART, ASSAY_HASH_SCOPES };

struct assay_hasher {
    struct assay_digest digests[ASSAY_HASH_SCOPES];
    bool parts;     /* ASSAY_HASH_PART is computed, too */
    bool threaded;  /* a thread may be used */
    bool running;   /* the thread is running */
    uint64_t total; /* bytes added */
    pthread_t thread;
    /* The thread's current job; `lock` and the condition protect it, and each side waits for the
     * other to change it. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const void *data; /* null: nothing */
    size_t size;
    bool quit;
};

void assay_hasher_open(struct assay_hasher *hasher, bool parts, bool threaded);

/* Adds bytes, which must stay unchanged until the next call on the hasher returns. */
void assay_hasher_add(struct assay_hasher *hasher, const void *data, size_t size);

/* Waits until the bytes that were added are no longer read. */
void assay_hasher_wait(struct assay_hasher *hasher);

/* Returns the digest of a scope as assay_digest_end does, and begins a new one. */
enum assay_error assay_hasher_take(struct assay_hasher *hasher, enum assay_hash_scope scope,
                                   char text[ASSAY_DIGEST_TEXT]);

void assay_hasher_close(struct assay_hasher *hasher);

#endif
