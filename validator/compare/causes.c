#include "validator/compare/causes.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- which failures have the same cause --- */

/* The next word of a text, which moves behind it; null at its end. Words with a digit in them, such
 * as places and names of vectors, are all the same: their size is 0. */
static const char *next_word(const char **text, size_t *size)
{
    const char *word = *text + strspn(*text, " \t\n");
    const size_t length = strcspn(word, " \t\n");
    bool digit = false;
    for (size_t i = 0; i < length; i++) {
        digit = digit || isdigit((unsigned char)word[i]) != 0;
    }
    *text = word + length;
    *size = digit ? 0 : length;
    return length > 0 ? word : NULL;
}

static int compare_words(const char *a, const char *b)
{
    int order = 0;
    const char *x = "";
    const char *y = "";
    while (order == 0 && x != NULL && y != NULL) {
        size_t x_size = 0;
        size_t y_size = 0;
        x = next_word(&a, &x_size);
        y = next_word(&b, &y_size);
        order = (x != NULL) - (y != NULL);
        if (order == 0 && x != NULL) {
            order = x_size == y_size ? memcmp(x, y, x_size) : (x_size < y_size ? -1 : 1);
        }
    }
    return order;
}

static int compare_differences(const struct assay_comparison *a, const struct assay_comparison *b)
{
    int order = (int)a->aspect - (int)b->aspect;
    order = order != 0 ? order : strcmp(a->layer, b->layer);
    order = order != 0 ? order : strcmp(a->kind, b->kind);
    order = order != 0 ? order : strcmp(a->field, b->field);
    return order == 0 && a->aspect == ASSAY_IN_KIND ? strcmp(a->found.value, b->found.value)
                                                    : order;
}

static int compare_causes(const struct assay_compared *a, const struct assay_compared *b)
{
    int order = strcmp(a->vector->format->name, b->vector->format->name);
    order = order != 0 ? order : (int)a->outcome - (int)b->outcome;
    if (order != 0) {
        return order;
    }
    order = (a->failure->comparison.layer[0] != '\0') - (b->failure->comparison.layer[0] != '\0');
    if (order != 0) {
        return order;
    }
    return a->failure->comparison.layer[0] != '\0'
               ? compare_differences(&a->failure->comparison, &b->failure->comparison)
               : compare_words(a->failure->what, b->failure->what);
}

/* Of two places in the list of vectors: by cause, then by place. */
static int compare_places(const void *a, const void *b, void *context)
{
    const struct assay_comparisons *c = context;
    const size_t x = *(const size_t *)a;
    const size_t y = *(const size_t *)b;
    const int order = compare_causes(&c->list[x], &c->list[y]);
    return order != 0 ? order : (x > y) - (x < y);
}

/* --- what they have in common --- */

static bool same_values(const struct assay_comparison *a, const struct assay_comparison *b)
{
    return strcmp(a->expected.value, b->expected.value) == 0 &&
           strcmp(a->found.value, b->found.value) == 0;
}

static void begin(struct assay_compare_cause *cause, const struct assay_comparisons *c,
                  size_t vector)
{
    const struct assay_comparison *of = &c->list[vector].failure->comparison;
    *cause = (struct assay_compare_cause){.first = vector,
                                          .count = 1,
                                          .same_values = true,
                                          .same_offset = of->numbered,
                                          .offset = of->numbers[1] - of->numbers[0]};
}

static void add(struct assay_compare_cause *cause, const struct assay_comparisons *c, size_t vector)
{
    const struct assay_comparison *first = &c->list[cause->first].failure->comparison;
    const struct assay_comparison *of = &c->list[vector].failure->comparison;
    cause->count++;
    cause->same_values = cause->same_values && same_values(first, of);
    cause->same_offset =
        cause->same_offset && of->numbered && of->numbers[1] - of->numbers[0] == cause->offset;
}

static int compare_counts(const void *a, const void *b)
{
    const struct assay_compare_cause *x = a;
    const struct assay_compare_cause *y = b;
    return x->count != y->count ? (x->count < y->count ? 1 : -1)
                                : (x->first > y->first) - (x->first < y->first);
}

/* Makes causes of the failures, which are in the order of their causes. */
static void group(struct assay_compare_causes *causes, const struct assay_comparisons *c,
                  const size_t *failures, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && compare_causes(&c->list[failures[i - 1]], &c->list[failures[i]]) == 0) {
            add(&causes->list[causes->count - 1], c, failures[i]);
        } else {
            begin(&causes->list[causes->count++], c, failures[i]);
        }
    }
    qsort(causes->list, causes->count, sizeof *causes->list, compare_counts);
}

/* Failures of one cause stand together, so that each finds its own by the first of them. */
static void number(struct assay_compare_causes *causes, const size_t *failures, size_t count)
{
    for (size_t n = 0; n < causes->count; n++) {
        causes->of[causes->list[n].first] = n;
    }
    for (size_t i = 1; i < count; i++) {
        if (causes->of[failures[i]] == SIZE_MAX) {
            causes->of[failures[i]] = causes->of[failures[i - 1]];
        }
    }
}

enum assay_error assay_compare_causes_find(struct assay_compare_causes *causes,
                                           const struct assay_comparisons *comparisons)
{
    const size_t vectors = comparisons->corpus->count;
    size_t *failures = calloc(vectors + 1, sizeof *failures);
    size_t count = 0;
    causes->list = calloc(vectors + 1, sizeof *causes->list);
    causes->of = calloc(vectors + 1, sizeof *causes->of);
    if (failures == NULL || causes->list == NULL || causes->of == NULL) {
        free(failures);
        return ASSAY_NO_MEMORY;
    }
    for (size_t i = 0; i < vectors; i++) {
        causes->of[i] = SIZE_MAX;
        if (comparisons->list[i].failure != NULL && comparisons->list[i].reason == NULL) {
            failures[count++] = i;
        }
    }
    qsort_r(failures, count, sizeof *failures, compare_places, (void *)comparisons);
    group(causes, comparisons, failures, count);
    number(causes, failures, count);
    free(failures);
    return ASSAY_OK;
}

void assay_compare_cause_text(const struct assay_compare_cause *cause,
                              const struct assay_comparisons *comparisons,
                              char text[ASSAY_COMPARE_CAUSE_TEXT])
{
    const struct assay_failure *failure = comparisons->list[cause->first].failure;
    const struct assay_comparison *first = &failure->comparison;
    const bool more = (int64_t)cause->offset > 0;
    if (first->aspect != ASSAY_IN_FIELD || cause->same_values) {
        snprintf(text, ASSAY_COMPARE_CAUSE_TEXT, "%s", failure->what);
    } else if (cause->same_offset) {
        snprintf(text, ASSAY_COMPARE_CAUSE_TEXT, "%s.%s: yours is %" PRIu64 " %s, as %s for %s",
                 first->kind, first->field, more ? cause->offset : 0 - cause->offset,
                 more ? "more" : "less", first->found.value, first->expected.value);
    } else {
        snprintf(text, ASSAY_COMPARE_CAUSE_TEXT, "%s.%s differs, as yours %s for %s", first->kind,
                 first->field, first->found.value, first->expected.value);
    }
}

void assay_compare_causes_free(struct assay_compare_causes *causes)
{
    free(causes->list);
    free(causes->of);
    *causes = (struct assay_compare_causes){.count = 0};
}
