/* Whether a profile can be met: its selectors name rules that there are. */
#include <inttypes.h>
#include <string.h>

#include "validator/certify/parts.h"

/* How many rules of the profile's format are marked that can be exercised. */
static uint64_t count_marked(const struct assay_certification *c, bool *const *marked)
{
    uint64_t count = 0;
    for (size_t i = 0; i < c->selection.count; i++) {
        const struct assay_catalogue *catalogue = c->selection.catalogues[i];
        for (size_t r = 0; catalogue->format == c->profile->format && r < catalogue->rule_count;
             r++) {
            count += marked[i][r] && !catalogue->rules[r].diagnosis;
        }
    }
    return count;
}

static enum assay_error check(struct assay_certification *c, const char *selectors, uint64_t due,
                              const struct assay_yaml *node, struct assay_diag *diag)
{
    bool *marked[ASSAY_MAX_CATALOGUES];
    const enum assay_error error = assay_certify_select(c, selectors, node, marked, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    const uint64_t count = count_marked(c, marked);
    return count >= due && count > 0
               ? ASSAY_OK
               : assay_yaml_fail(node, diag, ASSAY_VACUOUS,
                                 "%" PRIu64 " rules of the format are meant, and %" PRIu64
                                 " are due",
                                 count, due > 0 ? due : 1);
}

/* Whether the workloads of whose traces something is demanded are due. */
static enum assay_error check_workloads(const struct assay_certify_texts *in,
                                        const struct assay_certify_level *level,
                                        struct assay_diag *diag)
{
    for (size_t i = 0; i < in->count; i++) {
        size_t n = 0;
        while (level != NULL && n < level->workloads.count &&
               strcmp(level->workloads.list[n]->text, in->list[i]->text) != 0) {
            n++;
        }
        if (level == NULL || n == level->workloads.count) {
            return assay_yaml_fail(in->list[i], diag, ASSAY_UNKNOWN_NAME,
                                   "the workload %.80s is not one that the level is due",
                                   in->list[i]->text);
        }
    }
    return ASSAY_OK;
}

static enum assay_error check_exercises(struct assay_certification *c,
                                        const struct assay_certify_exercises *exercises,
                                        const struct assay_certify_level *level,
                                        struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; error == ASSAY_OK && i < exercises->count; i++) {
        const struct assay_certify_exercise *one = &exercises->list[i];
        error = check(c, one->rules, one->of, one->node, diag);
        error = error ? error : check_workloads(&one->in, level, diag);
        if (error == ASSAY_OK && one->alternative != NULL) {
            error = check(c, one->alternative->rules, one->alternative->of, one->alternative->node,
                          diag);
        }
    }
    return error;
}

static enum assay_error check_texts(struct assay_certification *c,
                                    const struct assay_certify_texts *texts,
                                    struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; error == ASSAY_OK && i < texts->count; i++) {
        error = check(c, texts->list[i]->text, 1, texts->list[i], diag);
    }
    return error;
}

enum assay_error assay_certify_check_profile(struct assay_certification *c, struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; error == ASSAY_OK && i < c->profile->level_count; i++) {
        const struct assay_certify_level *level = &c->profile->levels[i];
        error = check_texts(c, &level->rules, diag);
        error = error ? error : check_texts(c, &level->pass, diag);
        error = error ? error : check_texts(c, &level->waive, diag);
        for (size_t n = 0; error == ASSAY_OK && n < level->sentences.count; n++) {
            error = check_exercises(c, &level->sentences.list[n].exercise, level, diag);
        }
    }
    for (size_t i = 0; error == ASSAY_OK && i < c->profile->feature_count; i++) {
        error = check_exercises(c, &c->profile->features[i].sentence.exercise, NULL, diag);
    }
    return error;
}
