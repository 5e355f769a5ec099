#include "reports/baseline.h"

#include <stdlib.h>
#include <string.h>

#include "common/arena.h"
#include "reports/baseline_index.h"
#include "reports/fingerprint.h"
#include "reports/walk.h"
#include "validator/engine/causes.h"
#include "validator/engine/input.h"

struct assay_baseline {
    struct assay_arena arena;
    struct assay_baseline_index index;
    struct assay_baseline_result result;
    struct assay_baseline_change *changes;
    size_t change_room;
    const struct assay_located_finding **findings;
    size_t finding_room;
};

enum assay_error assay_baseline_load(const char *path, struct assay_baseline **baseline,
                                     struct assay_diag *diag)
{
    struct assay_baseline *b = calloc(1, sizeof *b);
    *baseline = b;
    if (b == NULL) {
        return ASSAY_NO_MEMORY;
    }
    b->result = (struct assay_baseline_result){.path = path, .exact = true};
    return assay_baseline_index_load(&b->index, path, diag);
}

void assay_baseline_free(struct assay_baseline *baseline)
{
    if (baseline != NULL) {
        assay_baseline_index_free(&baseline->index);
        assay_arena_free(&baseline->arena);
        free(baseline);
    }
}

/* --- a rule in an input --- */

/* What is compared: the violations of a rule in an input, in both runs. */
struct pair {
    const struct assay_rule_total *total;
    size_t input;
    uint64_t now;
    bool judged;  /* in this run */
    size_t first; /* findings of this run that are listed */
    size_t end;
    struct assay_baseline_group before;
};

static bool add_fresh(struct assay_baseline *b, const struct assay_located_finding *finding)
{
    const struct assay_located_finding **grown = assay_arena_grow(
        &b->arena, b->findings, b->result.finding_count, &b->finding_room, sizeof *b->findings);
    if (grown == NULL) {
        return false;
    }
    b->findings = grown;
    b->findings[b->result.finding_count++] = finding;
    return true;
}

/* Both list all of them: each finding takes one of its fingerprint from those of the earlier run.
 * Gives how many find none; false when memory is out. */
static bool count_fresh(struct assay_baseline *b, const struct assay_results *results,
                        const struct pair *pair, uint64_t *fresh)
{
    char fingerprint[ASSAY_FINGERPRINT_TEXT];
    bool good = true;
    *fresh = 0;
    for (size_t i = pair->first; i < pair->end && good; i++) {
        const struct assay_found found = assay_found_of(results, pair->total, i);
        assay_fingerprint(&found, fingerprint);
        if (!assay_baseline_take(&pair->before, fingerprint)) {
            ++*fresh;
            good = add_fresh(b, found.placed);
        }
    }
    return good;
}

/* Without all fingerprints: how many more there are. */
static uint64_t count_more(const struct pair *pair)
{
    return pair->now > pair->before.violated ? pair->now - pair->before.violated : 0;
}

static bool compare_pair(struct assay_baseline *b, const struct assay_results *results,
                         const struct pair *pair, uint64_t *deciding)
{
    struct assay_baseline_result *result = &b->result;
    struct assay_baseline_change change = {.input = pair->input, .rule = pair->total->rule};
    const uint64_t before = pair->before.violated;
    const bool listed = pair->end - pair->first == pair->now && pair->before.listed == before;
    if (pair->now == 0 && !pair->judged) {
        result->unjudged += before;
        return true;
    }
    if (!listed) {
        change.fresh = count_more(pair);
    } else if (!count_fresh(b, results, pair, &change.fresh)) {
        return false;
    }
    const uint64_t known = pair->now - change.fresh;
    change.gone = before - known;
    change.counted = !listed;
    result->exact = result->exact && listed;
    result->fresh += change.fresh;
    result->known += known;
    result->gone += change.gone;
    *deciding += assay_rule_counts(results, change.rule) ? change.fresh : 0;
    if (change.fresh == 0 && change.gone == 0) {
        return true;
    }
    struct assay_baseline_change *grown = assay_arena_grow(
        &b->arena, b->changes, result->change_count, &b->change_room, sizeof *b->changes);
    if (grown != NULL) {
        b->changes = grown;
        b->changes[result->change_count++] = change;
    }
    return grown != NULL;
}

/* --- an input --- */

/* What is known of the rules while the inputs are gone through. */
struct rule_now {
    uint64_t violated; /* in the input */
    bool judged;
    size_t next; /* finding that has not been gone through */
};

static bool is_judged(enum assay_verdict verdict)
{
    return verdict == ASSAY_PASS || verdict == ASSAY_FAIL || verdict == ASSAY_NOT_EXERCISED ||
           verdict == ASSAY_NOT_APPLICABLE;
}

static void take_stream(const struct assay_results *results, struct rule_now *now,
                        const struct assay_stream_result *stream)
{
    for (size_t r = 0; r < results->rule_count && stream->verdicts != NULL; r++) {
        now[r].judged |= is_judged((enum assay_verdict)stream->verdicts[r]);
    }
    for (size_t i = 0; i < stream->outcome_count; i++) {
        const struct assay_rule_outcome *outcome = &stream->outcomes[i];
        now[outcome->rule].violated += outcome->violated;
        now[outcome->rule].judged &= outcome->waived == 0;
    }
}

/* What is new of an input's verdict. */
static enum assay_conclusion conclusion_of(const struct assay_input_result *input,
                                           const char *before, uint64_t deciding)
{
    const bool same =
        before != NULL && strcmp(before, assay_conclusion_name(input->conclusion)) == 0;
    if (deciding > 0) {
        return ASSAY_VIOLATES;
    }
    return same || input->conclusion == ASSAY_VIOLATES ? ASSAY_CONFORMS : input->conclusion;
}

static bool compare_input(struct assay_baseline *b, const struct assay_results *results,
                          struct rule_now *now, size_t number)
{
    const struct assay_input_result *input = &results->inputs[number];
    const struct assay_baseline_input before = assay_baseline_input_of(&b->index, input->path);
    uint64_t deciding = 0;
    bool good = true;
    for (size_t r = 0; r < results->rule_count; r++) {
        now[r].violated = 0;
        now[r].judged = false;
    }
    for (size_t s = 0; s < input->stream_count; s++) {
        take_stream(results, now, &input->streams[s]);
    }
    for (size_t r = 0; r < results->rule_count && good; r++) {
        const struct assay_rule_total *total = &results->rules[r];
        struct pair pair = {.total = total,
                            .input = number,
                            .now = now[r].violated,
                            .judged = now[r].judged,
                            .first = now[r].next,
                            .before = assay_baseline_group_of(&before, total->rule->id)};
        while (now[r].next < total->finding_count && total->findings[now[r].next].input == number) {
            now[r].next++;
        }
        pair.end = now[r].next;
        if (!total->rule->diagnosis && (pair.now > 0 || pair.before.violated > 0)) {
            good = compare_pair(b, results, &pair, &deciding);
        }
    }
    b->result.deciding += deciding;
    b->result.conclusion =
        assay_most_severe(b->result.conclusion, conclusion_of(input, before.verdict, deciding));
    return good;
}

/* --- the run --- */

static int compare_addresses(const void *a, const void *b)
{
    const uintptr_t left = (uintptr_t) * (const struct assay_located_finding *const *)a;
    const uintptr_t right = (uintptr_t) * (const struct assay_located_finding *const *)b;
    return (left > right) - (left < right);
}

enum assay_error assay_baseline_compare(struct assay_baseline *b,
                                        const struct assay_results *results,
                                        const struct assay_baseline_result **result)
{
    struct rule_now *now = calloc(results->rule_count + 1, sizeof *now);
    bool good = now != NULL;
    for (size_t i = 0; i < results->input_count && good; i++) {
        good = compare_input(b, results, now, i);
    }
    free(now);
    if (!good) {
        return ASSAY_NO_MEMORY;
    }
    if (b->result.finding_count > 0) {
        qsort(b->findings, b->result.finding_count, sizeof *b->findings, compare_addresses);
    }
    b->result.unjudged += assay_baseline_left(&b->index);
    b->result.other_rules = !assay_baseline_has_catalogues(&b->index, results);
    b->result.changes = b->changes;
    b->result.findings = b->findings;
    *result = &b->result;
    return ASSAY_OK;
}

bool assay_baseline_is_fresh(const struct assay_baseline_result *result,
                             const struct assay_located_finding *finding)
{
    return result->finding_count > 0 && bsearch(&finding, result->findings, result->finding_count,
                                                sizeof finding, compare_addresses) != NULL;
}
