#include "validator/engine/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/arena.h"
#include "common/table.h"
#include "model/parameters.h"
#include "validator/engine/compiled.h"
#include "validator/engine/conditions.h"
#include "validator/engine/evaluator.h"
#include "validator/engine/extent.h"
#include "validator/engine/message.h"
#include "validator/engine/surroundings.h"

/* A finding while its block is being judged: with what it has to be sorted by. */
struct fresh {
    struct assay_finding *finding;
    uint32_t event;
    uint16_t rule;
};

/* What is kept of the violations of a rule. */
struct kept {
    struct assay_finding **list;
    size_t count, capacity;
    struct assay_spread *spread;
    uint64_t sampled;
    uint64_t first; /* index of the first event that was sampled */
    bool sampling;  /* more are taken */
};

/* Violations come kind by kind, and within a kind in order: as many as are kept are wanted of each
 * kind of a block, of which the first ones are kept then. */
struct fresh_run {
    uint16_t rule, kind;
    size_t count;
};

struct assay_judge {
    struct assay_judge_settings settings;
    const struct assay_catalogue *catalogue;
    struct assay_arena arena; /* findings; their number is limited */
    struct assay_judging judging;
    uint64_t *enabled, *constants, *exercised, *violated, *wanted;
    bool *checkable;
    uint16_t profiles; /* bit n: rules of profile n apply */
    struct kept *kept;
    size_t kept_count; /* findings, of all rules */
    void *state;       /* of the emitted checks, in this memory */
    struct assay_table state_memory;
    struct assay_evaluator *evaluator;
    uint64_t counts[ASSAY_MAX_KINDS]; /* of events by kind; emitted checks have their own */
    const struct assay_event *events; /* the block that is being judged */
    uint32_t count;
    struct fresh *fresh;
    size_t fresh_count, fresh_capacity;
    struct fresh_run fresh_run;
    bool violations;                   /* there are some in the block that were asked for */
    struct assay_surroundings *layers; /* of the format */
    struct assay_surroundings *layer;  /* of the block that is being judged */
    const char **parameter_names;      /* "config:NAME" */
    struct assay_extent_rule *found;   /* of each rule, for the extent of its violations */
    uint64_t end;                      /* up to where the stream is known */
    bool out_of_memory;
};

static const char *const verdict_names[ASSAY_VERDICT_COUNT] = {
    "pass",           "fail",       "not-exercised", "not-checkable",
    "not-applicable", "deselected", "waived",        "recognised"};

const char *assay_verdict_name(enum assay_verdict verdict)
{
    return verdict_names[verdict];
}

const struct assay_catalogue *assay_judge_catalogue(const struct assay_judge *judge)
{
    return judge->catalogue;
}

/* --- findings --- */

/* Leaves of a message that the event itself holds, or the single events that it stands for. */
static void fill_from_event(const struct assay_judge *judge, const struct assay_rule *rule,
                            const struct assay_event *event, uint64_t *leaves)
{
    const struct assay_catalogue *c = judge->catalogue;
    for (uint16_t i = 0; i < rule->say_count; i++) {
        const struct assay_expression *value = &rule->say[i].value;
        for (unsigned n = 0; n < value->count; n++) {
            if (value->nodes[n].op == ASSAY_OP_LEAF) {
                const uint16_t leaf = value->nodes[n].a;
                if (c->leaves[leaf].what == ASSAY_LEAF_FIRST) {
                    leaves[leaf] = assay_leaf_of_first(c, leaf, &judge->settings, event);
                } else {
                    assay_leaf_of_event(c, leaf, event, &leaves[leaf]);
                }
            }
        }
    }
}

const char *assay_finding_line(const struct assay_finding *finding, int distance)
{
    const int at = finding->shown_at + distance;
    return at >= 0 && at < finding->shown_count ? finding->shown[at].line : NULL;
}

/* Notes what the leaves of a violation are. The violations of a block may come in any order, so
 * that it is the same for both back ends. */
static void sample(struct assay_judge *judge, uint16_t number, uint64_t index,
                   const uint64_t *leaves)
{
    const struct assay_rule *rule = &judge->catalogue->rules[number];
    struct kept *kept = &judge->kept[number];
    const bool begin = kept->spread == NULL;
    if (begin) {
        kept->spread =
            assay_arena_take(&judge->arena, (rule->evidence_count + 1u) * sizeof *kept->spread);
        kept->first = index;
    }
    if (kept->spread == NULL) {
        judge->out_of_memory = true;
        return;
    }
    if (index >= kept->first + ASSAY_SAMPLED_EVENTS) {
        return;
    }
    const bool first = begin || index < kept->first;
    for (uint16_t i = 0; i < rule->evidence_count; i++) {
        struct assay_spread *spread = &kept->spread[i];
        const uint64_t value = leaves[rule->evidence[i]];
        spread->varies = !begin && (spread->varies || spread->value != value);
        spread->value = first ? value : spread->value;
    }
    kept->first = first ? index : kept->first;
    kept->sampled++;
}

/* How many more findings of a rule are kept. */
static size_t room_for(const struct assay_judge *judge, size_t rule)
{
    const size_t of_rule = judge->settings.max_findings - judge->kept[rule].count;
    const size_t of_all = ASSAY_MOST_FINDINGS - judge->kept_count;
    return of_rule < of_all ? of_rule : of_all;
}

/* Whether a violation can be one of those that are kept. */
static bool is_kept(struct assay_judge *judge, uint16_t rule, uint16_t kind)
{
    struct fresh_run *run = &judge->fresh_run;
    if (run->count == 0 || run->rule != rule || run->kind != kind) {
        *run = (struct fresh_run){.rule = rule, .kind = kind};
    }
    return run->count++ < room_for(judge, rule);
}

static bool make_room(struct assay_judge *judge)
{
    if (judge->fresh_count < judge->fresh_capacity) {
        return true;
    }
    const size_t capacity = judge->fresh_capacity == 0 ? 64 : judge->fresh_capacity * 2;
    struct fresh *bigger = realloc(judge->fresh, capacity * sizeof *bigger);
    if (bigger == NULL) {
        return false;
    }
    judge->fresh = bigger;
    judge->fresh_capacity = capacity;
    return true;
}

static void report(void *context, uint16_t number, uint32_t at, uint64_t *leaves)
{
    struct assay_judge *judge = context;
    const struct assay_rule *rule = &judge->catalogue->rules[number];
    const struct assay_event *event = &judge->events[at];
    judge->violations = true;
    if (judge->kept[number].sampling) {
        sample(judge, number, event->index, leaves);
    }
    if (!is_kept(judge, number, event->kind)) {
        return;
    }
    struct assay_finding *finding = assay_arena_take(&judge->arena, sizeof *finding);
    uint64_t *values =
        assay_arena_take(&judge->arena, ((size_t)rule->evidence_count + 1) * sizeof *values);
    if (finding == NULL || values == NULL || !make_room(judge)) {
        judge->out_of_memory = true;
        return;
    }
    fill_from_event(judge, rule, event, leaves);
    for (uint16_t i = 0; i < rule->evidence_count; i++) {
        values[i] = leaves[rule->evidence[i]];
    }
    *finding = (struct assay_finding){
        .rule = rule,
        .kind = event->kind,
        .index = event->index,
        .offset = event->offset,
        .bits = event->bits,
        .message = assay_message(&judge->arena, judge->catalogue, rule, leaves),
        .values = values};
    if (!assay_surroundings_show(judge->layer, finding, at)) {
        judge->out_of_memory = true;
        return;
    }
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

/* Room for one more finding of a rule. */
static bool grow(struct kept *kept)
{
    if (kept->count < kept->capacity) {
        return true;
    }
    const size_t capacity = kept->capacity == 0 ? 16 : kept->capacity * 2;
    struct assay_finding **bigger = realloc(kept->list, capacity * sizeof(struct assay_finding *));
    if (bigger == NULL) {
        return false;
    }
    kept->list = bigger;
    kept->capacity = capacity;
    return true;
}

/* Tells a finding, unless its rule does not apply as far as the profile is known by now. */
static void tell(const struct assay_judge *judge, const struct fresh *fresh)
{
    if (judge->settings.found != NULL && (fresh->finding->rule->profiles & judge->profiles) != 0) {
        judge->settings.found(judge->settings.found_context, judge->catalogue, fresh->finding);
    }
}

/* Findings of a block come kind by kind; they are sorted into the order of the trace. */
static void keep_fresh(struct assay_judge *judge)
{
    if (judge->fresh_count > 1) {
        qsort(judge->fresh, judge->fresh_count, sizeof *judge->fresh, by_place);
    }
    for (size_t i = 0; i < judge->fresh_count; i++) {
        struct kept *kept = &judge->kept[judge->fresh[i].rule];
        if (room_for(judge, judge->fresh[i].rule) == 0) {
            continue;
        }
        if (!grow(kept)) {
            judge->out_of_memory = true;
            continue;
        }
        kept->list[kept->count++] = judge->fresh[i].finding;
        judge->kept_count++;
        if (!assay_surroundings_await(judge->layer, judge->fresh[i].finding)) {
            judge->out_of_memory = true;
        }
        tell(judge, &judge->fresh[i]);
    }
    judge->fresh_count = 0;
    judge->fresh_run.count = 0;
}

/* All violations of a block are asked for while samples are taken, else as many as findings are
 * still kept. */
static void set_wanted(struct assay_judge *judge, uint64_t next)
{
    for (size_t r = 0; r < judge->catalogue->rule_count; r++) {
        struct kept *kept = &judge->kept[r];
        kept->sampling = kept->spread == NULL || next < kept->first + ASSAY_SAMPLED_EVENTS;
        judge->wanted[r] = kept->sampling ? ASSAY_ROWS : room_for(judge, r);
    }
}

static void judge_slice(struct assay_judge *judge, const struct assay_event *events, uint32_t count)
{
    const struct assay_compiled *compiled = judge->catalogue->compiled;
    judge->events = events;
    judge->count = count;
    judge->layer = &judge->layers[judge->catalogue->format->kinds[events[0].kind].layer];
    judge->end = events[count - 1].offset > judge->end ? events[count - 1].offset : judge->end;
    if (!assay_surroundings_begin(judge->layer, events, count)) {
        judge->out_of_memory = true;
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
    if (judge->violations) {
        keep_fresh(judge);
        set_wanted(judge, events[count - 1].index + 1);
        judge->violations = false;
    }
    assay_surroundings_end(judge->layer);
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

static bool parameter_known(const struct assay_judge *judge, uint16_t number)
{
    return judge->settings.parameters != NULL && judge->settings.parameters->known[number];
}

/* Whether any event depends on a parameter that nobody gave. Asked first: rules times parameters
 * are many. */
static bool is_guessing(const struct assay_judge *judge)
{
    return judge->settings.parameters != NULL && judge->settings.parameters->guessed;
}

/* The layer of the events that a rule is about, which are all of one; false where it has none. */
static bool layer_of(const struct assay_judge *judge, size_t rule, unsigned *layer)
{
    const struct assay_catalogue *c = judge->catalogue;
    const unsigned kind = assay_kinds_next(&c->rules[rule].kinds, 0);
    if (kind >= c->format->kind_count) {
        return false;
    }
    *layer = c->format->kinds[kind].layer;
    return true;
}

/* Whether the events that a rule is about depend on a parameter that is not known. */
static bool any_guessed(const struct assay_judge *judge, size_t rule)
{
    unsigned layer = 0;
    return is_guessing(judge) && layer_of(judge, rule, &layer) &&
           assay_parameters_guessed(judge->settings.parameters, layer) != NULL;
}

static bool reads_parameter(const struct assay_rule *rule, size_t parameter)
{
    for (uint16_t i = 0; i < rule->parameter_count; i++) {
        if (rule->parameters[i] == parameter) {
            return true;
        }
    }
    return false;
}

size_t assay_judge_missing(const struct assay_judge *judge, size_t number, const char **names,
                           size_t capacity)
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
#include "model/facts.def"
#undef ASSAY_FACT
    };
    const struct assay_rule *rule = &judge->catalogue->rules[number];
    size_t count = 0;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        if ((rule->needs & needs[i].need & ~judge->settings.given) != 0) {
            if (count < capacity) {
                names[count] = needs[i].name;
            }
            count++;
        }
    }
    for (uint16_t i = 0; i < rule->fact_count; i++) {
        if (!fact_known(judge, rule->facts[i])) {
            if (count < capacity) {
                names[count] = facts[rule->facts[i]];
            }
            count++;
        }
    }
    const struct assay_parameter_table *table = judge->catalogue->format->parameters;
    unsigned layer = 0;
    const bool may_guess = is_guessing(judge) && layer_of(judge, number, &layer);
    const bool is_any = table != NULL && (may_guess || rule->parameter_count > 0);
    for (size_t i = 0; is_any && i < table->count; i++) {
        if ((reads_parameter(rule, i) && !parameter_known(judge, (uint16_t)i)) ||
            (may_guess && assay_parameter_guessed(judge->settings.parameters, i, layer))) {
            if (count < capacity) {
                names[count] = judge->parameter_names[i];
            }
            count++;
        }
    }
    return count;
}

/* The names of parameters as needs, which are made once. */
static bool name_parameters(struct assay_judge *judge)
{
    const struct assay_parameter_table *table = judge->catalogue->format->parameters;
    const size_t count = table != NULL ? table->count : 0;
    judge->parameter_names = assay_arena_take(&judge->arena, (count + 1) * sizeof(char *));
    for (size_t i = 0; judge->parameter_names != NULL && i < count; i++) {
        char text[128];
        snprintf(text, sizeof text, "config:%s", table->list[i].name);
        judge->parameter_names[i] = assay_arena_text(&judge->arena, text, strlen(text));
        if (judge->parameter_names[i] == NULL) {
            return false;
        }
    }
    return judge->parameter_names != NULL;
}

static void set_constants(struct assay_judge *judge)
{
    const struct assay_catalogue *c = judge->catalogue;
    for (size_t i = 0; i < c->leaf_count; i++) {
        const struct assay_leaf *leaf = &c->leaves[i];
        if (leaf->what == ASSAY_LEAF_FACT && fact_known(judge, leaf->number)) {
            judge->constants[i] = judge->settings.facts->value[leaf->number];
        } else if (leaf->what == ASSAY_LEAF_CONFIG) {
            judge->constants[i] = parameter_known(judge, leaf->number)
                                      ? judge->settings.parameters->value[leaf->number]
                                      : leaf->otherwise;
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
    }
    set_wanted(judge, 0);
}

static bool open_layers(struct assay_judge *judge)
{
    const struct assay_format *format = judge->catalogue->format;
    bool opened = true;
    for (unsigned i = 0; i < format->layer_count && opened; i++) {
        opened = assay_surroundings_open(&judge->layers[i], format, i, &judge->arena);
    }
    return opened;
}

/* Opens what judges: emitted checks or, where rules are evaluated, an evaluator of those that are
 * enabled. */
static bool open_back_end(struct assay_judge *judge)
{
    const struct assay_compiled *compiled = judge->catalogue->compiled;
    if (judge->settings.evaluate || compiled == NULL) {
        judge->evaluator = assay_evaluator_open(judge->catalogue, judge->enabled);
        return judge->evaluator != NULL;
    }
    if (!assay_table_open(&judge->state_memory, compiled->state_size, false)) {
        return false;
    }
    judge->state = judge->state_memory.at;
    compiled->begin(judge->state);
    return true;
}

enum assay_error assay_judge_open(const struct assay_judge_settings *settings,
                                  struct assay_judge **judge, struct assay_diag *diag)
{
    const struct assay_catalogue *c = settings->catalogue;
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
    j->found = calloc(rules, sizeof *j->found);
    j->constants = calloc(c->leaf_count + 1, sizeof *j->constants);
    j->layers = calloc(c->format->layer_count, sizeof *j->layers);
    if (j->enabled == NULL || j->exercised == NULL || j->violated == NULL || j->wanted == NULL ||
        j->checkable == NULL || j->kept == NULL || j->constants == NULL || j->layers == NULL ||
        j->found == NULL || !name_parameters(j) || !open_layers(j)) {
        assay_judge_close(j);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    set_constants(j);
    if (!open_back_end(j)) {
        assay_judge_close(j);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
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

void assay_judge_partial(struct assay_judge *judge, unsigned layer)
{
    const struct assay_format *format = judge->catalogue->format;
    const uint64_t *counts = assay_judge_counts(judge);
    const bool has_image = (judge->settings.given & ASSAY_NEED_IMAGE) != 0;
    for (unsigned kind = 0; kind < format->kind_count; kind++) {
        const bool is_run = format->kinds[kind].layer == layer && format->kinds[kind].run_of != 0;
        judge->end = is_run && has_image && counts[kind] == 0 ? 0 : judge->end;
    }
}

/* How many findings of a rule would be kept if those of others took no room. */
static uint64_t most_kept(const struct assay_judge *judge, size_t r)
{
    const uint64_t most = judge->settings.max_findings;
    return judge->violated[r] < most ? judge->violated[r] : most;
}

/* Whether a diagnosis is not told, as the violations are elsewhere than it says. */
static bool is_elsewhere(const struct assay_judge *judge, size_t r)
{
    const struct assay_catalogue *c = judge->catalogue;
    if (c->rules[r].extent == ASSAY_EXTENT_ANY || judge->violated[r] == 0) {
        return false;
    }
    for (size_t i = 0; i < c->rule_count; i++) {
        const bool applies = (c->rules[i].profiles & judge->profiles) != 0;
        judge->found[i] = (struct assay_extent_rule){.rule = &c->rules[i],
                                                     .exercised = judge->exercised[i],
                                                     .violated = applies ? judge->violated[i] : 0,
                                                     .findings = judge->kept[i].list,
                                                     .count = applies ? judge->kept[i].count : 0};
    }
    return !assay_extent_is_told(judge->found, c->rule_count, r, judge->end);
}

struct assay_rule_result assay_judge_result(const struct assay_judge *judge, size_t r)
{
    const bool deselected = judge->settings.deselected != NULL && judge->settings.deselected[r];
    if ((judge->catalogue->rules[r].profiles & judge->profiles) == 0) {
        return (struct assay_rule_result){.verdict = ASSAY_NOT_APPLICABLE};
    }
    if (!deselected && any_guessed(judge, r)) {
        return (struct assay_rule_result){.verdict = ASSAY_NOT_CHECKABLE};
    }
    struct assay_rule_result result = {.exercised = judge->exercised[r],
                                       .violated = judge->violated[r],
                                       .findings =
                                           (const struct assay_finding *const *)judge->kept[r].list,
                                       .finding_count = judge->kept[r].count,
                                       .dropped = most_kept(judge, r) - judge->kept[r].count,
                                       .spread = judge->kept[r].spread,
                                       .sampled = judge->kept[r].sampled};
    if (is_elsewhere(judge, r)) {
        result = (struct assay_rule_result){0};
    }
    if (deselected) {
        result.verdict = ASSAY_DESELECTED;
    } else if (!judge->checkable[r]) {
        result.verdict = ASSAY_NOT_CHECKABLE;
    } else if (result.violated > 0) {
        result.verdict = judge->catalogue->rules[r].diagnosis ? ASSAY_RECOGNISED : ASSAY_FAIL;
    } else {
        result.verdict = result.exercised > 0 ? ASSAY_PASS : ASSAY_NOT_EXERCISED;
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
    assay_table_close(&judge->state_memory);
    free(judge->enabled);
    free(judge->exercised);
    free(judge->violated);
    free(judge->wanted);
    free(judge->checkable);
    free(judge->kept);
    free(judge->constants);
    free(judge->fresh);
    free(judge->found);
    for (size_t i = 0; judge->layers != NULL && i < judge->catalogue->format->layer_count; i++) {
        assay_surroundings_close(&judge->layers[i]);
    }
    free(judge->layers);
    free(judge);
}
