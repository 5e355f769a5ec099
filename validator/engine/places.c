#include "validator/engine/places.h"

#include <stdlib.h>
#include <string.h>

#include "io/source_concat.h"

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Writes the offsets of all findings of the stream, as far as there is room; returns how many there
 * are. */
static size_t gather(const struct assay_session *session, uint64_t *offsets, size_t capacity)
{
    size_t count = 0;
    for (size_t i = 0; i < session->judge_count; i++) {
        const size_t rules = assay_judge_catalogue(session->judges[i])->rule_count;
        for (size_t r = 0; r < rules; r++) {
            const struct assay_rule_result result = assay_judge_result(session->judges[i], r);
            for (size_t n = 0; n < result.finding_count; n++, count++) {
                if (count < capacity) {
                    offsets[count] = result.findings[n]->offset;
                }
            }
        }
    }
    return count;
}

static enum assay_error gather_all(struct assay_places *places, const struct assay_session *session)
{
    const size_t count = gather(session, NULL, 0);
    places->in_stream = calloc(count + 1, sizeof *places->in_stream);
    places->in_input = calloc(count + 1, sizeof *places->in_input);
    if (places->in_stream == NULL || places->in_input == NULL) {
        assay_places_free(places);
        return ASSAY_NO_MEMORY;
    }
    gather(session, places->in_stream, count);
    qsort(places->in_stream, count, sizeof *places->in_stream, ascending);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || places->in_stream[i] != places->in_stream[i - 1]) {
            places->in_stream[places->count++] = places->in_stream[i];
        }
    }
    memcpy(places->in_input, places->in_stream, places->count * sizeof *places->in_input);
    return ASSAY_OK;
}

enum assay_error assay_places_read(struct assay_places *places, const struct assay_session *session,
                                   const struct assay_carrier_ops *carrier, unsigned framing,
                                   struct assay_source *bytes, struct assay_diag *diag)
{
    enum assay_error error = gather_all(places, session);
    if (error == ASSAY_OK && places->count > 0) {
        error = bytes != NULL
                    ? carrier->locate(bytes, framing, session->result.id, places->in_input,
                                      places->count, diag)
                    : assay_fail(diag, ASSAY_READ_FAILED, ASSAY_NO_OFFSET,
                                 "the input cannot be read again to find where findings are");
    }
    assay_source_close(bytes);
    places->unknown = error != ASSAY_OK;
    return error;
}

void assay_places_find(const struct assay_places *places, struct assay_located_finding *placed)
{
    const uint64_t own = placed->finding->offset;
    const uint64_t *found =
        places->count > 0 && !places->unknown
            ? bsearch(&own, places->in_stream, places->count, sizeof own, ascending)
            : NULL;
    placed->offset = found != NULL ? places->in_input[found - places->in_stream] : own;
    placed->unlocated = places->unknown;
    placed->file = 0;
    placed->file_offset = 0;
    const struct assay_source_part *part =
        places->parts != NULL && !places->unknown
            ? assay_source_locate(places->parts, placed->offset, &placed->file_offset)
            : NULL;
    if (part != NULL) {
        placed->file = 1 + (size_t)(part - places->parts->list);
    }
}

void assay_places_free(struct assay_places *places)
{
    free(places->in_stream);
    free(places->in_input);
    *places = (struct assay_places){0};
}
