/* The decision: what the profile and the claims demand, and what there is. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/sink.h"
#include "model/model.h"
#include "model/parameters.h"
#include "validator/certify/parts.h"

static enum assay_error no_memory(struct assay_diag *diag)
{
    return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

/* --- traces --- */

/* Why a trace was not judged whole. */
static const char *why_incomplete(const struct assay_input_result *input)
{
    for (size_t i = 0; i < input->stream_count; i++) {
        const struct assay_stream_result *stream = &input->streams[i];
        if (stream->unjudged != NULL) {
            return stream->unjudged;
        }
        for (size_t n = 0; stream->format != NULL && n < stream->format->layer_count; n++) {
            if (!stream->layers[n].complete && !stream->layers[n].left_out) {
                return stream->layers[n].why != NULL ? stream->layers[n].why
                                                     : "part of it could not be decoded";
            }
        }
    }
    return input->exercised == 0 ? "no rule found anything to check" : "part of it was not judged";
}

static bool is_whole(const struct assay_input_result *input)
{
    return input->complete && input->exercised > 0 && input->conclusion != ASSAY_INCOMPLETE;
}

static enum assay_error demand_judged(struct assay_certification *c)
{
    size_t whole = 0;
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; error == ASSAY_OK && i < c->results.input_count; i++) {
        const struct assay_input_result *input = &c->results.inputs[i];
        whole += is_whole(input);
        if (!is_whole(input)) {
            error = assay_certify_add(&c->demands, "judged", input->path, false, "%s",
                                      why_incomplete(input));
        }
    }
    return error != ASSAY_OK
               ? error
               : assay_certify_add(&c->demands, "judged", "traces", whole == c->results.input_count,
                                   "%zu of %zu traces were judged whole", whole,
                                   c->results.input_count);
}

/* That no trace is handed in twice: what one shows is not shown again. */
static enum assay_error demand_distinct(struct assay_certification *c)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; error == ASSAY_OK && i < c->results.input_count; i++) {
        const struct assay_input_result *input = &c->results.inputs[i];
        size_t n = 0;
        while (n < i && strcmp(c->results.inputs[n].sha256, input->sha256) != 0) {
            n++;
        }
        if (n < i) {
            error = assay_certify_add(&c->demands, "distinct", input->path, false,
                                      "it has the same bytes as %.200s", c->results.inputs[n].path);
        }
    }
    return error;
}

/* That each trace is, or carries, one of the format, and of the version. */
static enum assay_error demand_version(struct assay_certification *c)
{
    const struct assay_format *format = c->submission->format;
    const unsigned dialect = c->submission->dialect;
    enum assay_error error = ASSAY_OK;
    bool met = true;
    for (size_t i = 0; error == ASSAY_OK && i < c->results.input_count; i++) {
        const struct assay_input_result *input = &c->results.inputs[i];
        bool any = false;
        const char *other = NULL;
        for (size_t n = 0; n < input->stream_count; n++) {
            const struct assay_stream_result *stream = &input->streams[n];
            if (stream->format == format) {
                any = true;
                other = dialect > 0 && stream->profile != dialect - 1
                            ? format->profiles[stream->profile].name
                            : other;
            }
        }
        met = met && any && other == NULL;
        if (!any || other != NULL) {
            error = assay_certify_add(&c->demands, "version", input->path, false,
                                      any ? "it was judged as %s" : "nothing in it is of %s",
                                      any ? other : format->name);
        }
    }
    return error != ASSAY_OK
               ? error
               : assay_certify_add(&c->demands, "version",
                                   dialect > 0 ? format->profiles[dialect - 1].name : format->name,
                                   met, "%s",
                                   met ? "all traces are of it" : "not all traces are of it");
}

/* --- rules --- */

/* Adds the rules that a list of selectors means to those that are marked. */
static enum assay_error mark_all(struct assay_certification *c,
                                 const struct assay_certify_texts *texts, bool **marked,
                                 struct assay_diag *diag)
{
    bool *some[ASSAY_MAX_CATALOGUES];
    for (size_t i = 0; i < c->selection.count; i++) {
        marked[i] = assay_arena_take(&c->arena, c->selection.catalogues[i]->rule_count + 1);
        if (marked[i] == NULL) {
            return no_memory(diag);
        }
    }
    for (size_t t = 0; t < texts->count; t++) {
        const enum assay_error error =
            assay_certify_select(c, texts->list[t]->text, texts->list[t], some, diag);
        if (error != ASSAY_OK) {
            return error;
        }
        for (size_t i = 0; i < c->selection.count; i++) {
            for (size_t r = 0; r < c->selection.catalogues[i]->rule_count; r++) {
                marked[i][r] = marked[i][r] || some[i][r];
            }
        }
    }
    return ASSAY_OK;
}

static enum assay_error demand_pass(struct assay_certification *c, struct assay_diag *diag)
{
    bool *marked[ASSAY_MAX_CATALOGUES];
    uint64_t passed = 0;
    uint64_t checks = 0;
    bool met = true;
    enum assay_error error = mark_all(c, &c->level->pass, marked, diag);
    for (size_t i = 0; error == ASSAY_OK && i < c->results.rule_count; i++) {
        const struct assay_rule_total *total = &c->results.rules[i];
        const bool counts = !total->rule->diagnosis && (total->rule->level == ASSAY_MUST ||
                                                        assay_certify_marked(c, marked, total));
        checks += counts ? total->exercised : 0;
        passed += counts && total->verdict == ASSAY_PASS;
        if (counts && total->violated > 0) {
            met = false;
            error = assay_certify_add(&c->demands, "rules", total->rule->id, false,
                                      "%" PRIu64 " of %" PRIu64 " checks fail: %s", total->violated,
                                      total->exercised, total->rule->title);
        }
    }
    return error != ASSAY_OK
               ? error
               : assay_certify_add(&c->demands, "rules", "all", met,
                                   "%" PRIu64 " rules that must pass did, in %" PRIu64 " checks%s",
                                   passed, checks, met ? "" : "; others did not");
}

static bool is_allowed(const struct assay_certify_texts *tables, const char *name)
{
    size_t i = 0;
    while (i < tables->count && strcmp(tables->list[i]->text, name) != 0) {
        i++;
    }
    return i < tables->count;
}

/* That no table of numbers takes the place of the specification's list but one that may. */
static enum assay_error demand_tables(struct assay_certification *c,
                                      const struct assay_input_result *input,
                                      const struct assay_facts_used *used)
{
    enum assay_error error = ASSAY_OK;
    for (unsigned i = 0; error == ASSAY_OK && used != NULL && i < ASSAY_TABLE_COUNT; i++) {
        const char *name = assay_fact_table_name((enum assay_fact_table)i);
        if (used->tables[i] != NULL && used->tables[i][0] != '\0' &&
            !is_allowed(&c->level->tables, name)) {
            error = assay_certify_add(&c->demands, "tables", input->path, false,
                                      "its %s are not the specification's list: %s", name,
                                      used->tables[i]);
        }
    }
    return error;
}

static enum assay_error demand_facts(struct assay_certification *c)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < c->results.input_count; i++) {
        const struct assay_input_result *input = &c->results.inputs[i];
        for (size_t n = 0; error == ASSAY_OK && n < input->stream_count; n++) {
            error = demand_tables(c, input, input->streams[n].facts);
        }
    }
    return error;
}

static enum assay_error demand_waivers(struct assay_certification *c, struct assay_diag *diag)
{
    bool *marked[ASSAY_MAX_CATALOGUES];
    enum assay_error error = mark_all(c, &c->level->waive, marked, diag);
    for (size_t i = 0; error == ASSAY_OK && i < c->results.rule_count; i++) {
        const struct assay_rule_total *total = &c->results.rules[i];
        if (total->waived > 0) {
            const bool may = assay_certify_marked(c, marked, total);
            error = assay_certify_add(&c->demands, "waiver", total->rule->id, may,
                                      "%" PRIu64 " violations are waived, which the profile %s",
                                      total->waived, may ? "permits" : "does not permit");
        }
    }
    return error;
}

/* --- workloads and executions --- */

/* How many traces are of a workload that is due, and how that is known. */
static enum assay_error demand_workload(struct assay_certification *c, const char *name)
{
    size_t shown = 0;
    size_t named = 0;
    for (size_t i = 0; i < c->submission->trace_count; i++) {
        const char *of = c->submission->traces[i].workload;
        if (of != NULL && strcmp(of, name) == 0) {
            shown += c->workloads[i].state == ASSAY_WORKLOAD_SHOWN;
            named += c->workloads[i].state == ASSAY_WORKLOAD_NAMED;
        }
    }
    if (shown + named == 0) {
        return assay_certify_add(&c->demands, "workload", name, false, "no trace is of it");
    }
    return named == 0 ? assay_certify_add(&c->demands, "workload", name, true,
                                          "%zu of the traces, by its recorded executions", shown)
                      : assay_certify_add(&c->demands, "workload", name, true,
                                          "%zu of the traces; of %zu by the producer's word alone",
                                          shown + named, named);
}

static enum assay_error demand_workloads(struct assay_certification *c)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; error == ASSAY_OK && i < c->submission->trace_count; i++) {
        if (c->workloads[i].impossible != NULL) {
            error = assay_certify_add(&c->demands, "execution", c->submission->traces[i].path,
                                      false, "its recording cannot have been executed: %s",
                                      c->workloads[i].impossible);
        }
        if (error == ASSAY_OK && c->workloads[i].state == ASSAY_WORKLOAD_REFUTED) {
            error = assay_certify_add(&c->demands, "workload", c->submission->traces[i].workload,
                                      false, "not of %s: its recorded execution %s",
                                      c->submission->traces[i].path, c->workloads[i].lacking);
        }
    }
    for (size_t i = 0; error == ASSAY_OK && i < c->level->workloads.count; i++) {
        error = demand_workload(c, c->level->workloads.list[i]->text);
    }
    return error;
}

/* --- challenges --- */

/* The part of a recorded execution that a level demands; all of it where it does not say. */
static uint32_t covered_of(const struct assay_certify_level *level)
{
    uint32_t covered = 0;
    bool said = false;
    for (size_t i = 0; i < level->sentences.count; i++) {
        const struct assay_certify_sentence *sentence = &level->sentences.list[i];
        said = said || sentence->executions;
        covered = sentence->covered > covered ? sentence->covered : covered;
    }
    return said ? covered : ASSAY_CERTIFY_ALL_COVERED;
}

/* A trace of a challenge was judged with the program and the execution that were made again, and
 * has as much of that as the level demands; all of it where it does not say. */
static enum assay_error demand_challenge(struct assay_certification *c, size_t trace)
{
    struct assay_certify_challenged *of = &c->challenged[trace];
    const uint32_t due = covered_of(c->level);
    const char *path = c->submission->traces[trace].path;
    char name[ASSAY_CHALLENGE_NAME];
    uint32_t covered = 0;
    const bool compared = assay_certify_least_covered(c, &c->results.inputs[trace], &covered);
    assay_challenge_name(c->submission->traces[trace].challenge, name);
    if (of->difference != NULL || !compared) {
        return assay_certify_add(&c->demands, "challenge", name, false, "%s: %s", path,
                                 of->difference != NULL
                                     ? of->difference
                                     : "it was not compared with the predicted execution, as by a "
                                       "level that compares nothing");
    }
    of->met = covered >= due;
    return assay_certify_add(&c->demands, "challenge", name, of->met,
                             "%s: %u.%03u %% of the predicted execution of %" PRIu64
                             " instructions is in it; due are %u.%03u %%",
                             path, covered / 1000, covered % 1000, of->executed, due / 1000,
                             due % 1000);
}

static enum assay_error demand_challenges(struct assay_certification *c)
{
    uint64_t met = 0;
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; error == ASSAY_OK && i < c->results.input_count; i++) {
        if (c->submission->traces[i].challenge != NULL) {
            error = demand_challenge(c, i);
            met += c->challenged[i].met && !assay_certify_challenge_is_repeated(c, i);
        }
    }
    return error != ASSAY_OK || c->level->challenges == 0
               ? error
               : assay_certify_add(&c->demands, "challenge", "due", met >= c->level->challenges,
                                   "traces show %" PRIu64 " challenges; due are %" PRIu64, met,
                                   c->level->challenges);
}

/* --- parameters --- */

/* The claimed values, as the format reads them. */
static enum assay_error read_parameters(const struct assay_certification *c,
                                        struct assay_parameter_values *values,
                                        struct assay_diag *diag)
{
    const struct assay_yaml *claims = assay_yaml_get(c->submission->file.root, "claims");
    const struct assay_yaml *map = assay_yaml_get(claims, "parameters");
    assay_parameters_init(values, c->submission->format->parameters);
    return assay_parameters_read(values, map->path, map, diag);
}

/* In which trace a parameter has another value; null: in none. */
static const char *other_value(const struct assay_certification *c, size_t number, uint64_t claimed,
                               char *text, size_t size)
{
    for (size_t i = 0; i < c->results.input_count; i++) {
        const struct assay_input_result *input = &c->results.inputs[i];
        for (size_t n = 0; n < input->stream_count; n++) {
            const struct assay_parameter_values *values = input->streams[n].parameters;
            if (input->streams[n].format != c->submission->format || values == NULL ||
                (values->known[number] && values->value[number] == claimed)) {
                continue;
            }
            if (values->known[number]) {
                assay_parameter_text(&values->table->list[number], values->value[number], text,
                                     size);
            } else {
                snprintf(text, size, "not known");
            }
            return input->path;
        }
    }
    return NULL;
}

static enum assay_error demand_parameters(struct assay_certification *c, struct assay_diag *diag)
{
    if (c->submission->parameter_count == 0) {
        return ASSAY_OK;
    }
    struct assay_parameter_values *claimed = assay_arena_take(&c->arena, sizeof *claimed);
    if (claimed == NULL) {
        return no_memory(diag);
    }
    enum assay_error error = read_parameters(c, claimed, diag);
    for (size_t i = 0; error == ASSAY_OK && i < c->submission->parameter_count; i++) {
        const char *name = c->submission->parameters[i].name;
        const size_t number = (size_t)assay_parameter_by_name(claimed->table, name);
        char wanted[64];
        char text[64];
        const char *path = other_value(c, number, claimed->value[number], text, sizeof text);
        assay_parameter_text(&claimed->table->list[number], claimed->value[number], wanted,
                             sizeof wanted);
        error = path == NULL
                    ? assay_certify_add(&c->demands, "parameter", name, true, "%s in all traces",
                                        wanted)
                    : assay_certify_add(&c->demands, "parameter", name, false,
                                        "%s is claimed, and in %s it is %s", wanted, path, text);
    }
    return error;
}

/* --- the verdict --- */

static enum assay_certify_verdict verdict_of(const struct assay_certification *c)
{
    enum assay_certify_verdict verdict = ASSAY_CERTIFIED;
    for (size_t i = 0; i < c->demands.count; i++) {
        const struct assay_certify_demand *demand = &c->demands.list[i];
        if (!demand->met && strcmp(demand->kind, "judged") != 0) {
            return ASSAY_NOT_CERTIFIED;
        }
        verdict = demand->met ? verdict : ASSAY_CERTIFY_INCOMPLETE;
    }
    return verdict;
}

enum assay_error assay_certify_decide(struct assay_certification *c, struct assay_diag *diag)
{
    enum assay_error error = demand_judged(c);
    error = error ? error : demand_distinct(c);
    error = error ? error : demand_version(c);
    error = error ? error : demand_parameters(c, diag);
    error = error ? error : demand_pass(c, diag);
    error = error ? error : demand_facts(c);
    error = error ? error : demand_waivers(c, diag);
    error = error ? error : demand_workloads(c);
    error = error ? error : demand_challenges(c);
    error = error ? error : assay_certify_demand_recordings(c);
    error = error ? error : assay_certify_sentences(c, diag);
    c->verdict = verdict_of(c);
    return error == ASSAY_NO_MEMORY ? no_memory(diag) : error;
}
