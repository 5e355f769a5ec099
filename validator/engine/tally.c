#include "validator/engine/tally.h"

#include <string.h>

#include "validator/engine/surroundings.h"

enum assay_error assay_tally_open(struct assay_tally *t, const struct assay_check_options *options)
{
    *t = (struct assay_tally){.options = options};
    for (size_t i = 0; i < options->catalogue_count; i++) {
        t->rule_count += options->catalogues[i]->rule_count;
    }
    t->rules = assay_arena_take(&t->arena, (t->rule_count + 1) * sizeof *t->rules);
    t->finding_room = assay_arena_take(&t->arena, (t->rule_count + 1) * sizeof *t->finding_room);
    t->first = assay_arena_take(&t->arena, (options->catalogue_count + 1) * sizeof *t->first);
    if (options->waivers != NULL) {
        t->waived = assay_arena_take(&t->arena, (options->waivers->count + 1) * sizeof *t->waived);
    }
    if (t->rules == NULL || t->finding_room == NULL || t->first == NULL ||
        (t->waived == NULL && options->waivers != NULL)) {
        return ASSAY_NO_MEMORY;
    }
    size_t n = 0;
    for (size_t i = 0; i < options->catalogue_count; i++) {
        const struct assay_catalogue *catalogue = options->catalogues[i];
        t->first[i] = n;
        for (size_t r = 0; r < catalogue->rule_count; r++) {
            t->rules[n++] = (struct assay_rule_total){.rule = &catalogue->rules[r],
                                                      .catalogue = catalogue,
                                                      .verdict = ASSAY_VERDICT_COUNT};
        }
    }
    return ASSAY_OK;
}

/* The verdict over several streams: the first of these that any of them had. */
static enum assay_verdict more_severe(enum assay_verdict a, enum assay_verdict b)
{
    static const enum assay_verdict order[] = {
        ASSAY_FAIL,          ASSAY_RECOGNISED,    ASSAY_WAIVED,         ASSAY_PASS,
        ASSAY_NOT_EXERCISED, ASSAY_NOT_CHECKABLE, ASSAY_NOT_APPLICABLE, ASSAY_DESELECTED};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (a == order[i] || b == order[i]) {
            return order[i];
        }
    }
    return b;
}

/* --- copies --- */

static const char *copy_text(struct assay_tally *t, const char *text)
{
    return text != NULL ? assay_arena_text(&t->arena, text, strlen(text)) : NULL;
}

static const struct assay_shown_event *copy_shown(struct assay_tally *t,
                                                  const struct assay_finding *finding)
{
    struct assay_shown_event *list =
        assay_arena_take(&t->arena, (finding->shown_count + 1u) * sizeof *list);
    for (uint16_t i = 0; list != NULL && i < finding->shown_count; i++) {
        list[i] = finding->shown[i];
        list[i].line = copy_text(t, finding->shown[i].line);
    }
    return list;
}

static const struct assay_finding *copy_finding(struct assay_tally *t,
                                                const struct assay_format *format,
                                                const struct assay_finding *finding)
{
    struct assay_finding *copy = assay_arena_take(&t->arena, sizeof *copy);
    const size_t values = finding->rule->evidence_count;
    uint64_t *numbers = assay_arena_take(&t->arena, (values + 1) * sizeof *numbers);
    const struct assay_shown_event *shown = copy_shown(t, finding);
    const struct assay_event *event = assay_surroundings_copy(&t->arena, format, finding->event);
    if (copy == NULL || numbers == NULL || shown == NULL || event == NULL) {
        return NULL;
    }
    memcpy(numbers, finding->values, values * sizeof *numbers);
    *copy = *finding;
    copy->values = numbers;
    copy->message = copy_text(t, finding->message);
    copy->shown = shown;
    copy->event = event;
    return copy;
}

/* Adds a copy of a finding of rule number `at`, unless there are too many of all. */
static enum assay_error add_finding(struct assay_tally *t, size_t at,
                                    const struct assay_located_finding *placed)
{
    struct assay_rule_total *total = &t->rules[at];
    if (t->finding_count >= ASSAY_MOST_FINDINGS) {
        t->findings_dropped++;
        return ASSAY_OK;
    }
    struct assay_located_finding *list =
        assay_arena_grow(&t->arena, (void *)(uintptr_t)total->findings, total->finding_count,
                         &t->finding_room[at], sizeof *list);
    const struct assay_finding *copy =
        list != NULL ? copy_finding(t, total->catalogue->format, placed->finding) : NULL;
    if (copy == NULL) {
        return ASSAY_NO_MEMORY;
    }
    list[total->finding_count] = *placed;
    list[total->finding_count++].finding = copy;
    total->findings = list;
    t->finding_count++;
    return ASSAY_OK;
}

/* What a rule that is not checkable lacks, where that is not yet listed. */
static enum assay_error list_missing(struct assay_tally *t, struct assay_rule_total *total,
                                     const char *const *names, size_t count)
{
    if (count == 0 || total->missing != NULL) {
        return ASSAY_OK;
    }
    const char **list = assay_arena_take(&t->arena, count * sizeof *list);
    if (list == NULL) {
        return ASSAY_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        list[i] = copy_text(t, names[i]);
    }
    total->missing = list;
    total->missing_count = count;
    return ASSAY_OK;
}

/* Adds over how many values the leaves of a rule's evidence were spread. */
static enum assay_error add_spread(struct assay_tally *t, struct assay_rule_total *total,
                                   const struct assay_spread *spread, uint64_t sampled)
{
    const size_t count = total->rule->evidence_count;
    struct assay_spread *sum = (void *)(uintptr_t)total->spread;
    if (spread == NULL) {
        return ASSAY_OK;
    }
    if (sum == NULL) {
        sum = assay_arena_take(&t->arena, (count + 1) * sizeof *sum);
        if (sum == NULL) {
            return ASSAY_NO_MEMORY;
        }
        memcpy(sum, spread, count * sizeof *sum);
        total->spread = sum;
    }
    for (size_t i = 0; i < count; i++) {
        sum[i].varies = sum[i].varies || spread[i].varies || sum[i].value != spread[i].value;
    }
    total->sampled += sampled;
    return ASSAY_OK;
}

/* --- waivers --- */

static size_t number_of(const struct assay_tally *t, const struct assay_catalogue *catalogue)
{
    size_t number = 0;
    while (t->options->catalogues[number] != catalogue) {
        number++;
    }
    return number;
}

/* The waiver of a rule for the input; null: there is none, as of a diagnosis, which accuses nobody.
 */
static const struct assay_waiver *find_waiver(const struct assay_tally *t,
                                              const struct assay_catalogue *catalogue, size_t rule)
{
    const struct assay_waivers *waivers = t->options->waivers;
    return waivers != NULL && t->path != NULL && !catalogue->rules[rule].diagnosis
               ? assay_waiver_of(waivers, number_of(t, catalogue), rule, t->path)
               : NULL;
}

bool assay_tally_waives(const struct assay_tally *t, const struct assay_catalogue *catalogue,
                        const struct assay_rule *rule)
{
    return find_waiver(t, catalogue, (size_t)(rule - catalogue->rules)) != NULL;
}

/* The same of a rule that the input violates. */
static const struct assay_waiver *waiver_of(const struct assay_tally *t,
                                            const struct assay_judge *judge, size_t rule,
                                            const struct assay_rule_result *result)
{
    return result->violated > 0 ? find_waiver(t, assay_judge_catalogue(judge), rule) : NULL;
}

/* Once outcomes are listed: what the stream's conclusion is but for what is waived. */
static void conclude(const struct assay_tally *t, struct assay_stream_result *stream)
{
    uint64_t waived = 0;
    bool violated = false;
    for (size_t i = 0; i < stream->outcome_count; i++) {
        const struct assay_rule_outcome *outcome = &stream->outcomes[i];
        waived += outcome->waived;
        const struct assay_rule *rule = t->rules[outcome->rule].rule;
        violated = violated || (outcome->violated > 0 && !rule->diagnosis &&
                                rule->level >= t->options->fail_on);
    }
    stream->violations -= waived;
    stream->waived += waived;
    if (waived > 0 && !violated && stream->conclusion == ASSAY_VIOLATES) {
        stream->conclusion = stream->complete ? ASSAY_CONFORMS : ASSAY_INCOMPLETE;
    }
}

/* --- streams and inputs --- */

static enum assay_error add_rule(struct assay_tally *t, size_t at, const struct assay_judge *judge,
                                 size_t rule, const struct assay_places *places, size_t stream)
{
    enum { MOST_NAMES = 32 };
    const struct assay_rule_result result = assay_judge_result(judge, rule);
    const struct assay_waiver *waiver = waiver_of(t, judge, rule, &result);
    struct assay_rule_total *total = &t->rules[at];
    enum assay_error error = ASSAY_OK;
    total->verdict = more_severe(total->verdict, waiver != NULL ? ASSAY_WAIVED : result.verdict);
    total->exercised += result.exercised;
    if (waiver != NULL) {
        total->waived += result.violated;
        t->waived[waiver - t->options->waivers->list] += result.violated;
        return ASSAY_OK;
    }
    total->violated += result.violated;
    t->findings_dropped += result.dropped;
    if (result.verdict == ASSAY_NOT_CHECKABLE) {
        const char *names[MOST_NAMES];
        const size_t count = assay_judge_missing(judge, rule, names, MOST_NAMES);
        error = list_missing(t, total, names, count < MOST_NAMES ? count : MOST_NAMES);
    }
    error = error != ASSAY_OK ? error : add_spread(t, total, result.spread, result.sampled);
    for (size_t i = 0; i < result.finding_count && error == ASSAY_OK; i++) {
        struct assay_located_finding placed = {.finding = result.findings[i], .stream = stream};
        assay_places_find(places, &placed);
        error = add_finding(t, at, &placed);
    }
    return error;
}

static size_t first_rule(const struct assay_tally *t, const struct assay_judge *judge)
{
    return t->first[number_of(t, assay_judge_catalogue(judge))];
}

/* The verdicts of a stream, and the outcomes of the rules that it exercised. */
static enum assay_error list_outcomes(struct assay_tally *t, struct assay_judge *const *judges,
                                      size_t judge_count, struct assay_stream_result *stream)
{
    uint8_t *verdicts = assay_arena_take(&t->arena, t->rule_count + 1);
    struct assay_rule_outcome *outcomes =
        assay_arena_take(&t->arena, (t->rule_count + 1) * sizeof *outcomes);
    if (verdicts == NULL || outcomes == NULL) {
        return ASSAY_NO_MEMORY;
    }
    memset(verdicts, ASSAY_VERDICT_COUNT, t->rule_count);
    for (size_t i = 0; i < judge_count; i++) {
        const size_t first = first_rule(t, judges[i]);
        for (size_t r = 0; r < assay_judge_catalogue(judges[i])->rule_count; r++) {
            const struct assay_rule_result result = assay_judge_result(judges[i], r);
            const bool waived = waiver_of(t, judges[i], r, &result) != NULL;
            verdicts[first + r] = (uint8_t)(waived ? ASSAY_WAIVED : result.verdict);
            if (result.exercised > 0) {
                outcomes[stream->outcome_count++] =
                    (struct assay_rule_outcome){.rule = first + r,
                                                .exercised = result.exercised,
                                                .violated = waived ? 0 : result.violated,
                                                .waived = waived ? result.violated : 0};
            }
        }
    }
    stream->verdicts = verdicts;
    stream->outcomes = outcomes;
    conclude(t, stream);
    return ASSAY_OK;
}

enum assay_error assay_tally_stream(struct assay_tally *t, struct assay_judge *const *judges,
                                    size_t judge_count, const struct assay_places *places,
                                    size_t stream, struct assay_stream_result *result)
{
    enum assay_error error = list_outcomes(t, judges, judge_count, result);
    for (size_t i = 0; i < judge_count && error == ASSAY_OK; i++) {
        const size_t first = first_rule(t, judges[i]);
        const size_t count = assay_judge_catalogue(judges[i])->rule_count;
        for (size_t r = 0; r < count && error == ASSAY_OK; r++) {
            error = add_rule(t, first + r, judges[i], r, places, stream);
        }
    }
    return error;
}

bool assay_tally_known(struct assay_tally *t, const struct assay_stream_result *stream)
{
    for (size_t r = 0; stream->verdicts != NULL && r < t->rule_count; r++) {
        t->rules[r].verdict =
            more_severe(t->rules[r].verdict, (enum assay_verdict)stream->verdicts[r]);
    }
    for (size_t i = 0; i < stream->outcome_count; i++) {
        const struct assay_rule_outcome *outcome = &stream->outcomes[i];
        struct assay_rule_total *total = &t->rules[outcome->rule];
        total->exercised += outcome->exercised;
        total->violated += outcome->violated;
        total->waived += outcome->waived;
        if (outcome->waived > 0) {
            const size_t rule = (size_t)(total->rule - total->catalogue->rules);
            const struct assay_waiver *waiver = find_waiver(t, total->catalogue, rule);
            if (waiver == NULL) {
                return false;
            }
            t->waived[waiver - t->options->waivers->list] += outcome->waived;
        }
    }
    return true;
}

enum assay_error assay_tally_merge(struct assay_tally *t, const struct assay_tally *other,
                                   size_t input)
{
    enum assay_error error = ASSAY_OK;
    for (size_t r = 0; r < t->rule_count && error == ASSAY_OK; r++) {
        const struct assay_rule_total *from = &other->rules[r];
        struct assay_rule_total *total = &t->rules[r];
        total->verdict = more_severe(total->verdict, from->verdict);
        total->exercised += from->exercised;
        total->violated += from->violated;
        total->waived += from->waived;
        total->violating += from->violated > 0;
        error = list_missing(t, total, from->missing, from->missing_count);
        error = error != ASSAY_OK ? error : add_spread(t, total, from->spread, from->sampled);
        for (size_t i = 0; i < from->finding_count && error == ASSAY_OK; i++) {
            struct assay_located_finding placed = from->findings[i];
            placed.input = input;
            error = add_finding(t, r, &placed);
        }
    }
    for (size_t w = 0; t->waived != NULL && w < t->options->waivers->count; w++) {
        t->waived[w] += other->waived[w];
    }
    t->findings_dropped += other->findings_dropped;
    return error;
}

void assay_tally_close(struct assay_tally *t)
{
    assay_arena_free(&t->arena);
    *t = (struct assay_tally){0};
}
