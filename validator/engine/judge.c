#include "validator/engine/judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/arena.h"
#include "common/describe.h"
#include "validator/engine/compiled.h"
#include "validator/engine/evaluator.h"

enum { LINE = 400, LAST_BYTES = 256, LAST_WORDS = 64 };

/* A finding while its block is being judged: with what it has to be sorted by. */
struct fresh {
    struct assay_finding *finding;
    uint32_t event;
    uint16_t rule;
};

struct kept {
    struct assay_finding **list;
    size_t count;
};

/* The event before a block, which has gone by then. Most are small: they are kept, and written as a
 * line when somebody asks; of others the line is kept. */
struct last_event {
    bool there, small;
    struct assay_event event;
    _Alignas(8) uint8_t bytes[LAST_BYTES];
    uint64_t words[LAST_WORDS];
    char line[LINE];
};

struct assay_judge {
    struct assay_judge_settings settings;
    const struct assay_catalogue *catalogue;
    struct assay_arena arena; /* findings; their number is limited */
    struct assay_judging judging;
    uint64_t *enabled, *constants, *exercised, *violated, *wanted;
    bool *checkable;
    uint16_t profiles; /* bit n: rules of profile n speak */
    struct kept *kept;
    void *state; /* of the emitted checks */
    struct assay_evaluator *evaluator;
    uint64_t counts[64];              /* of events by kind; emitted checks have their own */
    const struct assay_event *events; /* the block that is being judged */
    uint32_t count;
    struct fresh *fresh;
    size_t fresh_count, fresh_room;
    struct assay_finding **waiting; /* for the line of the event behind them */
    size_t waiting_count, waiting_room;
    struct last_event last;
    bool out_of_memory;
};

static const char *const verdict_names[ASSAY_VERDICT_COUNT] = {
    "pass", "fail", "not-exercised", "not-checkable", "not-applicable", "deselected"};

const char *assay_verdict_name(enum assay_verdict verdict)
{
    return verdict_names[verdict];
}

const struct assay_catalogue *assay_judge_catalogue(const struct assay_judge *judge)
{
    return judge->catalogue;
}

void assay_event_line(const struct assay_format *format, const struct assay_event *event, char *out,
                      size_t size)
{
    char fields[LINE];
    fields[0] = '\0';
    format->describe(event, fields, sizeof fields);
    const char *name = format->kinds[event->kind].name;
    snprintf(out, size, fields[0] != '\0' ? "%-11s %s" : "%s%s", name, fields);
}

void assay_leaf_text(const struct assay_catalogue *catalogue, uint16_t leaf, uint64_t value,
                     char *out, size_t size)
{
    const struct assay_leaf *l = &catalogue->leaves[leaf];
    const struct assay_field *field = assay_shown_field(catalogue->format, l->shown);
    if (l->what == ASSAY_LEAF_KIND || l->what == ASSAY_LEAF_PREV_KIND) {
        snprintf(out, size, "%s",
                 value < catalogue->format->kind_count ? catalogue->format->kinds[value].name
                                                       : "none");
    } else if (l->what == ASSAY_LEAF_FAULT) {
        snprintf(out, size, "%s",
                 value > 0 && value <= catalogue->format->fault_count
                     ? catalogue->format->faults[value - 1].name
                     : "none");
    } else if (field != NULL) {
        assay_value_text(field, value, out, size);
    } else if (l->what == ASSAY_LEAF_SEEN || l->what == ASSAY_LEAF_READING ||
               (l->what == ASSAY_LEAF_STATE && catalogue->variables[l->number].flag) ||
               (l->what == ASSAY_LEAF_FACT && assay_fact_table[l->number].most == 1)) {
        snprintf(out, size, "%s", value != 0 ? "true" : "false");
    } else if (value > UINT16_MAX) {
        /* As often an address as a count: both ways of writing it. */
        snprintf(out, size, "0x%" PRIx64 " (%" PRIu64 ")", value, value);
    } else {
        snprintf(out, size, "%" PRIu64, value);
    }
}

/* --- messages --- */

static void piece_text(const struct assay_catalogue *c, const struct assay_piece *piece,
                       uint64_t value, char *out, size_t size)
{
    const struct assay_field *field = assay_shown_field(c->format, piece->shown);
    if (piece->format != 0) {
        snprintf(out, size, piece->format == 'x' ? "0x%" PRIx64 : "%" PRIu64, value);
    } else if (piece->kind) {
        snprintf(out, size, "%s",
                 value < c->format->kind_count ? c->format->kinds[value].title : "nothing");
    } else if (piece->fault) {
        snprintf(out, size, "%s",
                 value > 0 && value <= c->format->fault_count ? c->format->faults[value - 1].name
                                                              : "no fault");
    } else if (field != NULL) {
        assay_value_text(field, value, out, size);
    } else if (piece->value.nodes[piece->value.count - 1].flag != 0) {
        snprintf(out, size, "%s", value != 0 ? "true" : "false");
    } else {
        snprintf(out, size, "%" PRIu64, value);
    }
}

static char *message_of(struct assay_judge *judge, const struct assay_rule *rule,
                        const uint64_t *leaves)
{
    const struct assay_catalogue *c = judge->catalogue;
    char message[LINE];
    char value[96];
    message[0] = '\0';
    for (uint16_t i = 0; i < rule->say_count; i++) {
        const struct assay_piece *piece = &rule->say[i];
        if (piece->text != NULL) {
            assay_append(message, sizeof message, "%s", piece->text);
        } else {
            piece_text(c, piece, assay_evaluate(&piece->value, leaves, c->format->functions), value,
                       sizeof value);
            assay_append(message, sizeof message, "%s", value);
        }
    }
    return assay_arena_text(&judge->arena, message, strlen(message));
}

/* Leaves of a message that the event itself tells. */
static void fill_from_event(const struct assay_catalogue *c, const struct assay_rule *rule,
                            const struct assay_event *event, uint64_t *leaves)
{
    for (uint16_t i = 0; i < rule->say_count; i++) {
        const struct assay_expression *value = &rule->say[i].value;
        for (unsigned n = 0; n < value->count; n++) {
            if (value->nodes[n].op == ASSAY_OP_LEAF) {
                const uint16_t leaf = value->nodes[n].a;
                assay_leaf_of_event(c, leaf, event, &leaves[leaf]);
            }
        }
    }
}

/* --- findings --- */

static char *line_of(struct assay_judge *judge, const struct assay_event *event)
{
    char line[LINE];
    assay_event_line(judge->catalogue->format, event, line, sizeof line);
    return assay_arena_text(&judge->arena, line, strlen(line));
}

static void set_neighbours(struct assay_judge *judge, struct assay_finding *finding, uint32_t at)
{
    if (at > 0) {
        finding->before = line_of(judge, &judge->events[at - 1]);
    } else if (judge->last.there) {
        finding->before = judge->last.small ? line_of(judge, &judge->last.event)
                                            : assay_arena_text(&judge->arena, judge->last.line,
                                                               strlen(judge->last.line));
    }
    if (at + 1 < judge->count) {
        finding->after = line_of(judge, &judge->events[at + 1]);
    }
}

static void report(void *context, uint16_t number, uint32_t at, uint64_t *leaves)
{
    struct assay_judge *judge = context;
    const struct assay_rule *rule = &judge->catalogue->rules[number];
    const struct assay_event *event = &judge->events[at];
    struct assay_finding *finding = assay_arena_take(&judge->arena, sizeof *finding);
    uint64_t *values =
        assay_arena_take(&judge->arena, ((size_t)rule->evidence_count + 1) * sizeof *values);
    if (judge->fresh_count == judge->fresh_room) {
        const size_t room = judge->fresh_room == 0 ? 64 : judge->fresh_room * 2;
        struct fresh *bigger = realloc(judge->fresh, room * sizeof *bigger);
        if (bigger != NULL) {
            judge->fresh = bigger;
            judge->fresh_room = room;
        }
    }
    if (finding == NULL || values == NULL || judge->fresh_count == judge->fresh_room) {
        judge->out_of_memory = true;
        return;
    }
    fill_from_event(judge->catalogue, rule, event, leaves);
    for (uint16_t i = 0; i < rule->evidence_count; i++) {
        values[i] = leaves[rule->evidence[i]];
    }
    *finding = (struct assay_finding){.rule = rule,
                                      .kind = event->kind,
                                      .index = event->index,
                                      .offset = event->offset,
                                      .bits = event->bits,
                                      .message = message_of(judge, rule, leaves),
                                      .values = values,
                                      .event = line_of(judge, event)};
    set_neighbours(judge, finding, at);
    judge->fresh[judge->fresh_count++] =
        (struct fresh){.finding = finding, .event = at, .rule = number};
}

static int by_place(const void *a, const void *b)
{
    const struct fresh *x = a;
    const struct fresh *y = b;
    if (x->event != y->event) {
        return x->event < y->event ? -1 : 1;
    }
    return x->rule < y->rule ? -1 : x->rule > y->rule;
}

static void wait_for_next(struct assay_judge *judge, struct assay_finding *finding)
{
    if (judge->waiting_count == judge->waiting_room) {
        const size_t room = judge->waiting_room == 0 ? 16 : judge->waiting_room * 2;
        struct assay_finding **bigger = realloc(judge->waiting, room * sizeof *bigger);
        if (bigger == NULL) {
            return; /* the finding stays without the line behind it */
        }
        judge->waiting = bigger;
        judge->waiting_room = room;
    }
    judge->waiting[judge->waiting_count++] = finding;
}

/* Findings of a block come kind by kind; they are kept in the order of the trace. */
static void keep_fresh(struct assay_judge *judge)
{
    if (judge->fresh_count > 1) {
        qsort(judge->fresh, judge->fresh_count, sizeof *judge->fresh, by_place);
    }
    for (size_t i = 0; i < judge->fresh_count; i++) {
        struct kept *kept = &judge->kept[judge->fresh[i].rule];
        if (kept->count == judge->settings.max_findings) {
            continue;
        }
        if (kept->list == NULL) {
            kept->list = calloc(judge->settings.max_findings, sizeof(struct assay_finding *));
        }
        if (kept->list == NULL) {
            judge->out_of_memory = true;
            continue;
        }
        kept->list[kept->count++] = judge->fresh[i].finding;
        if (judge->fresh[i].event + 1 == judge->count) {
            wait_for_next(judge, judge->fresh[i].finding);
        }
    }
    judge->fresh_count = 0;
}

static void keep_last(struct assay_judge *judge, const struct assay_event *event)
{
    struct last_event *last = &judge->last;
    const struct assay_format *format = judge->catalogue->format;
    const size_t words = assay_kind_words(&format->kinds[event->kind]);
    const size_t bits = event->bits > format->lead_bits ? event->bits - format->lead_bits : 0;
    const size_t size = (bits + 63) / 64 * 8;
    last->there = true;
    last->small = size <= LAST_BYTES && words <= LAST_WORDS && event->from == NULL;
    if (!last->small) {
        assay_event_line(format, event, last->line, sizeof last->line);
        return;
    }
    last->event = *event;
    memcpy(last->bytes, event->bytes, size);
    memcpy(last->words, event->words, words * sizeof last->words[0]);
    last->event.bytes = last->bytes;
    last->event.words = last->words;
}

static void judge_slice(struct assay_judge *judge, const struct assay_event *events, uint32_t count)
{
    const struct assay_compiled *compiled = judge->catalogue->compiled;
    judge->events = events;
    judge->count = count;
    if (judge->waiting_count > 0) {
        const char *line = line_of(judge, &events[0]);
        for (size_t i = 0; i < judge->waiting_count; i++) {
            judge->waiting[i]->after = line;
        }
        judge->waiting_count = 0;
    }
    if (judge->evaluator != NULL) {
        for (uint32_t i = 0; i < count; i++) {
            judge->counts[events[i].kind]++;
        }
        assay_evaluator_events(judge->evaluator, &judge->judging, events, count);
    } else {
        compiled->step(judge->state, &judge->judging, events, count);
        compiled->check(judge->state, &judge->judging);
    }
    if (judge->fresh_count > 0) {
        keep_fresh(judge);
        for (size_t r = 0; r < judge->catalogue->rule_count; r++) {
            judge->wanted[r] = judge->settings.max_findings - judge->kept[r].count;
        }
    }
    keep_last(judge, &events[count - 1]);
}

enum assay_error assay_judge_events(struct assay_judge *judge, const struct assay_event *events,
                                    size_t count)
{
    for (size_t at = 0; at < count; at += ASSAY_ROWS) {
        const size_t left = count - at;
        judge_slice(judge, events + at, (uint32_t)(left < ASSAY_ROWS ? left : ASSAY_ROWS));
    }
    return judge->out_of_memory ? ASSAY_NO_MEMORY : ASSAY_OK;
}

/* --- what can be checked --- */

const uint64_t *assay_judge_counts(const struct assay_judge *judge)
{
    return judge->evaluator != NULL ? judge->counts
                                    : judge->catalogue->compiled->counts(judge->state);
}

static bool fact_known(const struct assay_judge *judge, uint16_t fact)
{
    return judge->settings.facts != NULL && judge->settings.facts->known[fact];
}

size_t assay_judge_missing(const struct assay_judge *judge, size_t number, const char **names,
                           size_t room)
{
    static const struct {
        enum assay_need need;
        const char *name;
    } needs[] = {{ASSAY_NEED_ISA, "isa"},
                 {ASSAY_NEED_CONFIG, "config"},
                 {ASSAY_NEED_IMAGE, "image"},
                 {ASSAY_NEED_EXECUTION, "execution"}};
    static const char *const facts[] = {
#define ASSAY_FACT(id, most, unit, text) "facts:" #id,
#include "common/facts.def"
#undef ASSAY_FACT
    };
    const struct assay_rule *rule = &judge->catalogue->rules[number];
    size_t count = 0;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        if ((rule->needs & needs[i].need & ~judge->settings.given) != 0) {
            if (count < room) {
                names[count] = needs[i].name;
            }
            count++;
        }
    }
    for (uint16_t i = 0; i < rule->fact_count; i++) {
        if (!fact_known(judge, rule->facts[i])) {
            if (count < room) {
                names[count] = facts[rule->facts[i]];
            }
            count++;
        }
    }
    return count;
}

static void set_constants(struct assay_judge *judge)
{
    const struct assay_catalogue *c = judge->catalogue;
    for (size_t i = 0; i < c->leaf_count; i++) {
        const struct assay_leaf *leaf = &c->leaves[i];
        if (leaf->what == ASSAY_LEAF_FACT && fact_known(judge, leaf->number)) {
            judge->constants[i] = judge->settings.facts->value[leaf->number];
        } else if (leaf->what == ASSAY_LEAF_READING) {
            const uint16_t chosen = judge->settings.readings != NULL
                                        ? judge->settings.readings[leaf->number]
                                        : c->interpretations[leaf->number].chosen;
            judge->constants[i] = chosen == leaf->reading;
        }
    }
    for (size_t r = 0; r < c->rule_count; r++) {
        judge->checkable[r] = assay_judge_missing(judge, r, NULL, 0) == 0;
        judge->enabled[r] = judge->checkable[r] &&
                            !(judge->settings.deselected != NULL && judge->settings.deselected[r]);
        judge->wanted[r] = judge->settings.max_findings;
    }
}

enum assay_error assay_judge_open(const struct assay_judge_settings *settings,
                                  struct assay_judge **judge, struct assay_diag *diag)
{
    const struct assay_catalogue *c = settings->catalogue;
    const bool evaluate = settings->evaluate || c->compiled == NULL;
    struct assay_judge *j = calloc(1, sizeof *j);
    if (j == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    j->settings = *settings;
    j->profiles = UINT16_MAX;
    j->catalogue = c;
    const size_t rules = c->rule_count + 1;
    j->enabled = calloc(rules, sizeof *j->enabled);
    j->exercised = calloc(rules, sizeof *j->exercised);
    j->violated = calloc(rules, sizeof *j->violated);
    j->wanted = calloc(rules, sizeof *j->wanted);
    j->checkable = calloc(rules, sizeof *j->checkable);
    j->kept = calloc(rules, sizeof *j->kept);
    j->constants = calloc(c->leaf_count + 1, sizeof *j->constants);
    if (evaluate) {
        j->evaluator = assay_evaluator_open(c);
    } else {
        j->state = malloc(c->compiled->state_size);
    }
    if (j->enabled == NULL || j->exercised == NULL || j->violated == NULL || j->wanted == NULL ||
        j->checkable == NULL || j->kept == NULL || j->constants == NULL ||
        (j->evaluator == NULL && j->state == NULL)) {
        assay_judge_close(j);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    if (j->state != NULL) {
        c->compiled->begin(j->state);
    }
    set_constants(j);
    j->judging = (struct assay_judging){.enabled = j->enabled,
                                        .constants = j->constants,
                                        .exercised = j->exercised,
                                        .violated = j->violated,
                                        .wanted = j->wanted,
                                        .report = report,
                                        .context = j};
    *judge = j;
    return ASSAY_OK;
}

void assay_judge_profile(struct assay_judge *judge, unsigned profile)
{
    judge->profiles = (uint16_t)(1u << profile);
}

struct assay_rule_result assay_judge_result(const struct assay_judge *judge, size_t r)
{
    if ((judge->catalogue->rules[r].profiles & judge->profiles) == 0) {
        return (struct assay_rule_result){.verdict = ASSAY_NOT_APPLICABLE};
    }
    struct assay_rule_result result = {.exercised = judge->exercised[r],
                                       .violated = judge->violated[r],
                                       .findings =
                                           (const struct assay_finding *const *)judge->kept[r].list,
                                       .finding_count = judge->kept[r].count};
    if (judge->settings.deselected != NULL && judge->settings.deselected[r]) {
        result.verdict = ASSAY_DESELECTED;
    } else if (!judge->checkable[r]) {
        result.verdict = ASSAY_NOT_CHECKABLE;
    } else if (judge->violated[r] > 0) {
        result.verdict = ASSAY_FAIL;
    } else {
        result.verdict = judge->exercised[r] > 0 ? ASSAY_PASS : ASSAY_NOT_EXERCISED;
    }
    return result;
}

void assay_judge_close(struct assay_judge *judge)
{
    if (judge == NULL) {
        return;
    }
    for (size_t r = 0; judge->kept != NULL && r < judge->catalogue->rule_count; r++) {
        free(judge->kept[r].list);
    }
    assay_evaluator_close(judge->evaluator);
    assay_arena_free(&judge->arena);
    free(judge->state);
    free(judge->enabled);
    free(judge->exercised);
    free(judge->violated);
    free(judge->wanted);
    free(judge->checkable);
    free(judge->kept);
    free(judge->constants);
    free(judge->fresh);
    free(judge->waiting);
    free(judge);
}
