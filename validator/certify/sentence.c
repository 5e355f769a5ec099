#include "validator/certify/sentence.h"

#include <stdlib.h>
#include <string.h>

#include "execution/uncompared.h"
#include "validator/certify/lists.h"

static enum assay_error no_memory(struct assay_diag *diag)
{
    return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

/* --- what is exercised --- */

enum assay_error assay_certify_check_selector(const struct assay_yaml *node,
                                              struct assay_diag *diag)
{
    return strchr(node->text, '@') == NULL
               ? ASSAY_OK
               : assay_yaml_fail(node, diag, ASSAY_UNSUPPORTED,
                                 "a profile names rules, not a file of them");
}

enum assay_error assay_certify_take_number(const struct assay_yaml *map, const char *key,
                                           uint64_t *value, struct assay_diag *diag)
{
    const struct assay_yaml *node = assay_yaml_get(map, key);
    return node == NULL || (assay_yaml_u64(node, value) && *value > 0)
               ? ASSAY_OK
               : assay_yaml_fail(node, diag, ASSAY_WRONG_TYPE, "\"%s\" is a number from 1 on", key);
}

/* Which rules, how many of them, and how often. */
static enum assay_error take_rules(const struct assay_yaml *map, const char *const *known,
                                   struct assay_arena *arena, struct assay_certify_exercise *one,
                                   struct assay_diag *diag)
{
    *one = (struct assay_certify_exercise){.times = 1, .node = map};
    enum assay_error error = assay_certify_mapping(map, "what is to be exercised", known, diag);
    error = error ? error : assay_yaml_take_text(map, "rules", true, arena, &one->rules, diag);
    error = error ? error : assay_certify_check_selector(assay_yaml_get(map, "rules"), diag);
    error = error ? error : assay_certify_take_number(map, "times", &one->times, diag);
    return error ? error : assay_certify_take_number(map, "of", &one->of, diag);
}

/* What can be exercised in the place of a line. */
static enum assay_error take_alternative(const struct assay_yaml *map, struct assay_arena *arena,
                                         struct assay_certify_exercise *line,
                                         struct assay_diag *diag)
{
    static const char *const known[] = {"rules", "times", "of", NULL};
    struct assay_certify_exercise *one = NULL;
    if (map == NULL) {
        return ASSAY_OK;
    }
    one = assay_arena_take(arena, sizeof *one);
    line->alternative = one;
    return one != NULL ? take_rules(map, known, arena, one, diag) : no_memory(diag);
}

static enum assay_error take_exercise(const struct assay_yaml *map, struct assay_arena *arena,
                                      struct assay_certify_exercises *exercises,
                                      struct assay_diag *diag)
{
    static const char *const known[] = {"rules", "times", "of", "in", "or", NULL};
    struct assay_certify_exercise one;
    enum assay_error error = take_rules(map, known, arena, &one, diag);
    error = error ? error : assay_certify_take_texts(map, "in", arena, &one.in, diag);
    error = error ? error : take_alternative(assay_yaml_get(map, "or"), arena, &one, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    struct assay_certify_exercise *list =
        assay_arena_grow(arena, exercises->list, exercises->count, &exercises->room, sizeof *list);
    if (list == NULL) {
        return no_memory(diag);
    }
    exercises->list = list;
    list[exercises->count++] = one;
    return ASSAY_OK;
}

/* --- the comparison with a recorded execution --- */

/* A percentage with up to three decimals, in thousandths. */
static bool read_percentage(const struct assay_yaml *node, uint32_t *value)
{
    char *end = NULL;
    if (node->type != ASSAY_YAML_SCALAR || node->text[0] < '0' || node->text[0] > '9') {
        return false;
    }
    const unsigned long whole = strtoul(node->text, &end, 10);
    unsigned long part = 0;
    unsigned long unit = 1000;
    if (*end == '.' && end[1] != '\0') {
        for (end++; *end >= '0' && *end <= '9' && unit > 1; end++) {
            unit /= 10;
            part += (unsigned long)(*end - '0') * unit;
        }
    }
    if (*end != '\0' || whole > 100 || whole * 1000 + part > ASSAY_CERTIFY_ALL_COVERED) {
        return false;
    }
    *value = (uint32_t)(whole * 1000 + part);
    return true;
}

static enum assay_error take_covered(const struct assay_yaml *map,
                                     struct assay_certify_sentence *sentence,
                                     struct assay_diag *diag)
{
    const struct assay_yaml *covered = assay_yaml_get(map, "covered");
    sentence->executions = covered != NULL;
    return covered == NULL || read_percentage(covered, &sentence->covered)
               ? ASSAY_OK
               : assay_yaml_fail(covered, diag, ASSAY_OUT_OF_RANGE,
                                 "\"covered\" is a percentage from 0 to 100, with up to three "
                                 "decimals");
}

static enum assay_error take_reason(const struct assay_yaml *node, uint64_t *reasons,
                                    struct assay_diag *diag)
{
    const char *names[ASSAY_UNCOMPARED_COUNT + 1] = {NULL};
    for (unsigned i = 0; i < ASSAY_UNCOMPARED_COUNT; i++) {
        names[i] = assay_uncompared_name((enum assay_uncompared_reason)i);
        if (strcmp(names[i], node->text) == 0) {
            *reasons |= UINT64_C(1) << i;
            return ASSAY_OK;
        }
    }
    const char *near = assay_nearest(node->text, names);
    assay_yaml_fail(node, diag, ASSAY_UNKNOWN_NAME, "nothing is left uncompared as \"%.80s\"",
                    node->text);
    if (near != NULL) {
        assay_diag_hint(diag, "did you mean \"%s\"?", near);
    }
    return ASSAY_UNKNOWN_NAME;
}

static enum assay_error take_compared(const struct assay_yaml *map, struct assay_arena *arena,
                                      struct assay_certify_sentence *sentence,
                                      struct assay_diag *diag)
{
    struct assay_certify_texts names = {.count = 0};
    enum assay_error error = assay_certify_take_texts(map, "compared", arena, &names, diag);
    for (size_t i = 0; error == ASSAY_OK && i < names.count; i++) {
        error = take_reason(names.list[i], &sentence->compared, diag);
    }
    return error;
}

/* --- sentences --- */

enum assay_error assay_certify_take_sentence(const struct assay_yaml *map,
                                             struct assay_arena *arena,
                                             struct assay_certify_sentence *sentence,
                                             struct assay_diag *diag)
{
    const struct assay_yaml *list = NULL;
    enum assay_error error = assay_yaml_take_text(map, "says", true, arena, &sentence->says, diag);
    error = error ? error : assay_certify_list_of(map, "exercise", true, &list, diag);
    for (size_t i = 0; error == ASSAY_OK && i < list->count; i++) {
        error = take_exercise(list->items[i], arena, &sentence->exercise, diag);
    }
    error = error ? error : take_covered(map, sentence, diag);
    return error ? error : take_compared(map, arena, sentence, diag);
}

enum assay_error assay_certify_take_sentences(const struct assay_yaml *level,
                                              struct assay_arena *arena,
                                              struct assay_certify_sentences *sentences,
                                              struct assay_diag *diag)
{
    static const char *const known[] = {"says", "exercise", "covered", "compared", NULL};
    const struct assay_yaml *list = NULL;
    enum assay_error error = assay_certify_list_of(level, "sentences", true, &list, diag);
    for (size_t i = 0; error == ASSAY_OK && i < list->count; i++) {
        struct assay_certify_sentence one = {.says = NULL};
        error = assay_certify_mapping(list->items[i], "a sentence", known, diag);
        error = error ? error : assay_certify_take_sentence(list->items[i], arena, &one, diag);
        struct assay_certify_sentence *grown = assay_arena_grow(
            arena, sentences->list, sentences->count, &sentences->room, sizeof *grown);
        if (grown == NULL) {
            return no_memory(diag);
        }
        sentences->list = grown;
        grown[sentences->count] = one;
        sentences->count += error == ASSAY_OK;
    }
    return error;
}
