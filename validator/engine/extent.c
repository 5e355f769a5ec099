#include "validator/engine/extent.h"

#include <stdlib.h>

#include "validator/engine/judge.h"

/* Violations are of one place if less than a part of the stream is between two of them. So much of
 * it has to be right that chance is no explanation. */
enum { JOINED_PART = 20, LEAST_JOINED = 64, LEAST_RIGHT = 512, RIGHT_PART = 2 };

const char *assay_extent_name(uint8_t extent)
{
    static const char *const names[] = {NULL, "places", "throughout"};
    return names[extent];
}

static bool continues(const struct assay_extent_found *found, uint64_t offset, uint64_t joined)
{
    return found->count > 0 && offset - found->list[found->count - 1].to < joined;
}

void assay_extent_find(const uint64_t *offsets, size_t count, uint64_t end,
                       struct assay_extent_found *found)
{
    const uint64_t part = end / JOINED_PART;
    const uint64_t joined = part > LEAST_JOINED ? part : LEAST_JOINED;
    uint64_t wrong = 0;
    size_t i = 0;
    found->extent = ASSAY_EXTENT_AT_PLACES;
    found->count = 0;
    for (; i < count; i++) {
        if (continues(found, offsets[i], joined)) {
            wrong += offsets[i] - found->list[found->count - 1].to;
            found->list[found->count - 1].to = offsets[i];
        } else if (found->count < ASSAY_EXTENT_MOST) {
            found->list[found->count++] =
                (struct assay_extent_place){.first = i, .at = offsets[i], .to = offsets[i]};
        } else {
            break;
        }
    }
    wrong += found->count * joined;
    const uint64_t right = end > wrong ? end - wrong : 0;
    if (count == 0 || i < count || right < LEAST_RIGHT || right < end / RIGHT_PART) {
        found->extent = ASSAY_EXTENT_THROUGHOUT;
        found->count = 0;
    }
}

/* --- diagnoses --- */

/* A diagnosis is a habit if it is recognised at so many places, and at so many of all of them. */
enum { LEAST_PLACES = 3, HABIT_OF = 4, HABIT = 3 };

static bool is_asked(const struct assay_extent_rule *of)
{
    return of->rule->diagnosis ? of->rule->extent == ASSAY_EXTENT_THROUGHOUT
                               : of->rule->level == ASSAY_MUST;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The stream is known up to the last finding of a rule that has more than are kept. */
static uint64_t known_end(const struct assay_extent_rule *rules, size_t rule_count, uint64_t end,
                          size_t *findings)
{
    *findings = 0;
    for (size_t r = 0; r < rule_count; r++) {
        const struct assay_extent_rule *of = &rules[r];
        if (is_asked(of) && of->violated > of->count) {
            const uint64_t last = of->count > 0 ? of->findings[of->count - 1]->offset : 0;
            end = last < end ? last : end;
        }
        *findings += is_asked(of) ? of->count : 0;
    }
    return end;
}

static void find_all(const struct assay_extent_rule *rules, size_t rule_count, uint64_t end,
                     struct assay_extent_found *found)
{
    size_t most = 0;
    size_t count = 0;
    const uint64_t known = known_end(rules, rule_count, end, &most);
    uint64_t *offsets = malloc((most + 1) * sizeof *offsets);
    *found = (struct assay_extent_found){.extent = ASSAY_EXTENT_ANY};
    if (offsets == NULL) {
        return;
    }
    for (size_t r = 0; r < rule_count; r++) {
        for (size_t i = 0; is_asked(&rules[r]) && i < rules[r].count; i++) {
            offsets[count] = rules[r].findings[i]->offset;
            count += offsets[count] <= known;
        }
    }
    qsort(offsets, count, sizeof *offsets, by_value);
    assay_extent_find(offsets, count, known, found);
    free(offsets);
}

static bool is_at(const struct assay_extent_rule *of, const struct assay_extent_place *place)
{
    size_t i = 0;
    while (i < of->count && of->findings[i]->offset < place->at) {
        i++;
    }
    return i < of->count && of->findings[i]->offset <= place->to;
}

static bool is_habit(const struct assay_extent_rule *of, const struct assay_extent_found *found)
{
    size_t places = 0;
    for (size_t i = 0; i < found->count; i++) {
        places += is_at(of, &found->list[i]);
    }
    return of->rule->extent == ASSAY_EXTENT_THROUGHOUT && places >= LEAST_PLACES &&
           places * HABIT_OF >= found->count * HABIT;
}

static bool always_fails(const struct assay_extent_rule *of)
{
    return is_asked(of) && !of->rule->diagnosis && of->violated >= LEAST_PLACES &&
           of->violated == of->exercised;
}

bool assay_extent_is_told(const struct assay_extent_rule *rules, size_t rule_count, size_t number,
                          uint64_t end)
{
    struct assay_extent_found found;
    find_all(rules, rule_count, end, &found);
    if (found.extent != ASSAY_EXTENT_AT_PLACES) {
        return found.extent == ASSAY_EXTENT_ANY || rules[number].rule->extent == found.extent;
    }
    if (rules[number].rule->extent == ASSAY_EXTENT_THROUGHOUT) {
        return is_habit(&rules[number], &found);
    }
    bool violated = false;
    bool habit = false; /* of the producer, shown by a diagnosis or by a rule that always fails */
    for (size_t r = 0; r < rule_count; r++) {
        violated =
            violated || (is_asked(&rules[r]) && !rules[r].rule->diagnosis && rules[r].count > 0);
        habit = habit || is_habit(&rules[r], &found) || always_fails(&rules[r]);
    }
    return violated && !habit;
}
