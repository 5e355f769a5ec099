/* What has to be exercised: a rule that found nothing to check says nothing of a producer. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/sink.h"
#include "validator/certify/parts.h"

/* How far the rules are exercised that a line of the profile means. */
struct tally {
    uint64_t rules, enough;
    struct assay_sink lacking; /* those that are not, the first ones */
};

enum { SHOWN = 8 };

static void count_rule(const struct assay_rule_total *total, uint64_t times, struct tally *tally)
{
    tally->rules++;
    if (total->exercised >= times) {
        tally->enough++;
        return;
    }
    const uint64_t lacking = tally->rules - tally->enough;
    if (lacking > SHOWN) {
        assay_sink_text(&tally->lacking, lacking == SHOWN + 1 ? ", ..." : "");
        return;
    }
    assay_sink_printf(&tally->lacking, "%s%s", lacking > 1 ? ", " : "", total->rule->id);
    if (total->exercised > 0) {
        assay_sink_printf(&tally->lacking, " (%" PRIu64 " of %" PRIu64 " times)", total->exercised,
                          times);
    } else if (total->verdict == ASSAY_NOT_CHECKABLE && total->missing_count > 0) {
        assay_sink_printf(&tally->lacking, " (needs %s)", total->missing[0]);
    }
}

/* Rules of the format that belong to the version; a diagnosis demands nothing. */
static bool can_be_exercised(const struct assay_certification *c,
                             const struct assay_rule_total *total)
{
    return total->catalogue->format == c->profile->format && !total->rule->diagnosis &&
           total->verdict != ASSAY_NOT_APPLICABLE && total->verdict != ASSAY_DESELECTED;
}

static enum assay_error demand(struct assay_certification *c, const char *kind, const char *name,
                               const struct assay_certify_exercise *exercise,
                               struct assay_diag *diag)
{
    bool *marked[ASSAY_MAX_CATALOGUES];
    struct tally tally = {0};
    enum assay_error error = assay_certify_select(c, exercise->rules, exercise->node, marked, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    assay_sink_memory(&tally.lacking, 0);
    for (size_t i = 0; i < c->results.rule_count; i++) {
        const struct assay_rule_total *total = &c->results.rules[i];
        if (can_be_exercised(c, total) && assay_certify_marked(c, marked, total)) {
            count_rule(total, exercise->times, &tally);
        }
    }
    const uint64_t due = exercise->of > 0 ? exercise->of : tally.rules;
    const bool met = tally.enough >= due && due > 0;
    error = assay_certify_add(
        &c->demands, kind, name, met,
        "%s%s%" PRIu64 " of %" PRIu64 " rules are exercised %" PRIu64
        " time%s or more; due are %" PRIu64 "%s%.*s",
        exercise->why != NULL ? exercise->why : "", exercise->why != NULL ? ": " : "", tally.enough,
        tally.rules, exercise->times, exercise->times == 1 ? "" : "s", due,
        met || tally.lacking.size == 0 ? "" : "; lacking: ", met ? 0 : (int)tally.lacking.size,
        (const char *)tally.lacking.data);
    const enum assay_error lacking = assay_sink_close(&tally.lacking, NULL);
    return error != ASSAY_OK ? error : lacking;
}

enum assay_error assay_certify_exercised(struct assay_certification *c, struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    const struct assay_certify_exercises *level = &c->level->exercise;
    for (size_t i = 0; error == ASSAY_OK && i < level->count; i++) {
        error = demand(c, "exercise", level->list[i].rules, &level->list[i], diag);
    }
    for (size_t i = 0; error == ASSAY_OK && i < c->submission->features.count; i++) {
        const char *name = c->submission->features.list[i]->text;
        const struct assay_certify_feature *feature = assay_certify_feature_named(c->profile, name);
        for (size_t n = 0; error == ASSAY_OK && n < feature->exercise.count; n++) {
            error = demand(c, "feature", name, &feature->exercise.list[n], diag);
        }
    }
    return error;
}
