#include "validator/engine/causes.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/describe.h"
#include "validator/engine/diagnoses.h"
#include "validator/engine/message.h"

/* Violations, and places, from which on a regularity counts as one. */
enum { LEAST_REGULAR = 3 };

/* A rule that failed, while causes are looked for. */
struct failed {
    const struct assay_rule_total *total;
    size_t number;      /* in the results */
    uint64_t exercised; /* in the inputs that violate it */
    bool taken;         /* a cause has it */
};

struct search {
    const struct assay_results *results;
    struct assay_arena *arena;
    struct failed *failed;
    size_t failed_count;
    struct assay_cause *causes;
    size_t cause_count;
    bool out_of_memory;
};

const char *assay_cause_name(enum assay_cause_kind kind)
{
    static const char *const names[ASSAY_CAUSE_COUNT] = {
#define X(id, name) name,
        ASSAY_CAUSES(X)
#undef X
    };
    return names[kind];
}

const char *assay_often_name(enum assay_often often)
{
    static const char *const names[] = {"always", "sometimes", "once"};
    return names[often];
}

const char *assay_fail_on(const struct assay_results *results)
{
    /* The level alone cannot say "never". */
    for (size_t i = 0; i < results->option_count; i++) {
        if (strcmp(results->options[i].name, "fail-on") == 0) {
            return results->options[i].value;
        }
    }
    return assay_level_name(results->fail_on);
}

bool assay_rule_counts(const struct assay_results *results, const struct assay_rule *rule)
{
    return rule->level >= results->fail_on && !rule->diagnosis &&
           strcmp(assay_fail_on(results), "never") != 0;
}

/* --- what streams say --- */

/* What a stream says of a rule that it violates; null when it does not. Most streams need no
 * search.
 */
static const struct assay_rule_outcome *violation_of(const struct assay_stream_result *stream,
                                                     size_t rule)
{
    return stream->violations > 0 ? assay_outcome_of(stream, rule) : NULL;
}

/* Sums up the checks of each rule in the streams that violate it; others say nothing of why it
 * fails there. */
static void count_checks(const struct assay_results *results, uint64_t *checks)
{
    for (size_t i = 0; i < results->input_count; i++) {
        const struct assay_input_result *input = &results->inputs[i];
        for (size_t n = 0; n < input->stream_count; n++) {
            const struct assay_stream_result *stream = &input->streams[n];
            for (size_t k = 0; k < stream->outcome_count && stream->violations > 0; k++) {
                const struct assay_rule_outcome *outcome = &stream->outcomes[k];
                checks[outcome->rule] += outcome->violated > 0 ? outcome->exercised : 0;
            }
        }
    }
}

static bool violates_any(const struct assay_input_result *input, const struct assay_cause *cause,
                         const struct assay_rule_total *rules)
{
    for (size_t n = 0; n < input->stream_count; n++) {
        for (size_t i = 0; i < cause->rule_count; i++) {
            if (violation_of(&input->streams[n], (size_t)(cause->rules[i] - rules)) != NULL) {
                return true;
            }
        }
    }
    return false;
}

static size_t count_inputs(const struct assay_results *results, const struct assay_cause *cause)
{
    size_t count = 0;
    for (size_t i = 0; i < results->input_count; i++) {
        count += violates_any(&results->inputs[i], cause, results->rules) ? 1 : 0;
    }
    return count;
}

/* --- causes --- */

/* In the order of places. */
static bool precedes(const struct assay_located_finding *a, const struct assay_located_finding *b)
{
    if (a->input != b->input) {
        return a->input < b->input;
    }
    if (a->stream != b->stream) {
        return a->stream < b->stream;
    }
    return a->offset < b->offset;
}

static int by_rule_weight(const void *a, const void *b)
{
    const struct assay_rule_total *x = *(const struct assay_rule_total *const *)a;
    const struct assay_rule_total *y = *(const struct assay_rule_total *const *)b;
    if (x->rule->level != y->rule->level) {
        return x->rule->level > y->rule->level ? -1 : 1;
    }
    if (x->violated != y->violated) {
        return x->violated > y->violated ? -1 : 1;
    }
    return strcmp(x->rule->id, y->rule->id);
}

/* Adds up what the rules of a cause say. */
static void sum_up(struct search *s, struct assay_cause *cause)
{
    bool once = true;
    cause->counts = assay_rule_counts(s->results, cause->rules[0]->rule);
    qsort(cause->rules, cause->rule_count, sizeof(struct assay_rule_total *), by_rule_weight);
    for (size_t i = 0; i < cause->rule_count; i++) {
        const struct assay_rule_total *total = cause->rules[i];
        once = once && total->violated == 1;
        if (total->finding_count > 0 &&
            (cause->first == NULL || precedes(&total->findings[0], cause->first))) {
            cause->first = &total->findings[0];
            cause->first_rule = total;
        }
    }
    cause->often = once                                  ? ASSAY_ONCE
                   : cause->violated == cause->exercised ? ASSAY_ALWAYS
                                                         : ASSAY_SOMETIMES;
}

/* Makes the rules that are marked a cause. */
static void add_cause(struct search *s, const bool *marked, enum assay_cause_kind kind,
                      const char *sentence)
{
    struct assay_cause *cause = &s->causes[s->cause_count++];
    *cause = (struct assay_cause){
        .kind = kind,
        .likely = kind != ASSAY_CAUSE_ABSENT && kind != ASSAY_CAUSE_RULE,
        .sentence = assay_arena_text(s->arena, sentence, strlen(sentence)),
        .rules = assay_arena_take(s->arena, s->failed_count * sizeof(struct assay_rule_total *))};
    if (cause->rules == NULL || cause->sentence == NULL) {
        s->out_of_memory = true;
        s->cause_count--;
        return;
    }
    for (size_t i = 0; i < s->failed_count; i++) {
        if (marked[i]) {
            cause->rules[cause->rule_count++] = s->failed[i].total;
            cause->violated += s->failed[i].total->violated;
            cause->exercised += s->failed[i].exercised;
            s->failed[i].taken = true;
        }
    }
    cause->inputs = count_inputs(s->results, cause);
    sum_up(s, cause);
}

/* Whether a rule can be of the cause that another one leads: no cause has it, and both count for
 * the verdict or neither does. */
static bool can_join(const struct search *s, size_t leader, size_t rule)
{
    const struct assay_rule_total *a = s->failed[leader].total;
    const struct assay_rule_total *b = s->failed[rule].total;
    return !s->failed[rule].taken && a->catalogue->format == b->catalogue->format &&
           assay_rule_counts(s->results, a->rule) == assay_rule_counts(s->results, b->rule);
}

static size_t count_marked(const struct search *s, const bool *marked)
{
    size_t count = 0;
    for (size_t i = 0; i < s->failed_count; i++) {
        count += marked[i] ? 1 : 0;
    }
    return count;
}

/* --- rules that always fail --- */

static bool always_fails(const struct failed *failed)
{
    return failed->total->violated == failed->exercised && failed->total->spread != NULL;
}

/* Whether a leaf is in what a rule requires, rather than in when it applies. */
static bool requires(const struct assay_rule *rule, uint16_t leaf)
{
    for (uint16_t i = 0; i < rule->require.count; i++) {
        if (rule->require.nodes[i].op == ASSAY_OP_LEAF && rule->require.nodes[i].a == leaf) {
            return true;
        }
    }
    return false;
}

/* Whether the traces that violate a rule have no event of a kind. */
static bool lack_kind(const struct search *s, const struct failed *failed, uint16_t kind)
{
    for (size_t i = 0; i < s->results->input_count; i++) {
        const struct assay_input_result *input = &s->results->inputs[i];
        for (size_t n = 0; n < input->stream_count; n++) {
            if (violation_of(&input->streams[n], failed->number) != NULL &&
                input->streams[n].events[kind] > 0) {
                return false;
            }
        }
    }
    return true;
}

/* The kind of which a leaf says whether, or how many, events there are; 0: it says something
 * else. */
static uint16_t kind_asked(const struct assay_catalogue *catalogue, const struct assay_leaf *leaf)
{
    const struct assay_field *field = assay_shown_field(catalogue->format, leaf->shown);
    if (leaf->what == ASSAY_LEAF_SEEN || leaf->what == ASSAY_LEAF_COUNT) {
        return leaf->number;
    }
    return leaf->what == ASSAY_LEAF_FIELD && field != NULL ? field->about : 0;
}

/* The kind that a rule asks for and the traces that violate it do not have; 0: there is none. */
static uint16_t absent_kind(const struct search *s, const struct failed *failed)
{
    const struct assay_rule_total *total = failed->total;
    for (uint16_t i = 0; i < total->rule->evidence_count && always_fails(failed); i++) {
        const uint16_t leaf = total->rule->evidence[i];
        const uint16_t kind = kind_asked(total->catalogue, &total->catalogue->leaves[leaf]);
        if (kind != 0 && requires(total->rule, leaf) && total->spread[i].value == 0 &&
            !total->spread[i].varies && lack_kind(s, failed, kind)) {
            return kind;
        }
    }
    return 0;
}

static void find_absent(struct search *s, size_t first, bool *marked)
{
    const struct assay_rule_total *total = s->failed[first].total;
    const uint16_t kind = absent_kind(s, &s->failed[first]);
    char sentence[256];
    for (size_t i = first; i < s->failed_count; i++) {
        marked[i] = kind != 0 && can_join(s, first, i) && absent_kind(s, &s->failed[i]) == kind;
    }
    if (kind != 0) {
        snprintf(sentence, sizeof sentence, "the %s no %s at all",
                 s->results->input_count == 1 ? "trace holds" : "traces concerned hold",
                 total->catalogue->format->kinds[kind].title);
        add_cause(s, marked, ASSAY_CAUSE_ABSENT, sentence);
    }
}

/* Whether something that a rule requires has always the same value. */
static bool has_value(const struct failed *failed, uint16_t leaf, uint64_t value)
{
    const struct assay_rule_total *total = failed->total;
    for (uint16_t i = 0; i < total->rule->evidence_count; i++) {
        if (total->rule->evidence[i] == leaf) {
            return always_fails(failed) && total->sampled >= LEAST_REGULAR &&
                   requires(total->rule, leaf) && !total->spread[i].varies &&
                   total->spread[i].value == value;
        }
    }
    return false;
}

static void put_value(const struct assay_catalogue *catalogue, uint16_t leaf, uint64_t value,
                      char *out, size_t size)
{
    const struct assay_leaf *l = &catalogue->leaves[leaf];
    const struct assay_field *field = assay_shown_field(catalogue->format, l->shown);
    char text[128];
    assay_leaf_text(catalogue, leaf, value, text, sizeof text);
    snprintf(out, size, "%s is %s each time", l->text, text);
    if (field != NULL && field->doc != NULL) {
        assay_append(out, size, " (%s)", field->doc);
    }
}

static void find_value(struct search *s, size_t first, bool *marked)
{
    const struct assay_rule_total *total = s->failed[first].total;
    for (uint16_t n = 0; n < total->rule->evidence_count && always_fails(&s->failed[first]); n++) {
        const uint16_t leaf = total->rule->evidence[n];
        const uint64_t value = total->spread[n].value;
        const enum assay_leaf_kind what = total->catalogue->leaves[leaf].what;
        if (what == ASSAY_LEAF_READING || what == ASSAY_LEAF_KIND) {
            continue;
        }
        for (size_t i = first; i < s->failed_count; i++) {
            marked[i] = can_join(s, first, i) &&
                        s->failed[i].total->catalogue == total->catalogue &&
                        has_value(&s->failed[i], leaf, value);
        }
        if (marked[first] && count_marked(s, marked) > 1) {
            char sentence[512];
            put_value(total->catalogue, leaf, value, sentence, sizeof sentence);
            add_cause(s, marked, ASSAY_CAUSE_VALUE, sentence);
            return;
        }
    }
}

/* --- an event that never changes --- */

/* Whether events of a kind say where something is: then it is strange that they do not change. */
static bool has_address(const struct assay_kind *kind)
{
    for (size_t i = 0; i < kind->field_count; i++) {
        const struct assay_field *field = &kind->fields[i];
        if (field->type == ASSAY_ADDRESS && field->place != ASSAY_DERIVED) {
            return true;
        }
    }
    return false;
}

/* Whether an event with this line is in the group of a finding, beside the one it is about. */
static bool shows(const struct assay_finding *finding, const char *line)
{
    for (uint16_t i = 0; i < finding->shown_count; i++) {
        if (i != finding->shown_at && finding->shown[i].grouped &&
            strcmp(finding->shown[i].line, line) == 0) {
            return true;
        }
    }
    return false;
}

static bool all_show(const struct assay_rule_total *total, const char *line)
{
    bool all = total->finding_count > 0;
    for (size_t i = 0; i < total->finding_count && all; i++) {
        all = shows(total->findings[i].finding, line);
    }
    return all;
}

/* Whether the findings of a rule are about many different events. */
static bool is_various(const struct assay_rule_total *total)
{
    const char *lines[LEAST_REGULAR];
    size_t count = 0;
    for (size_t n = 0; n < total->finding_count && count < LEAST_REGULAR; n++) {
        const char *line = assay_finding_line(total->findings[n].finding, 0);
        size_t at = 0;
        while (at < count && strcmp(lines[at], line) != 0) {
            at++;
        }
        if (at == count) {
            lines[count++] = line;
        }
    }
    return count == LEAST_REGULAR;
}

static void find_repeated(struct search *s, size_t first, bool *marked)
{
    const struct assay_rule_total *total = s->failed[first].total;
    const struct assay_finding *finding =
        total->finding_count > 0 ? total->findings[0].finding : NULL;
    for (uint16_t n = 0; finding != NULL && n < finding->shown_count; n++) {
        const struct assay_shown_event *event = &finding->shown[n];
        if (n == finding->shown_at || !event->grouped ||
            !has_address(&total->catalogue->format->kinds[event->kind])) {
            continue;
        }
        for (size_t i = first; i < s->failed_count; i++) {
            marked[i] = can_join(s, first, i) && is_various(s->failed[i].total) &&
                        all_show(s->failed[i].total, event->line);
        }
        if (marked[first] && count_marked(s, marked) > 1) {
            char sentence[512];
            snprintf(sentence, sizeof sentence, "the same event wherever these rules fail: %s",
                     event->line);
            add_cause(s, marked, ASSAY_CAUSE_REPEATED, sentence);
            return;
        }
    }
}

/* --- one broken place --- */

/* Whether a rule that mostly holds is first violated among the events that a finding shows. */
static bool begins_at(const struct failed *failed, const struct assay_located_finding *place)
{
    const struct assay_rule_total *total = failed->total;
    if (total->finding_count == 0 || total->violated > failed->exercised / 2) {
        return false;
    }
    const struct assay_located_finding *own = &total->findings[0];
    const struct assay_finding *at = place->finding;
    const struct assay_kind *kinds = total->catalogue->format->kinds;
    return own->input == place->input && own->stream == place->stream &&
           kinds[own->finding->kind].layer == kinds[at->kind].layer &&
           own->finding->index >= at->shown[0].index &&
           own->finding->index <= at->shown[at->shown_count - 1].index;
}

static void find_place(struct search *s, size_t first, bool *marked)
{
    const struct assay_rule_total *total = s->failed[first].total;
    const struct assay_located_finding *place =
        total->finding_count > 0 ? &total->findings[0] : NULL;
    for (size_t i = first; i < s->failed_count; i++) {
        marked[i] = place != NULL && can_join(s, first, i) && begins_at(&s->failed[i], place);
    }
    if (marked[first] && count_marked(s, marked) > 1) {
        char sentence[256];
        snprintf(sentence, sizeof sentence,
                 "these %zu rules mostly hold, and are first violated at one place",
                 count_marked(s, marked));
        add_cause(s, marked, ASSAY_CAUSE_PLACE, sentence);
    }
}

/* --- all of them --- */

static void find_rule(struct search *s, size_t first, bool *marked)
{
    marked[first] = true;
    add_cause(s, marked, ASSAY_CAUSE_RULE, s->failed[first].total->rule->title);
}

static void find_all(struct search *s, bool *marked)
{
    static void (*const steps[])(struct search *, size_t, bool *) = {
        find_absent, find_value, find_repeated, find_place, find_rule};
    for (size_t step = 0; step < sizeof steps / sizeof steps[0]; step++) {
        for (size_t i = 0; i < s->failed_count && !s->out_of_memory; i++) {
            if (!s->failed[i].taken) {
                memset(marked, 0, s->failed_count * sizeof *marked);
                steps[step](s, i, marked);
            }
        }
    }
}

/* The lowest layer that a rule of a cause is about: what is wrong there is not caused by what is
 * above it. */
static unsigned layer_of(const struct assay_cause *cause)
{
    unsigned lowest = UINT_MAX;
    for (size_t i = 0; i < cause->rule_count; i++) {
        const struct assay_format *format = cause->rules[i]->catalogue->format;
        const unsigned kind = assay_kinds_next(&cause->rules[i]->rule->kinds, 0);
        const unsigned layer = kind < format->kind_count ? format->kinds[kind].layer : UINT_MAX;
        lowest = layer < lowest ? layer : lowest;
    }
    return lowest;
}

/* Of places that are known, the first one first. */
static int by_first(const struct assay_cause *x, const struct assay_cause *y)
{
    if (x->first == NULL || y->first == NULL) {
        return (x->first == NULL) - (y->first == NULL);
    }
    return precedes(x->first, y->first) ? -1 : precedes(y->first, x->first);
}

static int by_causation(const void *a, const void *b)
{
    const struct assay_cause *x = a;
    const struct assay_cause *y = b;
    const unsigned layers[] = {layer_of(x), layer_of(y)};
    if (x->counts != y->counts) {
        return x->counts ? -1 : 1;
    }
    if (x->rules[0]->rule->level != y->rules[0]->rule->level) {
        return x->rules[0]->rule->level > y->rules[0]->rule->level ? -1 : 1;
    }
    if ((x->kind == ASSAY_CAUSE_ABSENT) != (y->kind == ASSAY_CAUSE_ABSENT)) {
        return x->kind == ASSAY_CAUSE_ABSENT ? -1 : 1;
    }
    if (x->inputs != y->inputs) {
        return x->inputs > y->inputs ? -1 : 1;
    }
    if (layers[0] != layers[1]) {
        return layers[0] < layers[1] ? -1 : 1;
    }
    const int first = by_first(x, y);
    return first != 0 ? first : strcmp(x->rules[0]->rule->id, y->rules[0]->rule->id);
}

enum assay_error assay_causes_find(const struct assay_results *results, struct assay_causes *causes)
{
    const size_t rules = results->rule_count + 1;
    *causes = (struct assay_causes){0};
    struct search s = {.results = results, .arena = &causes->arena};
    s.failed = assay_arena_take(s.arena, rules * sizeof *s.failed);
    s.causes = assay_arena_take(s.arena, rules * sizeof *s.causes);
    bool *marked = assay_arena_take(s.arena, rules * sizeof *marked);
    uint64_t *checks = assay_arena_take(s.arena, rules * sizeof *checks);
    if (s.failed == NULL || s.causes == NULL || marked == NULL || checks == NULL) {
        return ASSAY_NO_MEMORY;
    }
    count_checks(results, checks);
    for (size_t i = 0; i < results->rule_count; i++) {
        if (results->rules[i].verdict == ASSAY_FAIL) {
            s.failed[s.failed_count++] =
                (struct failed){.total = &results->rules[i], .number = i, .exercised = checks[i]};
        }
    }
    find_all(&s, marked);
    qsort(s.causes, s.cause_count, sizeof *s.causes, by_causation);
    s.out_of_memory =
        !assay_diagnoses_add(results, s.causes, s.cause_count, causes) || s.out_of_memory;
    causes->list = s.causes;
    causes->count = s.cause_count;
    return s.out_of_memory ? ASSAY_NO_MEMORY : ASSAY_OK;
}

void assay_causes_free(struct assay_causes *causes)
{
    assay_arena_free(&causes->arena);
    *causes = (struct assay_causes){0};
}
