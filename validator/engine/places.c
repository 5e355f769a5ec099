#include "validator/engine/places.h"

#include <stdlib.h>
#include <string.h>

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

enum assay_error assay_places_read(struct assay_places *places, struct assay_input_run *run,
                                   size_t stream)
{
    const struct assay_session *session = run->sessions[stream];
    *places = (struct assay_places){0};
    const size_t count = session->setup->has_id ? gather(session, NULL, 0) : 0;
    if (count == 0) {
        return ASSAY_OK;
    }
    places->in_stream = calloc(count, sizeof *places->in_stream);
    places->in_input = calloc(count, sizeof *places->in_input);
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
    assay_input_locate(run, stream, places->in_input, places->count);
    return ASSAY_OK;
}

uint64_t assay_places_find(const struct assay_places *places, uint64_t offset)
{
    const uint64_t *found = places->count > 0 ? bsearch(&offset, places->in_stream, places->count,
                                                        sizeof offset, ascending)
                                              : NULL;
    return found != NULL ? places->in_input[found - places->in_stream] : offset;
}

void assay_places_free(struct assay_places *places)
{
    free(places->in_stream);
    free(places->in_input);
    *places = (struct assay_places){0};
}
