#include "io/hasher.h"

/* For fewer bytes, or a short input, another thread costs more time than it saves. */
enum { LEAST_HANDED_OVER = 1 << 14, LEAST_THREADED = 1 << 20 };

void assay_hasher_open(struct assay_hasher *h, bool parts, bool threaded)
{
    *h = (struct assay_hasher){.parts = parts, .threaded = threaded};
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->changed, NULL);
    assay_digest_begin(&h->digests[ASSAY_HASH_ALL]);
    if (parts) {
        assay_digest_begin(&h->digests[ASSAY_HASH_PART]);
    }
}

static void digest(struct assay_hasher *h, const void *data, size_t size)
{
    assay_digest_add(&h->digests[ASSAY_HASH_ALL], data, size);
    if (h->parts) {
        assay_digest_add(&h->digests[ASSAY_HASH_PART], data, size);
    }
}

static void *work(void *argument)
{
    struct assay_hasher *h = argument;
    pthread_mutex_lock(&h->lock);
    while (!h->quit) {
        if (h->data == NULL) {
            pthread_cond_wait(&h->changed, &h->lock);
            continue;
        }
        pthread_mutex_unlock(&h->lock);
        digest(h, h->data, h->size);
        pthread_mutex_lock(&h->lock);
        h->data = NULL;
        pthread_cond_broadcast(&h->changed);
    }
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

void assay_hasher_wait(struct assay_hasher *h)
{
    if (!h->running) {
        return;
    }
    pthread_mutex_lock(&h->lock);
    while (h->data != NULL) {
        pthread_cond_wait(&h->changed, &h->lock);
    }
    pthread_mutex_unlock(&h->lock);
}

void assay_hasher_add(struct assay_hasher *h, const void *data, size_t size)
{
    assay_hasher_wait(h);
    h->total += size;
    if (h->threaded && !h->running && h->total > LEAST_THREADED) {
        h->running = pthread_create(&h->thread, NULL, work, h) == 0;
        h->threaded = h->running;
    }
    if (!h->running || size < LEAST_HANDED_OVER) {
        digest(h, data, size);
        return;
    }
    pthread_mutex_lock(&h->lock);
    h->data = data;
    h->size = size;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->lock);
}

enum assay_error assay_hasher_take(struct assay_hasher *h, enum assay_hash_scope scope,
                                   char text[ASSAY_DIGEST_TEXT])
{
    assay_hasher_wait(h);
    const enum assay_error error = assay_digest_end(&h->digests[scope], text);
    assay_digest_begin(&h->digests[scope]);
    return error;
}

void assay_hasher_close(struct assay_hasher *h)
{
    char unused[ASSAY_DIGEST_TEXT];
    assay_hasher_wait(h);
    if (h->running) {
        pthread_mutex_lock(&h->lock);
        h->quit = true;
        pthread_cond_broadcast(&h->changed);
        pthread_mutex_unlock(&h->lock);
        pthread_join(h->thread, NULL);
    }
    for (unsigned scope = 0; scope < ASSAY_HASH_SCOPES; scope++) {
        assay_digest_end(&h->digests[scope], unused);
    }
    pthread_cond_destroy(&h->changed);
    pthread_mutex_destroy(&h->lock);
}
