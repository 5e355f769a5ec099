#include "validator/certify/certification.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "execution/execution.h"
#include "model/model.h"
#include "validator/certify/parts.h"

static enum assay_error no_memory(struct assay_diag *diag)
{
    return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

/* --- before the run --- */

/* Leaves out the rules that the level does not judge, and takes the readings that are claimed. */
static enum assay_error select_rules(struct assay_certification *c, struct assay_diag *diag)
{
    struct assay_diag wrong = {.offset = ASSAY_NO_OFFSET};
    const struct assay_certify_texts *rules = &c->level->rules;
    const struct assay_certify_texts *readings = &c->submission->readings;
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < rules->count; i++) {
        error = assay_selection_narrow(&c->selection, rules->list[i]->text, true, &wrong);
        if (error != ASSAY_OK) {
            return assay_certify_fail_at(error, rules->list[i], &wrong, diag);
        }
    }
    for (size_t i = 0; i < readings->count; i++) {
        error = assay_selection_read_as(&c->selection, readings->list[i]->text, &wrong);
        if (error != ASSAY_OK) {
            return assay_certify_fail_at(error, readings->list[i], &wrong, diag);
        }
    }
    return ASSAY_OK;
}

static enum assay_error load_waivers(struct assay_certification *c, struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    c->waivers.no_rule_files = true;
    for (size_t i = 0; error == ASSAY_OK && i < c->submission->waivers.count; i++) {
        const char *path = c->submission->waivers.list[i]->text;
        assay_evidence_add(&c->evidence, "waivers", path, true);
        error = assay_selection_waive(&c->selection, &c->waivers, path, diag);
    }
    return error;
}

/* Features and level are looked at before any trace is judged. */
static enum assay_error check_claims(const struct assay_certification *c, struct assay_diag *diag)
{
    const struct assay_submission *s = c->submission;
    if (s->format != c->profile->format) {
        return assay_yaml_fail(s->profile_node, diag, ASSAY_CONTRADICTION,
                               "the profile %s is of %s, and %s is claimed", c->profile->name,
                               c->profile->format->name, s->format->name);
    }
    for (size_t i = 0; i < s->features.count; i++) {
        const struct assay_yaml *node = s->features.list[i];
        if (assay_certify_feature_named(c->profile, node->text) == NULL) {
            struct assay_near near = assay_near_begin(node->text);
            for (size_t f = 0; f < c->profile->feature_count; f++) {
                assay_near_try(&near, c->profile->features[f].name);
            }
            assay_yaml_fail(node, diag, ASSAY_UNKNOWN_NAME, "the profile %s has no feature %s",
                            c->profile->name, node->text);
            if (near.best != NULL) {
                assay_diag_hint(diag, "did you mean %s?", near.best);
            }
            return ASSAY_UNKNOWN_NAME;
        }
    }
    return ASSAY_OK;
}

/* --- the run --- */

static enum assay_error set_input(struct assay_certification *c, size_t i, struct assay_diag *diag)
{
    const struct assay_certify_trace *trace = &c->submission->traces[i];
    struct assay_input *input = &c->inputs[i];
    const bool carrier = c->submission->format->carrier != NULL;
    *input = (struct assay_input){.path = trace->path,
                                  .never_outside = true,
                                  .setup = {.format = carrier ? NULL : c->submission->format,
                                            .profile = carrier ? 0 : c->submission->dialect,
                                            .execution = trace->execution,
                                            .execution_thread = ASSAY_EXECUTION_THREAD_FROM_TRACE}};
    if (trace->facts == NULL) {
        return ASSAY_OK;
    }
    input->setup.facts = &c->facts[i];
    assay_evidence_add(&c->evidence, "facts", trace->facts, true);
    return assay_facts_load(trace->facts, &c->facts[i], diag);
}

static enum assay_error prepare(struct assay_certification *c, struct assay_diag *diag)
{
    const size_t count = c->submission->trace_count;
    enum assay_error error = check_claims(c, diag);
    error = error ? error : select_rules(c, diag);
    error = error ? error : load_waivers(c, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    c->inputs = calloc(count, sizeof *c->inputs);
    c->facts = calloc(count, sizeof *c->facts);
    if (c->inputs == NULL || c->facts == NULL) {
        return no_memory(diag);
    }
    for (size_t i = 0; error == ASSAY_OK && i < count; i++) {
        error = set_input(c, i, diag);
    }
    return error == ASSAY_OK && c->evidence.out_of_memory ? no_memory(diag) : error;
}

static enum assay_error judge(struct assay_certification *c, struct assay_diag *diag)
{
    c->options = (struct assay_check_options){.max_findings = 20,
                                              .fail_on = ASSAY_MUST,
                                              .digest = true,
                                              .overview = true,
                                              .jobs = c->jobs > 0 ? c->jobs : 1,
                                              .stop = c->stop};
    assay_selection_apply(&c->selection, &c->options);
    c->options.waivers = c->waivers.count > 0 ? &c->waivers : NULL;
    const enum assay_error error = assay_check_open(&c->options, &c->check, diag);
    return error != ASSAY_OK
               ? error
               : assay_check_inputs(c->check, c->inputs, c->submission->trace_count, diag);
}

/* What the run knows besides what was judged; nothing that is not the same each time. */
static void complete_results(struct assay_certification *c)
{
    c->results = *assay_check_results(c->check);
    c->noted[0] = (struct assay_option_used){"format", c->submission->format->name};
    c->noted[1] = (struct assay_option_used){"fail-on", assay_level_name(c->options.fail_on)};
    c->noted[2] = (struct assay_option_used){"max-findings", "20"};
    c->results.options = c->noted;
    c->results.option_count = 3;
    assay_evidence_verify(&c->evidence);
    c->results.evidence = c->evidence.list;
    c->results.evidence_count = c->evidence.count;
    c->results.jobs = 1;
    c->results.exit_status = -1;
}

/* An input that cannot be read leaves nothing to decide. */
static enum assay_error check_read(const struct assay_certification *c, struct assay_diag *diag)
{
    for (size_t i = 0; i < c->results.input_count; i++) {
        const struct assay_input_result *input = &c->results.inputs[i];
        if (input->interrupted) {
            return assay_fail(diag, ASSAY_INTERRUPTED, ASSAY_NO_OFFSET, "the run was interrupted");
        }
        if (input->conclusion == ASSAY_UNREADABLE) {
            *diag = input->diag;
            if (diag->path[0] == '\0') {
                assay_diag_path(diag, input->path);
            }
            return diag->error != ASSAY_OK ? diag->error : ASSAY_NOT_READABLE;
        }
    }
    return ASSAY_OK;
}

/* A waiver that nothing needs is a mistake, or hides one. */
static enum assay_error check_waivers(struct assay_certification *c, struct assay_diag *diag)
{
    for (size_t i = 0; i < c->results.waiver_count; i++) {
        const struct assay_waiver_used *used = &c->results.waivers[i];
        if (used->waived == 0) {
            assay_fail_at(diag, ASSAY_VACUOUS, used->waiver->line, 1,
                          "the waiver of %s in %s waived nothing; its owner is %s",
                          used->waiver->rule, used->waiver->input, used->waiver->owner);
            assay_diag_path(diag, used->waiver->file);
            return ASSAY_VACUOUS;
        }
        if (c->valid_until == NULL || strcmp(used->waiver->expires, c->valid_until) < 0) {
            c->valid_until = used->waiver->expires;
        }
    }
    return ASSAY_OK;
}

/* Whether the catalogues are those of a release. */
static bool is_released(const struct assay_certification *c)
{
    bool released = true;
    for (size_t i = 0; i < c->selection.count; i++) {
        const struct assay_catalogue *catalogue = c->selection.catalogues[i];
        released = released && (!assay_certify_asked(c, catalogue) ||
                                assay_certify_is_released(catalogue->digest));
    }
    return released;
}

enum assay_error assay_certify(struct assay_certification *c, struct assay_diag *diag)
{
    c->demands.arena = &c->arena;
    enum assay_error error = assay_submission_check_files(c->submission, diag);
    error = error ? error : prepare(c, diag);
    error = error ? error : judge(c, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    complete_results(c);
    error = check_read(c, diag);
    error = error ? error : assay_certify_files(c, diag);
    error = error ? error : check_waivers(c, diag);
    error = error ? error : assay_certify_recognise(c, diag);
    c->released = is_released(c);
    error = error ? error : assay_certify_challenges(c, diag);
    error = error ? error : assay_certify_recordings(c, diag);
    return error ? error : assay_certify_decide(c, diag);
}

void assay_certification_close(struct assay_certification *c)
{
    assay_check_close(c->check);
    for (size_t i = 0; c->facts != NULL && i < c->submission->trace_count; i++) {
        assay_facts_clear(&c->facts[i]);
    }
    free(c->facts);
    free(c->inputs);
    assay_evidence_close(&c->evidence);
    assay_waivers_free(&c->waivers);
    assay_selection_close(&c->selection);
    assay_arena_free(&c->arena);
    *c = (struct assay_certification){0};
}
