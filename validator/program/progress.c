#include "validator/program/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/describe.h"
#include "validator/program/program.h"

enum { SHOWN_PATH = 40, LINE = 256 };

static const double mega = 1e6;

bool assay_progress_begin(struct assay_progress *p, const struct assay_input *inputs, size_t count)
{
    *p = (struct assay_progress){.inputs = inputs, .count = count};
    p->states = calloc(count + 1, sizeof *p->states);
    pthread_mutex_init(&p->lock, NULL);
    clock_gettime(CLOCK_MONOTONIC, &p->begun);
    for (size_t i = 0; i < count && p->states != NULL; i++) {
        struct stat file;
        if (stat(inputs[i].path, &file) == 0 && S_ISREG(file.st_mode) && file.st_size > 0) {
            p->states[i].size = (uint64_t)file.st_size;
            p->size += p->states[i].size;
        }
    }
    return p->states != NULL;
}

static double seconds_between(const struct timespec *from, const struct timespec *to)
{
    return (double)(to->tv_sec - from->tv_sec) + (double)(to->tv_nsec - from->tv_nsec) / 1e9;
}

/* Inputs are begun in their order, so that the next one is near the last one. */
static struct assay_progress_input *find(struct assay_progress *p, const char *path)
{
    for (size_t i = 0; i < p->count; i++) {
        const size_t number = (p->last + i) % p->count;
        if (!p->states[number].ended && strcmp(p->inputs[number].path, path) == 0) {
            p->last = number;
            return &p->states[number];
        }
    }
    return NULL;
}

/* Offsets of compressed traces are of more bytes than are stored, and a file can grow: what is
 * beyond the size is counted at the end. Where the size is not known, all bytes are counted. */
static uint64_t done_of(const struct assay_progress_input *state, uint64_t bytes, bool ended)
{
    if (state->size == 0) {
        return bytes;
    }
    return ended ? state->size : bytes > state->size ? state->done : bytes;
}

static void note(struct assay_progress *p, struct assay_progress_input *state, uint64_t bytes,
                 bool ended)
{
    const uint64_t done = done_of(state, bytes, ended);
    uint64_t *sum = state->size > 0 ? &p->done : &p->unbounded;
    *sum += done - state->done;
    state->done = done;
    state->begun = true;
    p->ended += ended && !state->ended;
    state->ended = ended;
}

static void put_time(char *out, size_t size, double seconds)
{
    if (seconds < 100) {
        assay_append(out, size, ", %.0f s left", seconds);
    } else if (seconds < 6000) {
        assay_append(out, size, ", %.0f min left", seconds / 60);
    } else {
        assay_append(out, size, ", %.1f h left", seconds / 3600);
    }
}

void assay_progress_line(const struct assay_progress *p, const char *path, double seconds,
                         char *out, size_t size)
{
    const size_t length = strlen(path);
    out[0] = '\0';
    if (p->count > 1) {
        assay_append(out, size, "%zu of %zu, ", p->ended < p->count ? p->ended + 1 : p->count,
                     p->count);
    }
    assay_append(out, size, "%s%s  ", length > SHOWN_PATH ? "..." : "",
                 length > SHOWN_PATH ? path + length - SHOWN_PATH + 3 : path);
    if (p->size > 0) {
        assay_append(out, size, "%.0f of %.0f MB (%.0f%%)", (double)p->done / mega,
                     (double)p->size / mega, 100.0 * (double)p->done / (double)p->size);
    } else {
        assay_append(out, size, "%.0f MB", (double)p->unbounded / mega);
    }
    if (seconds >= 1 && p->done + p->unbounded > 0) {
        const double rate = (double)(p->done + p->unbounded) / seconds;
        assay_append(out, size, rate < 10 * mega ? ", %.1f MB/s" : ", %.0f MB/s", rate / mega);
        if (p->size > p->done) {
            put_time(out, size, (double)(p->size - p->done) / rate);
        }
    }
}

void assay_progress_show(void *context, const char *path, uint64_t bytes, uint64_t size)
{
    struct assay_progress *p = context;
    struct timespec now;
    char line[LINE];
    clock_gettime(CLOCK_MONOTONIC, &now);
    pthread_mutex_lock(&p->lock);
    struct assay_progress_input *state = find(p, path);
    if (state != NULL) {
        note(p, state, bytes, size == bytes);
    }
    if (p->shown.tv_sec == 0 || seconds_between(&p->shown, &now) > 0.1 || p->ended == p->count) {
        p->shown = now;
        assay_progress_line(p, path, seconds_between(&p->begun, &now), line, sizeof line);
        assay_say_text("\r\033[Kjudging ", line, "");
    }
    pthread_mutex_unlock(&p->lock);
}

void assay_progress_end(struct assay_progress *p)
{
    fputs("\r\033[K", stderr);
    pthread_mutex_destroy(&p->lock);
    free(p->states);
    *p = (struct assay_progress){0};
}
